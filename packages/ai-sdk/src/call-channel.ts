import type { Identity, Json } from '@hardcap/core';
import { checkedChannelOptions, type JsonObject } from '@hardcap/core/adapter';
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
  return checkedChannelOptions(call.providerOptions?.[CHANNEL], `providerOptions.${CHANNEL}`);
}

/** The call as the provider may see it. */
export function withoutChannel<Call extends ModelCall>(call: Call): Call {
  const { [CHANNEL]: _, ...providerOptions } = call.providerOptions as JsonObject;
  return { ...call, providerOptions };
}
