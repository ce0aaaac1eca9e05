import { type LinkedAbort, linkedAbort } from '@hardcap/core/adapter';
import { channelOf, type HardcapCallOptions, withoutChannel } from './call-channel.ts';
import type { ModelCall } from './model-call.ts';

/** What was taken out of a call before it is made, or put into it. */
export interface Handover {
  readonly channel: HardcapCallOptions | undefined;
  /** What the call is stopped by, for its caller and for us. */
  readonly stop: LinkedAbort;
  /** Raw parts were asked for by us alone. */
  readonly swallowsRaw: boolean;
}

/**
 * Takes what a call says to hardcap out of it, gives it a signal by which it can be stopped, and
 * knows it when it is made.
 */
export class CallHandover {
  // The wrapping hooks get the very object that `transformParams` returned.
  readonly #handovers: WeakMap<object, Handover> = new WeakMap();

  /** The call as the provider may see it. */
  taken<Params extends object>(params: Params, added: Partial<ModelCall> = {}): Params {
    const call: ModelCall = params;
    const channel = channelOf(call);
    const stop = linkedAbort(call.abortSignal);
    const seen = channel === undefined ? params : withoutChannel(params);
    const sent = { ...seen, ...added, abortSignal: stop.signal };
    this.#handovers.set(sent, { channel, stop, swallowsRaw: added.includeRawChunks === true });
    return sent;
  }

  of(params: object): Handover {
    const { abortSignal }: ModelCall = params;
    return (
      this.#handovers.get(params) ?? {
        channel: undefined,
        stop: linkedAbort(abortSignal),
        swallowsRaw: false,
      }
    );
  }
}
