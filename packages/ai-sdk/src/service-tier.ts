import { asObject, type JsonObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { optionNames } from './option-names.ts';
import { providerFamily } from './provider-family.ts';

/** Tiers that cost the list price. What `auto` is, the project decides, and the answer tells. */
const USUAL: ReadonlySet<string> = new Set([
  ...['auto', 'default', 'on_demand', 'standard', 'standard_only', 'unspecified'],
]);

/** The tier of service that a call asks for; undefined for the usual one. */
export function askedTier(call: ModelCall, model: ModelId): string | undefined {
  const names = new Set(optionNames(call, model));
  if (providerFamily(model) === 'anthropic') names.add('anthropic');
  for (const name of names) {
    const options = objectAt(call.providerOptions, name);
    const tiers = [options, ...listAt(options, 'fallbacks').map(asObject)].map(tierIn);
    const tier = tiers.find((found) => found !== undefined);
    if (tier !== undefined) return tier;
  }
  return undefined;
}

function tierIn(options: JsonObject | undefined): string | undefined {
  const named = [options?.['speed'], options?.['serviceTier'], options?.['service_tier']];
  return named.find((tier) => typeof tier === 'string' && !USUAL.has(tier)) as string | undefined;
}

/**
 * The tier that a call was answered at; undefined where nothing says so, and where it is the usual one
 * and none was asked for.
 */
export function servedTier(
  { providerMetadata, body }: { readonly providerMetadata: unknown; readonly body?: unknown },
  asked: string | undefined,
): string | undefined {
  const told = [
    ...['openai', 'azure', 'google'].map((name) =>
      textAt(objectAt(providerMetadata, name), 'serviceTier'),
    ),
    textAt(asObject(body), 'service_tier'),
  ];
  const tier = told.find((found) => found !== undefined)?.toLowerCase();
  return asked === undefined && tier !== undefined && USUAL.has(tier) ? undefined : tier;
}
