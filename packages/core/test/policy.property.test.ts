import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalOf, WindowedSpendBudgetPolicy, type WindowSpec } from '../src/index.ts';
import { MAX_AMOUNT } from '../src/money.ts';
import { NOON } from './support/clock.ts';

/** Small amounts, so that sums meet the limit often, and amounts at the edge of what is exact. */
const amount = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: MAX_AMOUNT }));
const limit = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: MAX_AMOUNT }));
const window = fc.constantFrom<WindowSpec>(
  'total',
  { fixed: '1m' },
  { calendar: 'day', timeZone: 'Asia/Kathmandu' },
  { rolling: '24h' },
);

describe('the decision', () => {
  test('allows exactly when S + R is below the limit and S + R + requested is within it', () => {
    fc.assert(
      fc.property(limit, amount, amount, amount, (cap, spent, held, pending) => {
        const policy = new WindowedSpendBudgetPolicy({ limit: cap, window: 'total' });
        const [S, R, asked, L] = [spent, held, pending, cap].map(BigInt) as [
          bigint,
          bigint,
          bigint,
          bigint,
        ];
        const { allowed } = policy.check({ spent, held, pending, now: NOON });
        expect(allowed).toBe(S + R < L && S + R + asked <= L);
      }),
      { numRuns: 3_000 },
    );
  });

  test('an admission never takes S + R above the limit', () => {
    fc.assert(
      fc.property(limit, amount, fc.array(amount), (cap, spent, requests) => {
        let held = 0;
        for (const requested of requests) {
          if (refusalOf({ limit: cap, committed: spent, held, requested }) !== undefined) continue;
          held += requested;
          expect(spent + held).toBeLessThanOrEqual(cap);
        }
      }),
    );
  });

  test('every refusal is of the kind that says what would help', () => {
    fc.assert(
      fc.property(limit, amount, amount, amount, (cap, committed, held, requested) => {
        const kind = refusalOf({ limit: cap, committed, held, requested });
        const alone = refusalOf({ limit: cap, committed, held: 0, requested });
        const smallest = refusalOf({ limit: cap, committed, held: 0, requested: 0 });
        if (kind === 'held') expect(alone).toBeUndefined();
        if (kind === 'too-large') expect([alone, smallest]).toEqual(['too-large', undefined]);
        if (kind === 'spent') expect(smallest).toBe('spent');
        if (kind === undefined) expect(alone).toBeUndefined();
      }),
      { numRuns: 3_000 },
    );
  });

  test('asking again after the hint, with the window over, is allowed', () => {
    fc.assert(
      fc.property(window, limit, amount, (spec, cap, pending) => {
        const policy = new WindowedSpendBudgetPolicy({ limit: cap, window: spec });
        const { retryAfterMs } = policy.check({ spent: cap, pending, now: NOON });
        if (pending > cap || spec === 'total') {
          expect(retryAfterMs).toBeNull();
          return;
        }
        const later = NOON + (retryAfterMs as number);
        expect(policy.windowStart(later)).toBeGreaterThan(policy.windowStart(NOON) as number);
        expect(policy.check({ spent: 0, pending, now: later }).allowed).toBe(true);
      }),
    );
  });
});
