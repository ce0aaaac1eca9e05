/** What a budget counts. `usd` is integer nano-USD; the others are counts. */
export type Unit = 'usd' | 'tokens' | 'requests' | 'concurrent';

/**
 * Why an account refused.
 *
 * - `spent`: settled spend alone fills the cap; not retryable before the reset.
 * - `held`: it would fit once open reservations settle; retryable.
 * - `too-large`: it does not fit into what is left even with nothing held; a smaller request may.
 * - `blocked`: the account was blocked by hand or by configuration.
 */
export type RefusalKind = 'spent' | 'held' | 'too-large' | 'blocked';

/** One account that refused a reservation. Amounts are in the account's unit (nano-USD for `usd`). */
export interface Refusal {
  readonly budget: string;
  readonly account: string;
  readonly unit: Unit;
  /** The limit in force, adjustments and what was rolled over included; null when there is none. */
  readonly limit: number | null;
  /** What of it was left by the window before; absent for budgets without `rollover`. */
  readonly rollover?: number;
  readonly committed: number;
  readonly held: number;
  readonly requested: number;
  readonly kind: RefusalKind;
  /** By an account that refuses nothing: the call went on, unless another refused it. */
  readonly shadow?: true;
  /** What set the limit, where that is not `limit` of the budget: `override user=vip`. */
  readonly limitFrom?: string;
  /** When the window ends, in ms since the epoch; null when it never does. */
  readonly resetsAt: number | null;
  /** Milliseconds until the same request may fit; null when no time is known. */
  readonly retryAfterMs: number | null;
}

/** A refusal as a value: every account that refused, and when to try again. */
export interface Denial {
  readonly refusals: readonly Refusal[];
  /** True when every refusing account is only held, so that waiting for a settlement can help. */
  readonly retryable: boolean;
  /** The longest of the refusals' waits; null when no time is known. */
  readonly retryAfterMs: number | null;
}

/** Sums up refusals, of which there is at least one. */
export function denialOf(refusals: readonly Refusal[]): Denial {
  // An account that is only held may free itself at any moment: the others decide.
  const waits = refusals
    .filter(({ kind, retryAfterMs }) => kind !== 'held' || retryAfterMs !== null)
    .map(({ retryAfterMs }) => retryAfterMs ?? Number.POSITIVE_INFINITY);
  const longest = waits.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...waits);
  return {
    refusals,
    retryable: refusals.every(({ kind }) => kind === 'held'),
    retryAfterMs: Number.isFinite(longest) ? longest : null,
  };
}
