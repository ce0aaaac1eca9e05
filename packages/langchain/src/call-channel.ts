import type { Identity, Json } from '@hardcap/core';
import { asObject, checkedChannelOptions, type JsonObject } from '@hardcap/core/adapter';
import type { CallOptions } from './chat-model.ts';

const CHANNEL = 'hardcap';

/** What one run says to hardcap, as `metadata: { hardcap: { … } }` of its config. */
export interface HardcapRunOptions {
  /** Dimensions of the calls in this run; they override those of the context. */
  readonly identity?: Identity;
  /** Groups the attempts and steps of one operation in the ledger. */
  readonly operationId?: string;
  /** Written into the ledger beside these calls. */
  readonly tags?: Readonly<Record<string, Json>>;
}

/** @throws InvalidArgumentError for an option that is misspelt or of the wrong kind. */
export function channelOf(metadata: unknown): HardcapRunOptions | undefined {
  return checkedChannelOptions(asObject(metadata)?.[CHANNEL], `metadata.${CHANNEL}`);
}

export function mergedChannels(
  outer: HardcapRunOptions,
  inner: HardcapRunOptions = {},
): HardcapRunOptions {
  return {
    ...outer,
    ...inner,
    identity: { ...outer.identity, ...inner.identity },
    tags: { ...outer.tags, ...inner.tags },
  };
}

// The framework keeps metadata from models that nobody observes, and hands on all call options.
const CARRIED = Symbol('hardcap.run-options');

/** The call options with what the metadata of the run says. */
export function carrying(options: CallOptions, metadata: unknown): CallOptions {
  const channel = asObject(metadata)?.[CHANNEL];
  return channel === undefined
    ? options
    : Object.assign(options, { [CARRIED]: { [CHANNEL]: channel } });
}

/** What {@link carrying} put into call options, and the options as the provider may see them. */
export function carried(options: CallOptions): {
  readonly channel: HardcapRunOptions | undefined;
  readonly sent: CallOptions;
} {
  const { [CARRIED]: metadata, ...sent } = options as JsonObject & { [CARRIED]?: unknown };
  return { channel: channelOf(metadata), sent };
}
