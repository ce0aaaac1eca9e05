import { createSpendGuard, type GuardEvent, type SpendGuard } from '@hardcap/core';
import { createPriceBook } from '@hardcap/prices';
import { SqliteUsageSink } from '@hardcap/sqlite';

export const CAP = '0.10';

/** The guard of every process that shares the file: the same budgets, and the file as their sink. */
export function teamGuard(file: string, onEvent?: (event: GuardEvent) => void): SpendGuard {
  return createSpendGuard({
    prices: createPriceBook(),
    budgets: [{ name: 'team', per: ['team'], limit: { usd: CAP }, window: 'total' }],
    identity: { team: 'research' },
    sink: new SqliteUsageSink(file),
    // Short, so that the demo need not wait two minutes for the hold of a process that was killed.
    reservationTtlMs: 3_000,
    ...(onEvent === undefined ? {} : { onEvent }),
  });
}
