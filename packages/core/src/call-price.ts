import { costOf, type DearestRates, dearestRates, type InputTraits } from './cost.ts';
import { UnpricedModelError } from './errors.ts';
import type { Identity } from './identity.ts';
import type { PriceBook, PriceQuote, PriceSnapshot } from './price-book.ts';
import type { TokenUsage } from './usage.ts';

export interface PricedCall extends InputTraits {
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly unseenInput?: boolean;
  readonly fallbackModels?: readonly string[];
  readonly serviceTier?: string | undefined;
  readonly modelOutputTokens?: number | undefined;
}

/** What one call is priced with, from its reservation to its settlement. */
export class CallPrice {
  readonly quote: PriceQuote | null;
  /** The dearest the call can reach; null where the model has no price. */
  rates: DearestRates | null;
  /** The bound of the input; nothing where some is unseen and nobody knows the context window. */
  inputBound: number | null | undefined;
  /** The most output of any model that may answer; nothing where nobody knows it. */
  outputBound: number | null | undefined;
  /** Declared free, whichever model answers. */
  isFree: boolean;
  readonly #book: PriceBook | undefined;
  readonly #call: PricedCall;
  readonly #at: number;

  /**
   * @param at when the call starts, in ms since the epoch.
   * @throws UnpricedModelError when the model has no price and `required` says that money counts.
   */
  constructor(book: PriceBook | undefined, call: PricedCall, at: number, required: boolean) {
    this.#book = book;
    this.#call = call;
    this.#at = at;
    this.quote = quoteOf(book, call, at, required);
    const { inputTokens, unseenInput } = call;
    this.inputBound = unseenInput ? this.quote?.contextTokens : inputTokens;
    this.outputBound = mostOutput(this.quote, call.modelOutputTokens);
    this.isFree = this.quote?.free === true;
    this.rates =
      this.quote === null
        ? null
        : dearestRates(this.quote.dearest, this.inputBound ?? inputTokens, call);
    const { fallbackModels } = call;
    if (fallbackModels !== undefined) {
      for (const model of fallbackModels) this.#orThatOf(this.#ofModel(model, required));
    }
  }

  /** Another model may answer in place of this one: the larger of all bounds counts. */
  #orThatOf(other: CallPrice): void {
    const { rates, inputBound, outputBound, isFree } = other;
    if (this.rates !== null && rates !== null) {
      const input = Math.max(this.rates.input, rates.input);
      this.rates = { input, output: Math.max(this.rates.output, rates.output) };
    }
    this.inputBound = larger(this.inputBound, inputBound);
    this.outputBound = larger(this.outputBound, outputBound);
    this.isFree &&= isFree;
  }

  #ofModel(model: string, required: boolean, serviceTier = this.#call.serviceTier): CallPrice {
    const { fallbackModels: _, ...call } = this.#call;
    return new CallPrice(this.#book, { ...call, model, serviceTier }, this.#at, required);
  }

  get snapshot(): PriceSnapshot | null {
    return this.quote === null ? null : this.quote.snapshot;
  }

  /** What the model is priced as, which may be another name than the one it was called by. */
  get name(): Identity | undefined {
    if (this.quote === null) return undefined;
    const { provider, model } = this.quote.snapshot;
    return { provider, model };
  }

  /** Nano-USD; undefined where the model, or a class it used, has no price. */
  costOf(usage: TokenUsage): number | undefined {
    return this.quote === null ? undefined : costOf(this.quote.snapshot, usage);
  }

  /** The price of the model that answered, at the tier it did; this one where that is not known better. */
  servedBy(
    model: string = this.#call.model,
    serviceTier: string | undefined = this.#call.serviceTier,
  ): CallPrice {
    const isAsAsked = model === this.#call.model && serviceTier === this.#call.serviceTier;
    if (this.#book === undefined || isAsAsked) return this;
    const isFallback = this.#call.fallbackModels?.includes(model);
    if (this.quote?.basis === 'configured' && !isFallback) return this;
    try {
      const served = this.#ofModel(model, true, serviceTier);
      return served.quote?.basis === 'ceiling' && this.quote !== null ? this : served;
    } catch {
      // A settlement must not fail on a name that only the provider knows, be it that of a tier.
      return serviceTier === this.#call.serviceTier ? this : this.servedBy(model);
    }
  }
}

/** By whoever knows it; where both do, neither may have the last word. */
function mostOutput(
  quote: PriceQuote | null,
  stated: number | undefined,
): number | null | undefined {
  const known = quote?.maxOutputTokens;
  if (stated === undefined) return known ?? quote?.contextTokens;
  return Math.max(stated, known ?? 0);
}

/** Nothing where either is not known. */
function larger(
  one: number | null | undefined,
  other: number | null | undefined,
): number | null | undefined {
  return one == null || other == null ? null : Math.max(one, other);
}

function quoteOf(
  book: PriceBook | undefined,
  { provider, model, serviceTier }: Pick<PricedCall, 'provider' | 'model' | 'serviceTier'>,
  at: number,
  required: boolean,
): PriceQuote | null {
  if (book === undefined) {
    if (!required) return null;
    // Budgets in USD have one; a grant may come from a guard that has.
    throw new UnpricedModelError(provider, model, 'a grant in USD pays, and there are no `prices`');
  }
  try {
    return book.quote({ provider, model, at, serviceTier });
  } catch (error) {
    if (required || !UnpricedModelError.isInstance(error)) throw error;
    // What a model can read and write is the same at every tier.
    return serviceTier === undefined ? null : quoteOf(book, { provider, model }, at, required);
  }
}
