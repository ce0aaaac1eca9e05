import { describe, expect, test } from 'vitest';
import {
  ConfigError,
  type PolicyQuestion,
  refusalOf,
  WindowedSpendBudgetPolicy,
  type WindowSpec,
} from '../src/index.ts';
import { DAY, HOUR, MINUTE, NOON } from './support/clock.ts';

function policyOf(limit: number, window: WindowSpec = 'total'): WindowedSpendBudgetPolicy {
  return new WindowedSpendBudgetPolicy({ limit, window });
}

/** The decision about a limit of 100 without reset. */
function decide(spent: number, held: number, pending: number) {
  const { allowed, kind } = policyOf(100).check({ spent, held, pending, now: NOON });
  return allowed ? 'allowed' : kind;
}

describe('the comparison', () => {
  test.each([
    [0, 0, 0, 'allowed'],
    [0, 0, 100, 'allowed'],
    [0, 0, 101, 'too-large'],
    [60, 0, 40, 'allowed'],
    [60, 0, 41, 'too-large'],
    [60, 40, 0, 'held'],
    [60, 39, 1, 'allowed'],
    [60, 39, 2, 'held'],
    [60, 39, 40, 'held'],
    [60, 39, 41, 'too-large'],
    [99, 0, 1, 'allowed'],
    [99, 0, 2, 'too-large'],
    [99, 1, 0, 'held'],
    [100, 0, 0, 'spent'],
    [100, 0, 1, 'spent'],
    [100, 50, 0, 'spent'],
    [130, 0, 0, 'spent'],
    [0, 100, 0, 'held'],
    [0, 100, 100, 'held'],
    [0, 100, 101, 'too-large'],
    [0, 130, 1, 'held'],
  ])('spent %i, held %i, asked %i of 100: %s', (spent, held, pending, answer) => {
    expect(decide(spent, held, pending)).toBe(answer);
  });

  test('an exhausted account refuses even a request for nothing', () => {
    expect(decide(100, 0, 0)).toBe('spent');
    expect(decide(0, 100, 0)).toBe('held');
  });

  test('a cap can be used to its last unit', () => {
    expect(decide(99, 0, 1)).toBe('allowed');
    expect(decide(50, 49, 1)).toBe('allowed');
  });

  test('held and pending are 0 where they are not given', () => {
    expect(policyOf(100).check({ spent: 99, now: NOON })).toEqual({
      allowed: true,
      retryAfterMs: 0,
    });
    expect(policyOf(100).check({ spent: 100, now: NOON }).allowed).toBe(false);
  });

  test('figures that are no numbers allow nothing', () => {
    expect(decide(Number.NaN, 0, 1)).not.toBe('allowed');
    expect(decide(0, Number.NaN, 1)).not.toBe('allowed');
    expect(decide(0, 0, Number.NaN)).not.toBe('allowed');
  });
});

describe('the limit', () => {
  test.each([0, -1, -0.5, Number.NEGATIVE_INFINITY])(
    '%d disables: everything is allowed',
    (limit) => {
      const policy = policyOf(limit);
      expect(policy.enabled()).toBe(false);
      expect(policy.check({ spent: 1e9, held: 1e9, pending: 1e9, now: NOON })).toEqual({
        allowed: true,
        retryAfterMs: 0,
      });
    },
  );

  test('above 0 it is in force', () => {
    expect(policyOf(0.5).enabled()).toBe(true);
    expect(policyOf(1).enabled()).toBe(true);
  });

  test('what is no number is not taken for "disabled"', () => {
    expect(() => policyOf(Number.NaN)).toThrow(ConfigError);
    expect(() => policyOf(undefined as never)).toThrow(/limit: undefined is not a number/);
  });

  test('none refuses nothing; one of 0, as adjustments can make it, refuses everything', () => {
    expect(
      refusalOf({ limit: null, committed: 1e15, held: 1e15, requested: 1e15 }),
    ).toBeUndefined();
    expect(refusalOf({ limit: 0, committed: 0, held: 0, requested: 0 })).toBe('spent');
  });

  test('a window that is none is a ConfigError', () => {
    expect(() => policyOf(1, { fixed: '1mo' })).toThrow(ConfigError);
  });
});

describe('windowStart', () => {
  test.each<[WindowSpec, number | null]>([
    ['total', null],
    [{ fixed: '1h' }, NOON],
    [{ rolling: '24h' }, NOON + 30 * MINUTE - DAY],
    [{ calendar: 'day', timeZone: 'UTC' }, NOON - 12 * HOUR],
    [{ calendar: 'day', timeZone: 'America/New_York' }, NOON - 7 * HOUR],
    [{ calendar: 'month' }, Date.UTC(2026, 10, 1)],
  ])('of %j', (window, startsAt) => {
    expect(policyOf(1, window).windowStart(NOON + 30 * MINUTE)).toBe(startsAt);
  });
});

describe('the retry hint', () => {
  const now = NOON + 10 * MINUTE;
  const hint = (window: WindowSpec, question: Partial<PolicyQuestion> = {}) =>
    policyOf(100, window).check({ spent: 100, now, ...question }).retryAfterMs;

  test('fixed and calendar windows: their end', () => {
    expect(hint({ fixed: '1h' })).toBe(50 * MINUTE);
    expect(hint({ calendar: 'day' })).toBe(12 * HOUR - 10 * MINUTE);
    // Across the hour that is skipped in the night of 8 March.
    const night = { now: Date.UTC(2026, 2, 8, 6) };
    expect(hint({ calendar: 'day', timeZone: 'America/New_York' }, night)).toBe(22 * HOUR);
  });

  test('rolling windows: when the oldest spend leaves, not before now', () => {
    expect(hint({ rolling: '24h' }, { oldestSpendAt: now - 20 * HOUR })).toBe(4 * HOUR);
    expect(hint({ rolling: '24h' }, { oldestSpendAt: now - DAY })).toBe(0);
    expect(hint({ rolling: '24h' }, { oldestSpendAt: now - 30 * HOUR })).toBe(0);
  });

  test('rolling windows of which nothing is known: the whole window', () => {
    expect(hint({ rolling: '24h' })).toBe(DAY);
  });

  test('a total never resets', () => {
    expect(hint('total')).toBeNull();
  });

  test('what is only held comes free when a call settles, and nobody knows when', () => {
    for (const window of [{ fixed: '1h' }, { calendar: 'day' }, { rolling: '24h' }] as const) {
      expect(hint(window, { spent: 60, held: 40, pending: 1 })).toBeNull();
    }
  });

  test('a request above the whole limit never fits', () => {
    expect(hint({ fixed: '1h' }, { spent: 0, pending: 101 })).toBeNull();
    expect(hint({ fixed: '1h' }, { spent: 1, pending: 100 })).toBe(50 * MINUTE);
  });
});
