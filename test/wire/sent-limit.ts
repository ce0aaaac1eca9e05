import { type JsonObject, objectAt } from './json-object.ts';

/** The most output tokens that a body on the wire lets the provider bill; -Infinity without a limit. */
export function sentLimit(body: JsonObject | undefined): number {
  const { max_tokens, max_completion_tokens, max_output_tokens, n = 1 } = body ?? {};
  const { maxOutputTokens } = objectAt(body ?? {}, 'generationConfig');
  const limits = [max_tokens, max_completion_tokens, max_output_tokens, maxOutputTokens];
  return Math.max(...limits.filter(Boolean).map(Number)) * Number(n);
}
