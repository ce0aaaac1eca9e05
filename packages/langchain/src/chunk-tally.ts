import type { Settlement } from '@hardcap/core';
import { asObject, type JsonObject, objectAt, textAt } from '@hardcap/core/adapter';
import type { MeteredCall } from './attempt.ts';
import { chunkText } from './chunk-text.ts';
import { googleSearches } from './google-searches.ts';
import { groqUsage } from './groq-usage.ts';
import { isGoogle } from './model-name.ts';
import { reportSettlement, type UsageReport } from './reported-usage.ts';
import { servedTier } from './service-tier.ts';
import { StreamUsage } from './stream-usage.ts';
import { type Tally, unreported } from './tally.ts';
import { hasUnseenContent } from './unseen-content.ts';
import { webSearchesIn } from './web-searches.ts';

/** Sees the `ChatGenerationChunk`s of a stream. */
export class ChunkTally implements Tally {
  hasBegun = false;
  hasUnseen = false;
  readonly #call: MeteredCall;
  readonly #usage: StreamUsage;
  #servedModel: string | undefined;
  #servedTier: string | undefined;
  #searches = 0;
  #googleSearches = 0;
  #isFinished = false;

  constructor(call: MeteredCall) {
    this.#call = call;
    this.#usage = new StreamUsage(call);
  }

  count(item: unknown): boolean | Promise<boolean> {
    const chunk = asObject(item);
    const message = asObject(chunk?.['message']);
    if (message === undefined) return true;
    this.#read(message, objectAt(chunk, 'generationInfo'));
    this.#servedTier = servedTier(chunk, this.#call.serviceTier) ?? this.#servedTier;
    const searches = googleSearches(chunk, this.#call.name);
    this.#googleSearches = Math.max(this.#googleSearches, searches);
    const early = this.#usage.add(
      asObject(message['usage_metadata']),
      objectAt(message, 'response_metadata', 'usage'),
    );
    if (this.#call.name.provider === 'groq') {
      const groq = groqUsage(objectAt(message, 'response_metadata'));
      if (groq !== undefined) this.#usage.replace(groq);
    }
    const text = chunkText(message);
    if (text.length > 0 || early !== undefined) this.hasBegun = true;
    if (text.length === 0 && early === undefined) return true;
    return this.#call.spend.meter({ text, ...(early === undefined ? {} : { usage: early }) });
  }

  reported(isAtEnd: boolean): Settlement | undefined {
    const gemini: UsageReport['gemini'] = isGoogle(this.#call.name) ? 'whole' : undefined;
    // Gemini reports with every chunk what has come until then, also where a stream broke off.
    if (!(this.#isFinished || (isAtEnd && gemini === undefined))) return undefined;
    const report = this.#usage.report();
    if (report === undefined) return undefined;
    if (this.#isUntold) return { outcome: 'unknown' };
    const webSearches = this.#searches + this.#googleSearches;
    const whole = { ...report, gemini, webSearches };
    const serviceTier = this.#servedTier;
    return reportSettlement(whole, { servedModel: this.#servedModel, serviceTier });
  }

  /** Anthropic's package tells the input of the start, and not what tools of the provider have read since. */
  get #isUntold(): boolean {
    const { name, spend, told } = this.#call;
    const isAnthropic = name.provider === 'anthropic' && told?.whole === undefined;
    return isAnthropic && unreported(this, spend).outcome === 'unknown';
  }

  #read(message: JsonObject, generationInfo: JsonObject | undefined): void {
    const metadata = objectAt(message, 'response_metadata');
    const kwargs = objectAt(message, 'additional_kwargs');
    this.#servedModel =
      textAt(generationInfo, 'model_name') ??
      textAt(metadata, 'model_name') ??
      textAt(kwargs, 'model') ??
      this.#servedModel;
    this.#searches += webSearchesIn(message);
    this.hasUnseen ||= hasUnseenContent(message, generationInfo);
    const finishes = [
      generationInfo?.['finish_reason'],
      generationInfo?.['finishReason'],
      kwargs?.['stop_reason'],
    ];
    if (finishes.some((reason) => reason != null)) this.#isFinished = true;
  }
}
