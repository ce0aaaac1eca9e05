import type { Account } from '@hardcap/core';
import { accountOf } from '../../packages/redis/test/support/accounts.ts';

/** Calls of 7,000 under a cap of 1,000,000: 142 fit. */
export const CAP = 1_000_000;
export const CALL = 7_000;

export function roundAccount(round: number): Account {
  return accountOf(`round-${round}`, { unit: 'usd', limit: CAP });
}

/** The same in windows of a minute. */
export function minuteAccount(): Account {
  return accountOf('minute', { unit: 'usd', limit: CAP, window: { fixed: '1m' } });
}

/** Calls of one process, by when their window starts. */
export interface ClockReport {
  readonly admitted: Record<string, number>;
  readonly refused: Record<string, number>;
}

/** Random amounts, from this to 200 more, on two accounts of different windows, or on one of them. */
export const SMALLEST = 10;
export const HAMMER_LIMITS = { total: 150_000, daily: 100_000 } as const;
/** Shorter than the test, so that what killed workers held expires in it. */
export const HOLD_MS = 700;

/** Of workers that are told to lease. */
export const LEASES = { after: 4, share: 1 / 32, syncMs: 100, ttlMs: 2_000 } as const;

export function hammerAccounts(): Account[] {
  return [
    accountOf('hammer-total', { limit: HAMMER_LIMITS.total }),
    accountOf('hammer-daily', { limit: HAMMER_LIMITS.daily, window: { fixed: '365d' } }),
  ];
}

/** What a worker of the hammer says to its parent. */
export interface HammerReport {
  readonly type: 'begun' | 'false-denial' | 'done';
  readonly text: string;
}

/** Of one that sleeps for longer than its leases live. */
export const SLEEPER_LEASES = { after: 2, share: 1 / 4, syncMs: 40, ttlMs: 400 } as const;

export function sleeperAccount(): Account {
  return accountOf('sleeper', { limit: 10_000_000 });
}

export interface SleeperReport {
  /** What its calls have cost in all. */
  readonly settled: number;
}

export interface RoundsReport {
  /** Calls admitted, by round. */
  readonly admitted: readonly number[];
}
