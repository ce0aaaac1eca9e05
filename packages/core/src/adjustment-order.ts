import type { Identity } from './identity.ts';

/** One account: a budget, and the values of the dimensions that the budget is kept per. */
export interface AccountSelector {
  /** Name of the budget. */
  readonly budget: string;
  /** Added to that of the context and of the guard, as for `status`; other dimensions do no harm. */
  readonly identity?: Identity;
}

/** An amount in the unit of its budget. `usd` is a decimal string. */
export type UnitAmount =
  | { readonly usd: string }
  | { readonly tokens: number }
  | { readonly requests: number }
  | { readonly concurrent: number };

/** A limit by hand: `limit` takes the place of the one in the configuration, `add` goes on top. */
export interface LimitChange {
  /** `configured` takes back what was set before. */
  readonly limit?: UnitAmount | 'unlimited' | 'configured';
  /** Takes the place of what was added before; 0 takes it back. */
  readonly add?: UnitAmount;
  /** When it ends by itself: a `Date`, or ms since the epoch. @default never */
  readonly until?: number | Date;
}

/** What the ledger says of an adjustment beside the adjustment itself. */
export interface AdjustmentNote {
  /** Repeating an adjustment with the same id changes nothing; 1 to 64 characters. @default a new one */
  readonly id?: string;
  readonly reason?: string;
  /** Who made it. */
  readonly by?: string;
}

/** An adjustment as it is asked of the guard. */
export type AdjustmentOrder =
  | { readonly type: 'top-up'; readonly amount: UnitAmount }
  | { readonly type: 'limit'; readonly change: LimitChange }
  | { readonly type: 'block' | 'unblock' | 'reset' };
