import type { BudgetLimit } from './budget-limit.ts';
import type { Identity } from './identity.ts';

/** What a source says: a limit in the unit of the budget, or that nobody may call. */
export type SourcedLimit = BudgetLimit | { readonly block: true };

/** Where the limits of a budget come from that are kept elsewhere, such as in a table of customers. */
export interface LimitSource {
  /**
   * The limit of an account, by the dimensions that the budget is kept per, secrets hashed. Nothing: that
   * of `overrides`, or else of the budget. Calls of an account that nobody knows the limit of wait for
   * one question, and so do the first of those whose `ttlMs` is over.
   */
  readonly resolve: (
    identity: Identity,
  ) => SourcedLimit | undefined | PromiseLike<SourcedLimit | undefined>;
  /** An answer counts for so long, in ms. @default 60_000 */
  readonly ttlMs?: number;
  /** One that takes longer is a failure, in ms. @default 1_000 */
  readonly timeoutMs?: number;
  /**
   * What becomes of calls when it fails: `deny` rejects them (`LIMIT_UNAVAILABLE`); `default` goes by the
   * last answer for the account, or else by the budget itself, and asks again 5 s later.
   *
   * @default 'deny'
   */
  readonly onError?: 'deny' | 'default';
}
