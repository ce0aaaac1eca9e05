import { type Account, compileWindow, type Unit, type WindowSpec } from '@hardcap/core';
import type { SqliteUsageSink } from '@hardcap/sqlite';
import { type Stalls, stallsDuring } from './own-stall.ts';

/** What a stretch of reservations came to. */
export interface Load {
  readonly reserves: number;
  readonly ms: number;
  readonly stalls: Stalls;
}

const USERS = 100;
const IN_FLIGHT = 64;

function accountOf(key: string, unit: Unit, window: WindowSpec): Account {
  const [budget = key] = key.split('|');
  const limits = { limit: 9e15, blocked: false, thresholds: [800_000, 1_000_000] };
  const ends = { attribute: 'reserve', onExpiry: 'charge' } as const;
  return { key, rule: { budget, unit, window: compileWindow(window), ...limits, ...ends } };
}

/** The three accounts of each user's calls. */
export const ACCOUNTS: readonly Account[][] = Array.from({ length: USERS }, (_, user) => [
  accountOf(`user-daily|user=u${user}`, 'usd', { calendar: 'day' }),
  accountOf('org-monthly|org=acme', 'usd', { calendar: 'month' }),
  accountOf(`tpm|user=u${user}`, 'tokens', { fixed: '1m' }),
]);

/** Reserves over three accounts, 64 calls at a time. */
export async function reserveFor(sink: SqliteUsageSink, ms: number, name: string): Promise<Load> {
  let reserves = 0;
  const startedAt = performance.now();
  const caller = async (): Promise<void> => {
    while (performance.now() - startedAt < ms) {
      reserves += 1;
      const accounts = ACCOUNTS[reserves % USERS] ?? [];
      const claims = accounts.map((account) => ({ account, amount: 1_000 }));
      const id = name + reserves.toString(36);
      const { admitted } = await sink.reserve({ id, claims, ttlMs: 3_600_000 });
      if (!admitted) throw new Error('The benchmark ran into its cap.');
    }
  };
  const stalls = await stallsDuring(async () => {
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  });
  return { reserves, ms: performance.now() - startedAt, stalls };
}
