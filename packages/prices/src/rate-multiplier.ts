import { ConfigError, type RateCard, type TokenRates } from '@hardcap/core';
import { type Decimal, parseDecimal } from './pico-rate.ts';

/** A factor on every token rate of a model. Fees by the piece stay as they are. */
export interface RateMultiplier {
  readonly millionths: number;
  readonly text: string;
}

const MILLION = 1_000_000;

const FACTOR = { unit: 'a factor', places: 6, max: 100 * MILLION } as const;

/** @throws ConfigError when it is no decimal above 0 and up to 100. */
export function parseMultiplier(value: unknown, path: string): RateMultiplier {
  const millionths = parseDecimal(value as Decimal, FACTOR, path);
  if (millionths === 0) {
    throw new ConfigError(
      `${path}: a factor of zero. List the model in \`free\` if it costs nothing.`,
    );
  }
  return { millionths, text: String(value).trim() };
}

/** The card with its token rates multiplied, each rounded up. */
export function multiplyCard(card: RateCard, { millionths }: RateMultiplier): RateCard {
  const times = (rate: number): number =>
    Number((BigInt(rate) * BigInt(millionths) + BigInt(MILLION - 1)) / BigInt(MILLION));
  const multiply = (rates: TokenRates): TokenRates => ({
    ...rates,
    input: times(rates.input),
    cacheRead: times(rates.cacheRead),
    cacheWrite5m: times(rates.cacheWrite5m),
    cacheWrite1h: times(rates.cacheWrite1h),
    output: times(rates.output),
    reasoning: times(rates.reasoning),
    ...(rates.audioInput === undefined ? {} : { audioInput: times(rates.audioInput) }),
    ...(rates.audioOutput === undefined ? {} : { audioOutput: times(rates.audioOutput) }),
  });
  const rates = multiply(card.rates);
  if (card.tiers === undefined) return { rates };
  return { rates, tiers: card.tiers.map((tier) => ({ ...tier, rates: multiply(tier.rates) })) };
}
