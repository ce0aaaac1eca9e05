/** Integer pico-USD (10^-12 USD) per token of each class; `fees` per counted piece. */
export interface TokenRates {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
  /** Absent where the source has no price for the class: using it is unpriced, never free. */
  readonly audioInput?: number;
  readonly audioOutput?: number;
  readonly fees?: Readonly<Record<string, number>>;
}

/** Rates for the whole call once its total input is above a number of tokens. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly rates: TokenRates;
}

/** Rates of one model at one time, with its long-context tiers in ascending order. */
export interface RateCard {
  readonly rates: TokenRates;
  readonly tiers?: readonly PriceTier[];
}

/** The price a call was settled with, as kept in its ledger entry. */
export interface PriceSnapshot extends RateCard {
  /** Where the rates come from, such as `genai-prices` or `override`. */
  readonly source: string;
  readonly version: string;
  /** Provider and model as the source names them. */
  readonly provider: string;
  readonly model: string;
}

/** Everything the guard needs to know about the price of one call. */
export interface PriceQuote {
  /** Prices the settlement: the rates in force when the call starts. */
  readonly snapshot: PriceSnapshot;
  /** Prices the reservation: per class the dearest rate the call can reach while it runs. */
  readonly dearest: RateCard;
  /**
   * What the price rests on: a price `list` (default), which the model that answers may correct; the
   * configuration of this very model, which nothing corrects; or a `ceiling` for want of both, which
   * any other corrects and which corrects none.
   */
  readonly basis?: 'list' | 'configured' | 'ceiling';
  /** Explicitly declared free: USD budgets do not bind the call. */
  readonly free: boolean;
  /** The most output tokens the model can produce in one call; null when not known. */
  readonly maxOutputTokens: number | null;
  /** The model's context window in tokens; null when not known. */
  readonly contextTokens: number | null;
}

export interface PriceRequest {
  readonly provider: string;
  readonly model: string;
  /** When the call starts, in ms since the epoch. */
  readonly at: number;
  /** As the provider names it, such as `priority`; absent for the usual one. */
  readonly serviceTier?: string | undefined;
}

/** Resolves a provider and model to rates. `@hardcap/prices` has an implementation. */
export interface PriceBook {
  /**
   * Calls of models without a price are let through, and budgets in USD do not count them; `quote`
   * throws all the same.
   *
   * @default such calls are refused, where a budget in USD binds them
   */
  readonly passesUnpriced?: boolean;
  /** When its prices were put together, in ms since the epoch. @default not known */
  readonly asOf?: number;
  /** @throws UnpricedModelError when no price is known. Never answers with an accidental zero. */
  quote(request: PriceRequest): PriceQuote;
}
