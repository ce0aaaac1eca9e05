import { asObject, type JsonObject, looseCount, objectAt } from '@hardcap/core/adapter';

const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

/**
 * The output limit in a request body that was sent, over all choices; undefined where it has none
 * that can be told.
 */
export function wireOutputLimit(result: unknown): number | undefined {
  const body = bodyOf(objectAt(result, 'request')?.['body']);
  if (body === undefined) return undefined;
  const limits = [
    ...LIMIT_FIELDS.map((field) => looseCount(body, field)),
    looseCount(objectAt(body, 'generationConfig'), 'maxOutputTokens'),
    looseCount(objectAt(body, 'inferenceConfig'), 'maxTokens'),
  ].filter((limit) => limit !== undefined);
  if (limits.length === 0) return undefined;
  const choices = Math.max(1, looseCount(body, 'n') ?? 1, looseCount(body, 'best_of') ?? 1);
  return Math.max(...limits) * choices;
}

/** Older packages give the body as the text that went out. */
function bodyOf(body: unknown): JsonObject | undefined {
  if (typeof body !== 'string') return asObject(body);
  try {
    return asObject(JSON.parse(body));
  } catch {
    return undefined;
  }
}
