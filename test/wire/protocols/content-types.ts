/** As OpenAI and Anthropic write them. */
export const CONTENT_TYPES = {
  whole: 'application/json',
  stream: 'text/event-stream; charset=utf-8',
} as const;
