import {
  asObject,
  type JsonObject,
  limitOfFallbacks,
  loweredFallbacks,
  modelsNamedIn,
} from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import { type ModelCall, withProviderOptions } from './model-call.ts';
import { optionNames } from './option-names.ts';
import type { OutputLimit } from './wire-limits.ts';

/** The models that a call lets its provider answer with instead; undefined where it names none. */
export function fallbackModels(call: ModelCall, model: ModelId): string[] | undefined {
  const models = optionsRead(call, model).flatMap(({ options }) =>
    modelsNamedIn(options, model.modelId),
  );
  return models.length === 0 ? undefined : models;
}

/** The limit of a call whose fallbacks may have limits of their own, as Anthropic's do. */
export function limitWithFallbacks(
  call: ModelCall,
  model: ModelId,
  limit: OutputLimit,
): OutputLimit {
  const given = optionsRead(call, model).filter(({ options }) => limitOfFallbacks(options) > 0);
  if (given.length === 0) return limit;
  const highest = Math.max(...given.map(({ options }) => limitOfFallbacks(options)));
  return {
    tokens: limit.tokens === undefined ? undefined : Math.max(limit.tokens, highest),
    leastTokens: limit.leastTokens,
    lowered: (tokens) =>
      given.reduce((changed, { name, options }) => {
        const fallbacks = loweredFallbacks(options, tokens);
        return withProviderOptions(changed, name, { fallbacks });
      }, limit.lowered(tokens)),
  };
}

function optionsRead(
  call: ModelCall,
  model: ModelId,
): { readonly name: string; readonly options: JsonObject | undefined }[] {
  return optionNames(call, model).map((name) => ({
    name,
    options: asObject(call.providerOptions?.[name]),
  }));
}
