import { asObject, listAt, objectAt, textAt, tierAskedIn, tierServed } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { optionNames } from './option-names.ts';

/** The tier of service that a call asks for; undefined for the usual one. */
export function askedTier(call: ModelCall, model: ModelId): string | undefined {
  const places = optionNames(call, model).flatMap((name) => {
    const options = objectAt(call.providerOptions, name);
    return [options, ...listAt(options, 'fallbacks').map(asObject)];
  });
  return tierAskedIn(places);
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
    textAt(objectAt(providerMetadata, 'anthropic', 'usage'), 'speed'),
    ...['openai', 'azure', 'google'].map((name) =>
      textAt(objectAt(providerMetadata, name), 'serviceTier'),
    ),
    textAt(asObject(body), 'service_tier'),
  ];
  return tierServed(told, asked);
}
