import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ceilingCost, dearestRates, outputWithin } from '../src/cost.ts';
import { costOf, type RateCard, type TokenRates, type TokenUsage } from '../src/index.ts';
import { MAX_AMOUNT } from '../src/money.ts';
import { inputTokensOf, outputTokensOf } from '../src/usage.ts';

const RUNS = { numRuns: 2_000 };

/** Up to $10,000 per million tokens, and often a round number. */
const rate = fc.oneof(
  fc.integer({ min: 0, max: 10_000_000_000 }),
  fc.integer({ min: 0, max: 1_000 }).map((usd) => usd * 1_000_000),
  fc.constantFrom(0, 1, 999, 1_000, 2_800),
);
const rates = fc.record<TokenRates>({
  input: rate,
  cacheRead: rate,
  cacheWrite5m: rate,
  cacheWrite1h: rate,
  output: rate,
  reasoning: rate,
});
/** From no tokens to far more than any context has, so that sums leave the range of a double. */
const tokens = fc.oneof(
  fc.integer({ min: 0, max: 10 }),
  fc.integer({ min: 0, max: 2_000_000 }),
  fc.integer({ min: 0, max: 1_000_000_000 }),
);
const usage = fc.record<TokenUsage>({
  input: tokens,
  cacheRead: tokens,
  cacheWrite5m: tokens,
  cacheWrite1h: tokens,
  output: tokens,
  reasoning: tokens,
});

const CLASSES = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'output',
  'reasoning',
] as const;

function exactNano(card: TokenRates, used: TokenUsage): bigint {
  const pico = CLASSES.map((name) => BigInt(card[name]) * BigInt(used[name]));
  return (pico.reduce((sum, term) => sum + term, 0n) + 999n) / 1_000n;
}

describe('costOf', () => {
  test('equals the sum in big integers, rounded up once, in and beyond the range of a double', () => {
    fc.assert(
      fc.property(rates, usage, (card, used) => {
        expect(costOf({ rates: card }, used)).toBe(Number(exactNano(card, used)));
      }),
      RUNS,
    );
  });

  test('is the same by way of the rarer classes, which are added up in big integers', () => {
    fc.assert(
      fc.property(rates, usage, (card, used) => {
        const withAudio = { ...used, audioInput: 1 };
        expect(costOf({ rates: { ...card, audioInput: 0 } }, withAudio)).toBe(
          costOf({ rates: card }, used),
        );
      }),
      RUNS,
    );
  });
});

describe('the ceiling', () => {
  test('is never below what a call within its bounds costs, whatever the mix of its tokens', () => {
    const card = fc.record<RateCard>({
      rates,
      tiers: fc.constantFrom(1_000, 200_000).chain((aboveInputTokens) =>
        fc.array(
          rates.map((above) => ({ aboveInputTokens, rates: above })),
          { maxLength: 1 },
        ),
      ),
    });
    fc.assert(
      fc.property(card, usage, fc.nat(1_000), fc.nat(1_000), (priced, used, moreIn, moreOut) => {
        const input = inputTokensOf(used) + moreIn;
        const dearest = dearestRates(priced, input, { longCacheWrites: true });
        const ceiling = ceilingCost(dearest, input, outputTokensOf(used) + moreOut);
        expect(costOf(priced, used)).toBeLessThanOrEqual(ceiling);
      }),
      RUNS,
    );
  });

  test('outputWithin is its inverse: so much fits, and not a token more', () => {
    const dearest = fc.record({ input: rate, output: rate.filter((pico) => pico > 0) });
    const nano = fc.oneof(
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.integer({ min: 0, max: MAX_AMOUNT }),
    );
    fc.assert(
      fc.property(dearest, tokens, nano, (at, input, budget) => {
        const output = outputWithin(at, input, budget);
        // The largest count there is; only a budget of millions at a millionth of a cent gets there.
        fc.pre(output < Number.MAX_SAFE_INTEGER);
        if (output < 0) {
          expect(ceilingCost(at, input, 0)).toBeGreaterThan(budget);
          return;
        }
        expect(ceilingCost(at, input, output)).toBeLessThanOrEqual(budget);
        expect(ceilingCost(at, input, output + 1)).toBeGreaterThan(budget);
      }),
      RUNS,
    );
  });
});
