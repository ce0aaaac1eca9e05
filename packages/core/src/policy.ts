import type { RefusalKind } from './denial.ts';
import { ConfigError } from './errors.ts';
import { compileWindow, type Window, type WindowSpec } from './window.ts';

/** The figures of one account that a decision rests on, in the account's unit. */
export interface Standing {
  /** The limit in force; null when there is none. */
  readonly limit: number | null;
  /** Settled spend of the window (S). */
  readonly committed: number;
  /** Sum of open reservations (R). */
  readonly held: number;
  readonly requested: number;
}

/**
 * The decision: refuse if S + R >= limit, or if S + R + requested > limit. The first half makes an
 * exhausted account refuse even a request for nothing; the second is the ceiling, which lets a cap
 * be used to its last unit. Undefined means allowed.
 */
export function refusalOf(standing: Standing): Exclude<RefusalKind, 'blocked'> | undefined {
  const { limit, committed, held, requested } = standing;
  if (limit === null) return undefined;
  if (committed + held < limit && committed + held + requested <= limit) return undefined;
  if (committed >= limit) return 'spent';
  return committed + requested > limit ? 'too-large' : 'held';
}

/**
 * What of its limit a window leaves to the next one, where a budget has `rollover`.
 *
 * - The limit is that of the configuration, or what was set by hand in its place, as it is now: a
 *   change acts on both windows. Top-ups, raises, and what the window itself was left by the one before
 *   stay behind: they count as spent last, so money lives for its window and the next.
 * - Open calls of the window count as spent until they end. One that ends later, or late, changes what
 *   the next window has.
 * - The window before is left by accounts that were used in it, and in full by those that were used in
 *   the one before that. Others count as new, and are left nothing. A call that was admitted or refused
 *   makes a window used, and so does an adjustment.
 * - It is there until its window ends. A call that is still open then may grow within the limit, less
 *   what the next window has used of the rest.
 *
 * So any number of windows in a row spends no more than their limits, and what the first was left.
 *
 * @param used settled spend and open holds of the window.
 * @param most the most that is rolled over.
 */
export function rolledOver(limit: number, used: number, most: number): number {
  return Math.max(0, Math.min(most, limit - used));
}

export interface PolicyQuestion {
  /** Settled spend of the window. */
  readonly spent: number;
  /** Sum of open reservations. */
  readonly held?: number;
  /** What the call asks for. */
  readonly pending?: number;
  /** When the oldest spend still in a rolling window was made, in ms since the epoch. */
  readonly oldestSpendAt?: number;
  /** Ms since the epoch. */
  readonly now: number;
}

export interface PolicyDecision {
  readonly allowed: boolean;
  /** Ms until the same question may be allowed; 0 when allowed, null when no time is known. */
  readonly retryAfterMs: number | null;
  /** Why not; absent when allowed. */
  readonly kind?: Exclude<RefusalKind, 'blocked'>;
}

/**
 * The pure decision about one limit in one window; keeps no state.
 *
 * A limit of 0 or less means disabled: everything is allowed. (A configuration rejects such limits;
 * this primitive inherits the older contract.)
 */
export class WindowedSpendBudgetPolicy {
  readonly limit: number;
  readonly window: Window;

  /** @throws ConfigError for a limit that is not a number, or a window that is none. */
  constructor(options: { limit: number; window: WindowSpec }) {
    if (typeof options.limit !== 'number' || Number.isNaN(options.limit)) {
      throw new ConfigError(
        `limit: ${options.limit} is not a number. Write 0 to disable the policy.`,
      );
    }
    this.limit = options.limit;
    this.window = compileWindow(options.window);
  }

  enabled(): boolean {
    return this.limit > 0;
  }

  /** When the window of `now` began, in ms since the epoch; null for a total. */
  windowStart(now: number): number | null {
    if (this.window.kind === 'rolling') return now - (this.window.lengthMs as number);
    return this.window.at(now).startsAt;
  }

  check(question: PolicyQuestion): PolicyDecision {
    if (!this.enabled()) return { allowed: true, retryAfterMs: 0 };
    const { spent: committed, held = 0, pending: requested = 0 } = question;
    const kind = refusalOf({ limit: this.limit, committed, held, requested });
    if (kind === undefined) return { allowed: true, retryAfterMs: 0 };
    return { allowed: false, kind, retryAfterMs: this.#retryAfterMs(kind, question) };
  }

  #retryAfterMs(kind: RefusalKind, question: PolicyQuestion): number | null {
    const { pending = 0, oldestSpendAt, now } = question;
    // A held account frees itself when a call settles, and nobody knows when; a request above the
    // whole limit never fits.
    if (kind === 'held' || pending > this.limit) return null;
    if (this.window.kind === 'rolling') {
      const lengthMs = this.window.lengthMs as number;
      return oldestSpendAt === undefined ? lengthMs : Math.max(0, oldestSpendAt + lengthMs - now);
    }
    const { endsAt } = this.window.at(now);
    return endsAt === null ? null : Math.max(0, endsAt - now);
  }
}
