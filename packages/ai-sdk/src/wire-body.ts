import { asObject, type JsonObject, numberAt, objectAt } from '@hardcap/core/adapter';

const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

/**
 * The output limit in a request body that was sent, over all choices; undefined where it has none
 * that can be told.
 */
export function wireOutputLimit(result: unknown): number | undefined {
  const body = bodyOf(objectAt(result, 'request')?.['body']);
  if (body === undefined) return undefined;
  const limits = [
    ...LIMIT_FIELDS.map((field) => numberAt(body, field)),
    numberAt(objectAt(body, 'generationConfig'), 'maxOutputTokens'),
    numberAt(objectAt(body, 'inferenceConfig'), 'maxTokens'),
  ].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : Math.max(...limits) * (numberAt(body, 'n') ?? 1);
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
