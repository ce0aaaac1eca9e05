import { asObject, type JsonObject, listAt, textAt } from './json-object.ts';
import { looseCount } from './loose-count.ts';

/**
 * The models that settings of a call let its provider answer with instead of the given one: `models` of
 * AI Gateway and OpenRouter, `fallbacks` of Anthropic, a `model` that goes into the body.
 */
export function modelsNamedIn(settings: JsonObject | undefined, asked: string): string[] {
  const named = [
    settings?.['model'],
    ...listAt(settings, 'models'),
    ...listAt(settings, 'fallbacks').map((item) => textAt(asObject(item), 'model')),
  ];
  return named.filter(
    (name) => typeof name === 'string' && name !== '' && name !== asked,
  ) as string[];
}

/** The highest output limit that the `fallbacks` in settings have of their own; 0 where none has one. */
export function limitOfFallbacks(settings: JsonObject | undefined): number {
  return Math.max(0, ...fallbacksIn(settings).map(limitOf));
}

/** The `fallbacks` in settings, none of them with a higher output limit than that. */
export function loweredFallbacks(settings: JsonObject | undefined, tokens: number): JsonObject[] {
  return fallbacksIn(settings).map((fallback) =>
    limitOf(fallback) > tokens ? { ...fallback, max_tokens: tokens } : fallback,
  );
}

function fallbacksIn(settings: JsonObject | undefined): JsonObject[] {
  return listAt(settings, 'fallbacks').map((item) => asObject(item) ?? {});
}

function limitOf(fallback: JsonObject): number {
  return looseCount(fallback, 'max_tokens') ?? 0;
}
