import { type JsonObject, numberAt, objectAt } from '@hardcap/core/adapter';

/**
 * What a chunk of Groq's package tells of usage, in the terms of `usage_metadata`, which it leaves
 * out: its own figures of the last chunk, or those of OpenAI's protocol after that.
 */
export function groqUsage(responseMetadata: JsonObject | undefined): JsonObject | undefined {
  const usage = objectAt(responseMetadata, 'usage');
  const input = numberAt(usage, 'prompt_tokens');
  if (input === undefined) return numberAt(usage, 'input_tokens') === undefined ? undefined : usage;
  return {
    input_tokens: input,
    output_tokens: usage?.['completion_tokens'],
    total_tokens: usage?.['total_tokens'],
    input_token_details: {
      cache_read: numberAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens') ?? 0,
    },
  };
}
