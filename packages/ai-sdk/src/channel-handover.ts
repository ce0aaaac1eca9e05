import { channelOf, type HardcapCallOptions, withoutChannel } from './call-channel.ts';

/** Takes what a call says to hardcap out of it, and knows it when the call is made. */
export class ChannelHandover {
  // The wrapping hooks get the very object that `transformParams` returned.
  readonly #channels: WeakMap<object, HardcapCallOptions> = new WeakMap();

  without<Params extends object>(params: Params): Params {
    const channel = channelOf(params);
    if (channel === undefined) return params;
    const sent = withoutChannel(params);
    this.#channels.set(sent, channel);
    return sent;
  }

  of(params: object): HardcapCallOptions | undefined {
    return this.#channels.get(params);
  }
}
