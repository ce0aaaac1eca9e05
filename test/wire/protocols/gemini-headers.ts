/** Google's say nothing of the request. */
export function geminiHeaders(): Record<string, string> {
  return { vary: 'Origin, X-Origin, Referer', 'server-timing': 'gfet4t7; dur=1' };
}

export const GEMINI_CONTENT_TYPES = {
  whole: 'application/json; charset=UTF-8',
  stream: 'text/event-stream',
} as const;
