import { describe, expect, test } from 'vitest';
import { ceilingCost, dearestRates, outputWithin, ratesFor } from '../src/cost.ts';
import { costOf, type RateCard, type TokenRates } from '../src/index.ts';
import { usageOf } from './support/guard.ts';
import { ratesOf } from './support/prices.ts';

/** Every class at a rate of its own, in pico-USD. */
const RATES: TokenRates = {
  input: 1_000,
  cacheRead: 100,
  cacheWrite5m: 1_250,
  cacheWrite1h: 2_000,
  output: 5_000,
  reasoning: 7_000,
};
const CARD: RateCard = { rates: RATES };

describe('costOf', () => {
  test('adds up every class at its rate', () => {
    const usage = usageOf({
      input: 1_000,
      cacheRead: 2_000,
      cacheWrite5m: 3_000,
      cacheWrite1h: 4_000,
      output: 5_000,
      reasoning: 6_000,
    });
    expect(costOf(CARD, usage)).toBe(1_000 + 200 + 3_750 + 8_000 + 25_000 + 42_000);
  });

  test('rounds up once per call, not per class', () => {
    // 300 + 400 + 200 pico-USD: each rounded up would be 3 nano-USD.
    const rates = { ...RATES, input: 300, cacheRead: 400, output: 200 };
    expect(costOf({ rates }, usageOf({ input: 1, cacheRead: 1, output: 1 }))).toBe(1);
    expect(costOf({ rates }, usageOf({ input: 1 }))).toBe(1);
    expect(costOf({ rates }, usageOf({}))).toBe(0);
  });

  test('a cached prompt is not charged twice: $0.054, where cached input on top of input is $0.091', () => {
    const claude = ratesOf(3, 15, { cacheRead: 300_000, cacheWrite5m: 3_750_000 });
    const usage = usageOf({ input: 3, cacheWrite5m: 12_304, output: 550 });
    expect(costOf({ rates: claude }, usage)).toBe(54_399_000);
  });

  test('is exact beyond 2^53 pico-USD', () => {
    // 60,000,000,700,000,001 pico-USD, which a double takes for ...000.
    const rates = { ...RATES, input: 600_000_001 };
    expect(costOf({ rates }, usageOf({ input: 100_000_001 }))).toBe(60_000_000_700_001);
  });
});

describe('a class that has no price', () => {
  test('is undefined when it was used, and no matter when it was not', () => {
    expect(costOf(CARD, usageOf({ input: 1_000, audioInput: 1 }))).toBeUndefined();
    expect(costOf(CARD, usageOf({ input: 1_000, audioOutput: 1 }))).toBeUndefined();
    expect(costOf(CARD, usageOf({ input: 1_000, fees: { webSearch: 1 } }))).toBeUndefined();
    const unused = { audioInput: 0, audioOutput: 0, fees: { webSearch: 0 } };
    expect(costOf(CARD, usageOf({ input: 1_000, ...unused }))).toBe(1_000);
  });

  test('costs what it says when it has one', () => {
    const rates: TokenRates = {
      ...RATES,
      audioInput: 32_000,
      audioOutput: 64_000,
      fees: { webSearch: 10_000_000_000 },
    };
    const usage = usageOf({ audioInput: 10, audioOutput: 10, fees: { webSearch: 3 } });
    expect(costOf({ rates }, usage)).toBe(320 + 640 + 30_000_000);
  });
});

describe('a long-context tier', () => {
  const long = { ...RATES, input: 2_000, cacheRead: 200, output: 9_000 };
  const longest = { ...long, input: 3_000 };
  const card: RateCard = {
    rates: RATES,
    tiers: [
      { aboveInputTokens: 200_000, rates: long },
      { aboveInputTokens: 500_000, rates: longest },
    ],
  };

  test('begins above its number of input tokens', () => {
    expect(ratesFor(card, 200_000)).toBe(RATES);
    expect(ratesFor(card, 200_001)).toBe(long);
    expect(ratesFor(card, 500_001)).toBe(longest);
  });

  test('reprices the whole call, output included, by all of its input', () => {
    expect(costOf(card, usageOf({ input: 200_000, output: 10 }))).toBe(200_000 + 50);
    const usage = usageOf({ input: 100_000, cacheRead: 100_001, output: 10 });
    expect(costOf(card, usage)).toBe(200_000 + 20_001 + 90);
  });
});

describe('dearestRates', () => {
  test('any input may be a cache write, any output reasoning', () => {
    expect(dearestRates(CARD, 0)).toEqual({ input: 1_250, output: 7_000 });
  });

  test('an hour of cache and audio count where they were asked for', () => {
    const rates = { ...RATES, audioInput: 40_000 };
    expect(dearestRates({ rates }, 0, { longCacheWrites: true }).input).toBe(2_000);
    expect(dearestRates({ rates }, 0).input).toBe(1_250);
    expect(dearestRates({ rates }, 0, { audio: true }).input).toBe(40_000);
    expect(dearestRates(CARD, 0, { audio: true }).input).toBe(1_250);
  });

  test('a model that speaks may answer in audio', () => {
    expect(dearestRates({ rates: { ...RATES, audioOutput: 80_000 } }, 0).output).toBe(80_000);
  });

  test('a bound that reaches a tier may end on either side of it', () => {
    const cheap = { ...RATES, input: 500, cacheWrite5m: 600, output: 50_000, reasoning: 50_000 };
    const card = { rates: RATES, tiers: [{ aboveInputTokens: 100, rates: cheap }] };
    expect(dearestRates(card, 100)).toEqual({ input: 1_250, output: 7_000 });
    expect(dearestRates(card, 101)).toEqual({ input: 1_250, output: 50_000 });
  });
});

describe('outputWithin', () => {
  const rates = { input: 1_500, output: 7_000 };

  test('is what is left after the input', () => {
    expect(outputWithin(rates, 100, 150)).toBe(0);
    expect(outputWithin(rates, 100, 156)).toBe(0);
    expect(outputWithin(rates, 100, 157)).toBe(1);
  });

  test('is negative when the input alone is too dear', () => {
    expect(outputWithin(rates, 101, 151)).toBe(-1);
    expect(outputWithin({ input: 1_500, output: 0 }, 101, 151)).toBe(-1);
  });

  test('is without end when output costs nothing', () => {
    expect(outputWithin({ input: 1_500, output: 0 }, 100, 150)).toBe(Number.POSITIVE_INFINITY);
  });

  test('is exact where the sum is beyond 2^53 pico-USD', () => {
    const dear = { input: 600_000_000, output: 600_000_001 };
    const nano = ceilingCost(dear, 10_000_000, 4_999_999);
    expect(outputWithin(dear, 10_000_000, nano)).toBe(4_999_999);
    expect(outputWithin(dear, 10_000_000, nano - 1)).toBe(4_999_998);
  });
});
