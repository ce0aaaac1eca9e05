import type { ModelId } from './middleware.ts';

/**
 * How a provider package puts a call on the wire and counts its usage. `plain` is everything that
 * sends the output limit as it is given.
 */
export type ProviderFamily = 'anthropic' | 'bedrock' | 'google' | 'openai' | 'plain';

const OPENAI_SHAPED = /\.(?:chat|responses|completion)$|^openrouter/;

export function providerFamily({ provider, modelId }: ModelId): ProviderFamily {
  if (/anthropic/.test(provider)) return 'anthropic';
  if (/^(?:amazon-?)?bedrock/i.test(provider)) return 'bedrock';
  if (/^(?:openai|azure)\b/.test(provider)) return 'openai';
  if (/^google/.test(provider)) return 'google';
  // Under a name of its own, or behind a gateway that runs the same package.
  return /claude/.test(modelId) && !OPENAI_SHAPED.test(provider) ? 'anthropic' : 'plain';
}

/**
 * Whether early usage can be had in raw parts alone. Packages of version 4 send Anthropic's
 * `message_start` as a part of its own.
 */
export function reportsEarlyInRaw(model: ModelId & { specificationVersion: string }): boolean {
  return model.specificationVersion !== 'v4' && providerFamily(model) === 'anthropic';
}
