import { BudgetExceededError, type Settlement } from '@hardcap/core';
import { type JsonObject, textAt } from '@hardcap/core/adapter';
import type { Attempt } from './attempt.ts';
import { cutParts } from './cut-parts.ts';
import { earlyUsage } from './early-usage.ts';
import { isProvidersEnd } from './finish-reason.ts';
import { OpenBlocks } from './open-blocks.ts';
import { providerFamily } from './provider-family.ts';

/** Sees every part of a stream: meters what it costs, and knows how to end it. */
export class StreamTally {
  /** Something that costs was seen, so what was metered is a fair charge. */
  #hasBegun = false;
  /** What else costs, no part tells: a picture, or what a tool at the provider has read. */
  #hasUnseen = false;
  readonly #attempt: Attempt;
  readonly #blocks: OpenBlocks = new OpenBlocks();
  readonly #streamedCalls: Set<unknown> = new Set();
  #servedModel: string | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  /** True, or a promise of whether the part is covered; false when the call must stop. */
  count(part: JsonObject): boolean | Promise<boolean> {
    switch (part['type']) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        return this.#meter(part['delta']);
      case 'tool-input-start':
        this.#streamedCalls.add(part['id']);
        this.#blocks.start(part);
        break;
      case 'text-start':
      case 'reasoning-start':
        this.#blocks.start(part);
        break;
      case 'text-end':
      case 'reasoning-end':
      case 'tool-input-end':
        this.#blocks.end(part);
        break;
      case 'tool-call':
        return this.#toolCall(part);
      case 'response-metadata':
        this.#servedModel = textAt(part, 'modelId') ?? this.#servedModel;
        break;
      case 'tool-result':
      case 'file':
      case 'reasoning-file':
        this.#hasUnseen = true;
        break;
      case 'raw':
      case 'custom':
        return this.#early(part);
    }
    return true;
  }

  /** The settlement of a stream that nobody reported on: an answer that had not begun may have cost anything. */
  get unreported(): Settlement {
    const isHeld = this.#attempt.spend.admittedOutputTokens !== null;
    const isSeen = !(this.#hasUnseen && isHeld);
    return { outcome: this.#hasBegun && isSeen ? 'metered' : 'unknown' };
  }

  /** The settlement of a `finish` part; undefined where it reports nothing, or not the whole. */
  reported(finish: JsonObject): Settlement | undefined {
    // Gemini reports with every chunk what has come until then.
    const isGoogle = providerFamily(this.#attempt.model) === 'google';
    if (isGoogle && !isProvidersEnd(finish)) return undefined;
    const { usage, providerMetadata } = finish;
    return this.#attempt.reported({ usage, providerMetadata, servedModel: this.#servedModel });
  }

  /** What the reader of a stream that was cut still gets. */
  cutParts(stopReason: unknown): JsonObject[] {
    const { onCut, model, spend } = this.#attempt;
    const isQuiet = onCut === 'length' && BudgetExceededError.isInstance(stopReason);
    return [
      ...this.#blocks.ends(),
      ...cutParts({
        error: isQuiet ? undefined : stopReason,
        specificationVersion: model.specificationVersion,
        usage: spend.meteredUsage(),
      }),
    ];
  }

  #meter(text: unknown): boolean | Promise<boolean> {
    // Some packages begin with a text of nothing.
    if (typeof text !== 'string' || text === '') return true;
    this.#hasBegun = true;
    return this.#attempt.spend.meter({ text });
  }

  /** Some packages give a call as a whole; the provider has written its input all the same. */
  #toolCall(part: JsonObject): boolean | Promise<boolean> {
    this.#attempt.searches.see(part);
    if (part['providerExecuted']) this.#hasUnseen = true;
    const input = textAt(part, 'input');
    if (input === undefined || this.#streamedCalls.has(part['toolCallId'])) return true;
    return this.#meter(input);
  }

  #early(part: JsonObject): boolean | Promise<boolean> {
    const usage = earlyUsage(part, this.#attempt.longCacheWrites);
    if (usage === undefined) return true;
    const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0 } = usage;
    const inputTokens = input + cacheRead + cacheWrite5m + cacheWrite1h;
    if (inputTokens > 0) this.#hasBegun = true;
    return this.#attempt.spend.meter({ usage });
  }
}
