import { describe, expect, test } from 'vitest';
import { inputTokensOf, isKnownUsage, NO_USAGE, outputTokensOf } from '../src/usage.ts';
import { usageOf } from './support/guard.ts';

describe('known usage', () => {
  test('case C-63: zero is data', () => {
    expect(isKnownUsage(NO_USAGE)).toBe(true);
    expect(isKnownUsage(usageOf({ audioInput: 0, audioOutput: 0, fees: { webSearch: 0 } }))).toBe(
      true,
    );
  });

  test('counts in every class', () => {
    const usage = usageOf({ input: 3, cacheWrite5m: 12_304, output: 550, fees: { webSearch: 2 } });
    expect(isKnownUsage(usage)).toBe(true);
  });
});

describe('case C-62: what is no count is unknown, never 0', () => {
  test.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, 2 ** 53])('%s', (count) => {
    for (const name of Object.keys(NO_USAGE)) {
      expect(isKnownUsage({ ...NO_USAGE, [name]: count }), name).toBe(false);
    }
    expect(isKnownUsage(usageOf({ audioInput: count }))).toBe(false);
    expect(isKnownUsage(usageOf({ audioOutput: count }))).toBe(false);
    expect(isKnownUsage(usageOf({ fees: { webSearch: count } }))).toBe(false);
  });

  test('a class that is missing, null or text', () => {
    for (const name of Object.keys(NO_USAGE)) {
      const { [name as keyof typeof NO_USAGE]: _, ...rest } = NO_USAGE;
      expect(isKnownUsage(rest), name).toBe(false);
      expect(isKnownUsage({ ...NO_USAGE, [name]: null as never }), name).toBe(false);
      expect(isKnownUsage({ ...NO_USAGE, [name]: '5' as never }), name).toBe(false);
    }
  });

  test('no usage at all', () => {
    expect(isKnownUsage(undefined)).toBe(false);
    expect(isKnownUsage(null)).toBe(false);
    expect(isKnownUsage({})).toBe(false);
  });
});

describe('sums over the disjoint classes', () => {
  const usage = usageOf({
    input: 1,
    cacheRead: 10,
    cacheWrite5m: 100,
    cacheWrite1h: 1_000,
    audioInput: 10_000,
    output: 2,
    reasoning: 20,
    audioOutput: 200,
    fees: { webSearch: 5 },
  });

  test('input is everything that was read or written', () => {
    expect(inputTokensOf(usage)).toBe(11_111);
  });

  test('output is everything that was produced, hidden reasoning included', () => {
    expect(outputTokensOf(usage)).toBe(222);
  });
});
