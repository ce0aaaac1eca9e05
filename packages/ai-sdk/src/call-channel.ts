import { type Identity, InvalidArgumentError, type Json } from '@hardcap/core';
import { asObject, type JsonObject } from './json-object.ts';
import type { ModelCall } from './model-call.ts';

const CHANNEL = 'hardcap';

/** What one call says to hardcap, as `providerOptions: { hardcap: { … } }`. It is never sent. */
export interface HardcapCallOptions {
  /** Dimensions of this call; they override those of the context and of the middleware. */
  readonly identity?: Identity;
  /** Groups the attempts and steps of one operation in the ledger. */
  readonly operationId?: string;
  /** Written into the ledger beside this call, over the tags of the middleware. */
  readonly tags?: Readonly<Record<string, Json>>;
}

/** @throws InvalidArgumentError for an option that is misspelt or of the wrong kind. */
export function channelOf(call: ModelCall): HardcapCallOptions | undefined {
  const value = call.providerOptions?.[CHANNEL];
  if (value === undefined) return undefined;
  const options = asObject(value);
  if (options === undefined) throw invalid('is an object');
  for (const key of Object.keys(options)) {
    // A misspelt identity would charge somebody else.
    if (!Object.hasOwn(KINDS, key)) throw invalid(`has no option "${key}"`);
    if (options[key] !== undefined && !KINDS[key as keyof typeof KINDS](options[key])) {
      throw invalid(`has a wrong value for "${key}"`);
    }
  }
  return options as HardcapCallOptions;
}

/** The call as the provider may see it. */
export function withoutChannel<Call extends ModelCall>(call: Call): Call {
  const { [CHANNEL]: _, ...providerOptions } = call.providerOptions as JsonObject;
  return { ...call, providerOptions };
}

const KINDS = {
  identity: (value: unknown) => {
    const dimensions = asObject(value);
    return (
      dimensions !== undefined && Object.values(dimensions).every((id) => typeof id === 'string')
    );
  },
  operationId: (value: unknown) => typeof value === 'string',
  tags: (value: unknown) => asObject(value) !== undefined,
} satisfies Record<keyof HardcapCallOptions, (value: unknown) => boolean>;

function invalid(problem: string): InvalidArgumentError {
  return new InvalidArgumentError(
    `providerOptions.hardcap ${problem}. It takes { identity?: { user: 'u1' }, operationId?: 'op', tags?: {} }.`,
  );
}
