import type { RateCard, TokenRates } from '@hardcap/core';

/** Per class, and on each side of every tier, the dearest rate of several cards; at least one. */
export function dearestOf(cards: readonly RateCard[]): RateCard {
  const [first, ...others] = cards;
  if (first !== undefined && others.length === 0) return first;
  const starts = cards.flatMap(({ tiers = [] }) => tiers.map((tier) => tier.aboveInputTokens));
  const dearestAbove = (start: number): TokenRates =>
    cards.map((card) => ratesAbove(card, start)).reduce(dearerOf);
  const rates = dearestAbove(-1);
  if (starts.length === 0) return { rates };
  const tiers = [...new Set(starts)]
    .sort((one, other) => one - other)
    .map((start) => ({ aboveInputTokens: start, rates: dearestAbove(start) }));
  return { rates, tiers };
}

function ratesAbove(card: RateCard, start: number): TokenRates {
  const reached = card.tiers?.findLast((tier) => tier.aboveInputTokens <= start);
  return reached?.rates ?? card.rates;
}

function dearerOf(one: TokenRates, other: TokenRates): TokenRates {
  const max = (name: Exclude<keyof TokenRates, 'fees'>): number =>
    Math.max(one[name] ?? 0, other[name] ?? 0);
  const fees: Record<string, number> = { ...one.fees };
  for (const [name, fee] of Object.entries(other.fees ?? {})) {
    fees[name] = Math.max(fees[name] ?? 0, fee);
  }
  return {
    input: max('input'),
    cacheRead: max('cacheRead'),
    cacheWrite5m: max('cacheWrite5m'),
    cacheWrite1h: max('cacheWrite1h'),
    output: max('output'),
    reasoning: max('reasoning'),
    ...(max('audioInput') === 0 ? {} : { audioInput: max('audioInput') }),
    ...(max('audioOutput') === 0 ? {} : { audioOutput: max('audioOutput') }),
    ...(Object.keys(fees).length === 0 ? {} : { fees }),
  };
}
