import { asObject, type JsonObject, listAt, numberAt, textAt } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import { type ModelCall, withProviderOptions } from './model-call.ts';
import { optionNames } from './option-names.ts';
import { providerFamily } from './provider-family.ts';
import type { OutputLimit } from './wire-limits.ts';

/**
 * The models that a call lets its provider answer with instead: `models` of AI Gateway and OpenRouter,
 * `fallbacks` of Anthropic, a `model` that an option puts into the body. Undefined where it names none.
 */
export function fallbackModels(call: ModelCall, model: ModelId): string[] | undefined {
  const named = optionsRead(call, model).flatMap(({ options }) => [
    options?.['model'],
    ...listAt(options, 'models'),
    ...listAt(options, 'fallbacks').map((item) => textAt(asObject(item), 'model')),
  ]);
  const models = named.filter((item) => typeof item === 'string' && item !== model.modelId);
  return models.length === 0 ? undefined : (models as string[]);
}

/** The limit of a call whose fallbacks may have limits of their own, as Anthropic's do. */
export function limitWithFallbacks(
  call: ModelCall,
  model: ModelId,
  limit: OutputLimit,
): OutputLimit {
  const given = optionsRead(call, model).flatMap(({ name, options }) => {
    const fallbacks = listAt(options, 'fallbacks').map((item) => asObject(item) ?? {});
    return fallbacks.some(limitOf) ? [{ name, fallbacks }] : [];
  });
  if (given.length === 0) return limit;
  const highest = Math.max(...given.flatMap(({ fallbacks }) => fallbacks.map(limitOf)));
  return {
    tokens: limit.tokens === undefined ? undefined : Math.max(limit.tokens, highest),
    leastTokens: limit.leastTokens,
    lowered: (tokens) =>
      given.reduce((changed, { name, fallbacks }) => {
        const lower = fallbacks.map((fallback) =>
          limitOf(fallback) > tokens ? { ...fallback, max_tokens: tokens } : fallback,
        );
        return withProviderOptions(changed, name, { fallbacks: lower });
      }, limit.lowered(tokens)),
  };
}

function limitOf(fallback: JsonObject): number {
  return numberAt(fallback, 'max_tokens') ?? 0;
}

/** Anthropic's package reads its own name under any other, too. */
function optionsRead(
  call: ModelCall,
  model: ModelId,
): { readonly name: string; readonly options: JsonObject | undefined }[] {
  const names = new Set(optionNames(call, model));
  if (providerFamily(model) === 'anthropic') names.add('anthropic');
  return [...names].map((name) => ({ name, options: asObject(call.providerOptions?.[name]) }));
}
