import type { Durability } from './durability.ts';
import type { LeaseOptions } from './lease-options.ts';
import type { SessionOptions } from './store-session.ts';

export interface RedisUsageSinkOptions {
  /** Stores of different names on one server know nothing of each other. @default 'default' */
  readonly namespace?: string;
  /**
   * Dimensions of the identity, such as `['org']`, whose values have a store each, so that a cluster
   * spreads them over its slots. Accounts without one of them are in one store above the others. With
   * other dimensions it is another store, in which nothing is spent. @default one store for all
   */
  readonly partitionBy?: readonly string[];
  /** The longest that an operation may take, in ms. @default 1_000 */
  readonly timeoutMs?: number;
  /**
   * Whether replicas have to confirm a hold before its call is admitted, on a connection of its own.
   * One that too few confirm in time is given back, and the call refused with `SinkUnavailableError`.
   * @default 'async': a failover may lose the latest holds
   */
  readonly durability?: Durability;
  /**
   * Leases blocks of the accounts that this process uses a lot, and admits calls on them without a round
   * trip; `{}` for the defaults. Neither cap nor ledger is less exact, but a process that dies leaves its
   * blocks charged. @default none
   */
  readonly leases?: LeaseOptions;
  /** For how long what has ended is remembered, so that a repetition is recognised, in ms. @default 600_000 */
  readonly rememberedMs?: number;
  /** For how long a late settlement of an expired hold is awaited, in ms. @default 86_400_000 */
  readonly awaitedMs?: number;
  /** After how long an account that nobody uses is forgotten, in ms. @default 400 days */
  readonly idleMs?: number;
  /** Ledger entries kept one by one, at least; older ones live on as sums. @default 100_000 */
  readonly ledgerCapacity?: number;
  /**
   * What becomes of calls once the store has lost its data: they are refused until somebody calls
   * `rebuild()`, or go on from 0 with a `store-reset` notice, or go on once the counters have been
   * rebuilt from the ledger, where the whole of that is left; else they are refused. @default 'deny'
   */
  readonly onStoreReset?: 'deny' | 'accept' | 'rebuild';
  /**
   * Asks the server at the start whether it can keep budgets: its version, whether it evicts keys,
   * and whether it is a replica. What it does not tell is not checked. @default true
   */
  readonly checkServer?: boolean;
  /** Ms since the epoch, instead of the server's clock: for tests alone. */
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;

export function sessionOptions(options: RedisUsageSinkOptions): SessionOptions {
  return {
    now: options.now ?? null,
    onStoreReset: options.onStoreReset ?? 'deny',
    endedMs: options.rememberedMs ?? 600_000,
    expiredMs: options.awaitedMs ?? DAY_MS,
    idleMs: options.idleMs ?? 400 * DAY_MS,
  };
}
