import type { PriceQuote, RateCard, TokenRates } from '@hardcap/core';
import { type PriceRow, type PriceSpan, priceAt } from './price-schedule.ts';
import { multiplyCard, type RateMultiplier } from './rate-multiplier.ts';

type PriceBasis = NonNullable<PriceQuote['basis']>;

/** Where the price of a model comes from, and all of its rows. */
export interface PricedModel {
  readonly source: string;
  readonly basis: PriceBasis;
  readonly version: string;
  readonly provider: string;
  readonly model: string;
  readonly rows: readonly PriceRow[];
  readonly free: boolean;
  readonly maxOutputTokens: number | null;
  readonly contextTokens: number | null;
}

/** A model's quote, or why it has none, and the times in ms since the epoch for which that holds. */
export type QuoteSpan = { readonly from: number; readonly until: number } & (
  | { readonly quote: PriceQuote; readonly refusal?: never }
  | { readonly quote?: never; readonly refusal: string }
);

const FREE: TokenRates = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  audioInput: 0,
  audioOutput: 0,
};

/** A model that costs nothing because the configuration says so. */
export function freeModel(provider: string, model: string): PricedModel {
  return { ...fixedModel('free', provider, model, { rates: FREE }), free: true };
}

/** A model with one price at all times, from the configuration. */
export function fixedModel(
  source: string,
  provider: string,
  model: string,
  card: RateCard,
): PricedModel {
  const rows: PriceRow[] = [{ time: undefined, answer: { card } }];
  const unknown = { maxOutputTokens: null, contextTokens: null };
  const basis = source === 'ceiling' ? source : 'configured';
  return { source, basis, version: 'configured', provider, model, rows, free: false, ...unknown };
}

/** The model with all of its rows multiplied; its version says by what. */
export function multiplyModel(model: PricedModel, multiplier: RateMultiplier): PricedModel {
  const rows = model.rows.map(({ time, answer }) => ({
    time,
    answer: answer.card === undefined ? answer : { card: multiplyCard(answer.card, multiplier) },
  }));
  return { ...model, rows, version: `${model.version} x${multiplier.text}` };
}

/** The quote of a call that starts at `at`, in ms since the epoch. */
export function quoteAt(model: PricedModel, at: number): QuoteSpan {
  const span: PriceSpan = priceAt(model.rows, at);
  const { from, until } = span;
  if (span.refusal !== undefined) return { from, until, refusal: span.refusal };
  const { source, version, provider, free, maxOutputTokens, contextTokens } = model;
  const snapshot = { ...span.current, source, version, provider, model: model.model };
  const { dearest } = span;
  const { basis } = model;
  return { from, until, quote: { snapshot, dearest, basis, free, maxOutputTokens, contextTokens } };
}
