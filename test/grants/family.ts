import {
  type Budget,
  createSpendGuard,
  type Denial,
  type SpendGuard,
  type UsageSink,
} from '@hardcap/core';
import { createPriceBook } from '@hardcap/prices';
import { RedisUsageSink } from '@hardcap/redis';
import { SqliteUsageSink } from '@hardcap/sqlite';

/** Where the books of a family are: a port of Redis, or a SQLite file. */
export type Store = `redis:${number}` | `sqlite:${string}`;

/** Holds are kept alive every second. */
export const TTL_MS = 3_000;
export const AGENT = { org: 'acme', run: 'r1' };
/** What the parent may spend, and what it grants to each child, in nano-USD. */
export const CAP = 5_000_000_000;
export const SLICE = 50_000_000;

const BUDGETS: readonly Budget[] = [
  { name: 'run', per: ['run'], limit: { usd: '5' }, window: 'total' },
  { name: 'org', per: ['org'], limit: { usd: '100' }, window: { calendar: 'month' } },
];

/** What a worker is told to do. */
export type Order =
  /** Ask for a slice for each of these children, all at once. */
  | { readonly type: 'spawn'; readonly children: readonly string[] }
  /** Run a child on a grant of another process. */
  | { readonly type: 'run'; readonly child: string; readonly token: string; readonly calls: number }
  /** Make one call on a grant, and go on with it until it is stopped. */
  | { readonly type: 'hang'; readonly child: string; readonly token: string }
  | { readonly type: 'close'; readonly child: string }
  | { readonly type: 'revoke'; readonly child: string };

/** What a worker says of it. */
export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'granted'; readonly child: string; readonly token: string }
  | { readonly type: 'refused'; readonly child: string; readonly denial: Denial }
  | {
      readonly type: 'ran';
      readonly child: string;
      readonly spent: number;
      readonly denied: number;
    }
  | { readonly type: 'hangs'; readonly child: string }
  | { readonly type: 'stopped'; readonly child: string; readonly kinds: readonly string[] }
  | { readonly type: 'closed'; readonly child: string; readonly spent: number };

export function guardOf(store: Store): SpendGuard {
  const place = store.slice(store.indexOf(':') + 1);
  const timeoutMs = 20_000;
  const sink: UsageSink = store.startsWith('redis')
    ? new RedisUsageSink(`redis://127.0.0.1:${place}`, { timeoutMs })
    : new SqliteUsageSink(place, { timeoutMs });
  // USD per million tokens.
  const prices = createPriceBook({ overrides: { 'acme/small': { input: '1', output: '10' } } });
  return createSpendGuard({ budgets: BUDGETS, sink, prices, timeoutMs, reservationTtlMs: TTL_MS });
}
