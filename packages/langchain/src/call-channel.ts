import type { Identity, Json } from '@hardcap/core';
import { asObject, checkedChannelOptions, type JsonObject, textAt } from '@hardcap/core/adapter';
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

/** The same, with what `reserveFanOut` says of one call. */
export interface CallChannel extends HardcapRunOptions {
  /** Of a reservation that was made for the call before. */
  readonly reservation?: string;
}

/** @throws InvalidArgumentError for an option that is misspelt or of the wrong kind. */
export function channelOf(metadata: unknown): CallChannel | undefined {
  const value = asObject(metadata)?.[CHANNEL];
  const reservation = textAt(asObject(value), RESERVATION);
  if (reservation === undefined) return checkedChannelOptions(value, `metadata.${CHANNEL}`);
  const { [RESERVATION]: _, ...options } = value as JsonObject;
  return { ...checkedChannelOptions(options, `metadata.${CHANNEL}`), reservation };
}

const RESERVATION = 'reservation';

export function mergedChannels(outer: CallChannel, inner: CallChannel = {}): CallChannel {
  return {
    ...outer,
    ...inner,
    identity: { ...outer.identity, ...inner.identity },
    tags: { ...outer.tags, ...inner.tags },
  };
}

/** What a config says, as metadata. */
export function metadataOf(channel: CallChannel): { readonly hardcap: CallChannel } {
  return { [CHANNEL]: channel };
}

// The framework keeps metadata from models that nobody observes, and hands on all call options.
const CARRIED = Symbol('hardcap.run-options');

/**
 * The call options with what the metadata of the run says, and of the run around it: the framework
 * replaces the one by the other.
 */
export function carrying(options: CallOptions, outer: unknown, inner: unknown): CallOptions {
  const channels = [outer, inner].map((metadata) => asObject(metadata)?.[CHANNEL]);
  return channels.every((channel) => channel === undefined)
    ? options
    : Object.assign(options, { [CARRIED]: [outer, inner] });
}

/** What {@link carrying} put into call options, and the options as the provider may see them. */
export function carried(options: CallOptions): {
  readonly channel: CallChannel | undefined;
  readonly sent: CallOptions;
} {
  const { [CARRIED]: runs, ...sent } = options as JsonObject & {
    [CARRIED]?: readonly [unknown, unknown];
  };
  if (runs === undefined) return { channel: undefined, sent };
  const [outer, inner] = runs.map(channelOf);
  return { channel: mergedChannels(outer ?? {}, inner), sent };
}
