import type { TokenCounts } from './token-counts.ts';

/** Whole pico-USD per token; reasoning is billed as output. */
export interface PicoRates {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  /** For each. @default 0 */
  readonly webSearch?: number;
}

/** By model id, or by `model@tier` for a service tier with rates of its own. */
export type Prices = Readonly<Record<string, PicoRates>>;

const PICO_PER_NANO = 1000n;

/** What the provider bills for one request, rounded up once. */
export function nanoUsd(counts: TokenCounts, rates: PicoRates): number {
  const amounts: readonly (readonly [tokens: number, rate: number])[] = [
    [counts.input, rates.input],
    [counts.cacheRead, rates.cacheRead],
    [counts.cacheWrite5m, rates.cacheWrite5m],
    [counts.cacheWrite1h, rates.cacheWrite1h],
    [counts.output + counts.reasoning, rates.output],
    [counts.webSearches ?? 0, rates.webSearch ?? 0],
  ];
  const pico = amounts.reduce((sum, [tokens, rate]) => sum + BigInt(tokens) * BigInt(rate), 0n);
  return Number((pico + PICO_PER_NANO - 1n) / PICO_PER_NANO);
}

/** Throws where there is no price: nothing is free by accident. */
export function ratesFor(prices: Prices, model: string, serviceTier?: string): PicoRates {
  const rates = prices[`${model}@${serviceTier}`] ?? prices[model];
  if (rates === undefined) throw new Error(`The wire server has no price for ${model}`);
  return rates;
}
