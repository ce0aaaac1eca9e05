import { createSpendGuard, type GuardEvent, type SpendGuard } from '@hardcap/core';
import { createPriceBook } from '@hardcap/prices';
import { RedisUsageSink } from '@hardcap/redis';

export const CAP = '0.10';

/** The guard of every process of the fleet: the same budgets, and the same Redis as their sink. */
export function fleetGuard(url: string, onEvent?: (event: GuardEvent) => void): SpendGuard {
  return createSpendGuard({
    prices: createPriceBook(),
    budgets: [{ name: 'team', per: ['team'], limit: { usd: CAP }, window: { calendar: 'month' } }],
    identity: { team: 'research' },
    // Long, since three processes that start at once may be slow to find the server.
    sink: new RedisUsageSink(url, { namespace: 'demo', timeoutMs: 10_000 }),
    timeoutMs: 10_000,
    // Short, so that the demo need not wait two minutes for the hold of a process that was killed.
    reservationTtlMs: 3_000,
    ...(onEvent === undefined ? {} : { onEvent }),
  });
}
