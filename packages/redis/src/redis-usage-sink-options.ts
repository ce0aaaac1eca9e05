import type { SessionOptions } from './store-session.ts';

export interface RedisUsageSinkOptions {
  /** Stores of different names on one server know nothing of each other. @default 'default' */
  readonly namespace?: string;
  /** The longest that an operation may take, in ms. @default 1_000 */
  readonly timeoutMs?: number;
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
   * `rebuild()`, or go on from 0 with a `store-reset` notice. @default 'deny'
   */
  readonly onStoreReset?: 'deny' | 'accept';
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
    checksServer: options.checkServer ?? true,
    onStoreReset: options.onStoreReset ?? 'deny',
    endedMs: options.rememberedMs ?? 600_000,
    expiredMs: options.awaitedMs ?? DAY_MS,
    idleMs: options.idleMs ?? 400 * DAY_MS,
  };
}
