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
}

/** What one call is priced with, from its reservation to its settlement. */
export class CallPrice {
  readonly quote: PriceQuote | null;
  /** The dearest the call can reach; null where the model has no price. */
  readonly rates: DearestRates | null;
  /** The bound of the input; nothing where some is unseen and nobody knows the context window. */
  readonly inputBound: number | null | undefined;
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
    this.rates =
      this.quote === null
        ? null
        : dearestRates(this.quote.dearest, this.inputBound ?? inputTokens, call);
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

  /** The price of the model that answered; this one where that is not known better. */
  servedBy(model: string): CallPrice {
    if (this.#book === undefined || model === this.#call.model) return this;
    if (this.quote?.basis === 'configured') return this;
    try {
      const served = new CallPrice(this.#book, { ...this.#call, model }, this.#at, true);
      return served.quote?.basis === 'ceiling' && this.quote !== null ? this : served;
    } catch {
      // A settlement must not fail on a name that only the provider knows.
      return this;
    }
  }
}

function quoteOf(
  book: PriceBook | undefined,
  { provider, model }: PricedCall,
  at: number,
  required: boolean,
): PriceQuote | null {
  if (book === undefined) {
    if (!required) return null;
    // Budgets in USD have one; a grant may come from a guard that has.
    throw new UnpricedModelError(provider, model, 'a grant in USD pays, and there are no `prices`');
  }
  try {
    return book.quote({ provider, model, at });
  } catch (error) {
    if (!required && UnpricedModelError.isInstance(error)) return null;
    throw error;
  }
}
