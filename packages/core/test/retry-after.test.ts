import { expect, test } from 'vitest';
import { type Budget, BudgetExceededError, toHttpResponse } from '../src/index.ts';
import { testClock } from './support/clock.ts';
import { benchOf, callOf } from './support/guard.ts';

const HOUR_S = 3_600;
const DAY = { calendar: 'day', timeZone: 'America/New_York' } as const;
const MONTH = { calendar: 'month', anchorDay: 31 } as const;

test.each<[string, string, Budget['window'], number]>([
  ['a day of 23 hours', '2026-03-08T05:00:00Z', DAY, 23 * HOUR_S],
  ['a day of 25 hours', '2026-11-01T04:00:00Z', DAY, 25 * HOUR_S],
  ['the rest of a day', '2026-11-01T23:00:00Z', DAY, 6 * HOUR_S],
  ['a month from its anchor, short as it is', '2026-01-31T00:00:00Z', MONTH, 28 * 24 * HOUR_S],
  ['a month to its anchor', '2026-02-28T00:00:00Z', MONTH, 31 * 24 * HOUR_S],
  ['an hour', '2026-02-28T10:15:00Z', { fixed: '1h' }, 45 * 60],
])(
  'a caller who is refused is told to wait for the boundary: %s',
  async (_, at, window, seconds) => {
    const clock = testClock(Date.parse(at));
    const { guard } = benchOf([{ name: 'b', per: [], limit: { requests: 1 }, window }], { clock });
    await guard.run(callOf(1), (call) => call.settle({ outcome: 'unknown' }));
    const refused = await guard.run(callOf(1), async () => {}).catch((error: unknown) => error);
    expect(BudgetExceededError.isInstance(refused)).toBe(true);
    const response = toHttpResponse(refused);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, `${seconds}`]);
    clock.advance(seconds * 1_000 - 1);
    await expect(guard.run(callOf(1), async () => {})).rejects.toThrow();
    clock.advance(1);
    await guard.run(callOf(1), async () => {});
  },
);
