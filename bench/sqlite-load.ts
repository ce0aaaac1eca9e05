import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Account, compileWindow, type Unit, type WindowSpec } from '@hardcap/core';
import type { SqliteUsageSink } from '@hardcap/sqlite';

/** What a stretch of reservations came to. */
export interface Load {
  readonly reserves: number;
  readonly ms: number;
  /** The longest that the event loop stood still, in ms. */
  readonly stallMs: number;
}

const USERS = 100;
/** Of the turns that do nothing but wait. */
const TURN_MS = 2;
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

/** The longest that the event loop stood still during some work, in ms. */
async function longestStall(work: () => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}

/** How long the event loop stands still when its turns are short: the machine does other things, too. */
export function stallOfShortTurns(ms: number): Promise<number> {
  return longestStall(async () => {
    for (const until = performance.now() + ms; performance.now() < until; await nextTurn()) {
      const end = performance.now() + TURN_MS;
      while (performance.now() < end);
    }
  });
}

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
  const stallMs = await longestStall(async () => {
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  });
  return { reserves, ms: performance.now() - startedAt, stallMs };
}
