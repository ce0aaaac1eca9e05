import type { Settlement } from '@hardcap/core';
import {
  asObject,
  type JsonObject,
  numberAt,
  objectAt,
  textAt,
  tierServed,
} from '@hardcap/core/adapter';
import type { MeteredCall } from './attempt.ts';
import { reportedUsage, reportSettlement } from './reported-usage.ts';
import { type Tally, unreported } from './tally.ts';
import { isUnseen } from './unseen-content.ts';

/** Sees the `ChatModelStreamEvent`s of a stream. Each usage among them stands for all so far. */
export class EventTally implements Tally {
  hasBegun = false;
  hasUnseen = false;
  readonly #call: MeteredCall;
  /** The arguments of a tool call may come as all of them so far, by their block. */
  readonly #seen: Map<unknown, number> = new Map();
  #usage: JsonObject | undefined;
  #output = 0;
  #startOutput = 0;
  #isFinal = false;
  #servedModel: string | undefined;
  #servedTier: string | undefined;

  constructor(call: MeteredCall) {
    this.#call = call;
  }

  count(item: unknown): boolean | Promise<boolean> {
    const event = asObject(item);
    const usage = objectAt(event, 'usage');
    switch (event?.['event']) {
      case 'message-start':
        return usage === undefined || this.#start(usage);
      case 'provider':
        this.#servedModel = textAt(objectAt(event, 'payload'), 'model') ?? this.#servedModel;
        this.#told(objectAt(event, 'payload'));
        return true;
      case 'usage':
        if (usage !== undefined) this.#latest(usage);
        return true;
      case 'message-finish':
        if (usage !== undefined && this.#usage !== usage) this.#latest(usage);
        this.#isFinal = true;
        this.#servedModel =
          textAt(objectAt(event, 'responseMetadata'), 'model_name') ?? this.#servedModel;
        this.#told(objectAt(event, 'responseMetadata'));
        return true;
      case 'content-block-start':
        this.hasUnseen ||= isUnseen(event['content']);
        return true;
      case 'content-block-delta':
        return this.#meter(this.#textOf(event['index'], objectAt(event, 'delta')));
      default:
        return true;
    }
  }

  reported(): Settlement | undefined {
    if (!this.#isFinal || this.#usage === undefined) return undefined;
    const { longCacheWrites, told, spend } = this.#call;
    const served = { servedModel: this.#servedModel, serviceTier: this.#servedTier };
    if (told?.whole !== undefined) {
      const own = { metadata: undefined, anthropic: told.whole, longCacheWrites };
      return reportSettlement(own, served);
    }
    // What tools of the provider have read since the start is not told.
    if (this.#isAnthropic && unreported(this, spend).outcome === 'unknown') {
      return { outcome: 'unknown' };
    }
    // The sum of the framework has counted Anthropic's placeholder, and every report so far.
    const metadata = this.#isAnthropic
      ? { ...this.#usage, output_tokens: this.#output, total_tokens: undefined }
      : this.#usage;
    return reportSettlement({ metadata, longCacheWrites }, served);
  }

  get #isAnthropic(): boolean {
    return this.#call.name.provider === 'anthropic';
  }

  #start(usage: JsonObject): boolean | Promise<boolean> {
    this.#usage = usage;
    this.#startOutput = numberAt(usage, 'output_tokens') ?? 0;
    const { longCacheWrites } = this.#call;
    const metadata = { ...usage, output_tokens: 0, total_tokens: 0 };
    const early = reportedUsage({ metadata, longCacheWrites });
    if (early === undefined) return true;
    this.hasBegun = true;
    const { input, cacheRead, cacheWrite5m, cacheWrite1h } = early;
    return this.#call.spend.meter({ usage: { input, cacheRead, cacheWrite5m, cacheWrite1h } });
  }

  #told(place: JsonObject | undefined): void {
    const told = [textAt(place, 'service_tier'), textAt(place, 'serviceTier')];
    this.#servedTier = tierServed(told, this.#call.serviceTier) ?? this.#servedTier;
  }

  #latest(usage: JsonObject): void {
    const before = numberAt(this.#usage, 'output_tokens') ?? this.#startOutput;
    const grown = (numberAt(usage, 'output_tokens') ?? 0) - before;
    // Each step of the sum is Anthropic's whole output until then.
    this.#output = Math.max(this.#output, grown);
    this.#usage = usage;
  }

  #textOf(index: unknown, delta: JsonObject | undefined): string {
    switch (delta?.['type']) {
      case 'text-delta':
        return textAt(delta, 'text') ?? '';
      case 'reasoning-delta':
        return textAt(delta, 'reasoning') ?? '';
      case 'tool-call-delta':
        return textAt(delta, 'args') ?? '';
      default: {
        const all = textAt(objectAt(delta, 'fields'), 'args') ?? '';
        const seen = this.#seen.get(index) ?? 0;
        this.#seen.set(index, Math.max(seen, all.length));
        return all.slice(seen);
      }
    }
  }

  #meter(text: string): boolean | Promise<boolean> {
    if (text === '') return true;
    this.hasBegun = true;
    return this.#call.spend.meter({ text });
  }
}
