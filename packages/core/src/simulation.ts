import type { PeakUse } from './peak-use.ts';
import type { PriceBook } from './price-book.ts';

/** Options of `simulate`. */
export interface SimulateOptions {
  /** Prices calls whose cost is not in the ledger, since no budget was in USD then. */
  readonly prices?: PriceBook;
  /**
   * What a call asks for: no more than it came to, which gives the fewest denials, or what it held at the
   * time, as a guard does.
   *
   * @default 'cost'
   */
  readonly ask?: 'cost' | 'held';
  /** How many accounts are told of, the fullest. @default 1_000 */
  readonly maxAccounts?: number;
}

/** What one budget would have done. */
export interface SimulatedBudget {
  readonly budget: string;
  /** Calls that it refused, be it with others; in `mode: 'shadow'`, that it would have. */
  readonly denied: number;
  /** What those had cost. */
  readonly savedNanoUsd: number;
  /** Calls that it binds, and of which nobody knows what they came to in its unit: left out here. */
  readonly unmeasured: number;
  /** False for calls at the same time: the ledger does not say when a call began. */
  readonly replayed: boolean;
  /** It is in `mode: 'shadow'`: what it would have denied and saved is in no other figure. */
  readonly shadow?: true;
}

/** What `simulate` answers. */
export interface Simulation {
  /** Calls that may have reached the provider. */
  readonly calls: number;
  readonly denied: number;
  /** Of those, calls that no budget binds. */
  readonly unbound: number;
  /** What the calls had cost, as far as it is known. */
  readonly costNanoUsd: number;
  /** What the denied ones had. */
  readonly savedNanoUsd: number;
  /** Of the first and the last entry, in ms since the epoch; null where there is none. */
  readonly from: number | null;
  readonly to: number | null;
  readonly budgets: readonly SimulatedBudget[];
  /** The fullest accounts first. */
  readonly accounts: readonly PeakUse[];
  /** There are more accounts than are told of. */
  readonly accountsLeftOff: boolean;
  /** Top-ups, limits, blocks and resets by hand, which were not replayed. */
  readonly adjustmentsLeftOut: number;
}
