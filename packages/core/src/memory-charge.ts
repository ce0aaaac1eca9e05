import type { AccountRule, Charge } from './usage-sink.ts';
import type { WindowCounters } from './window-counters.ts';

/** A charge that knows the counters it went to, without showing them. */
export class MemoryCharge implements Charge {
  readonly account: string;
  readonly budget: string;
  readonly unit: Charge['unit'];
  readonly window: string;
  readonly slot: number | null;
  readonly amount: number;
  readonly held: number;
  readonly #counters: WindowCounters;

  constructor(
    account: string,
    rule: AccountRule,
    counters: WindowCounters,
    slot: number | null,
    amount: number,
    held: number,
  ) {
    this.account = account;
    this.budget = rule.budget;
    this.unit = rule.unit;
    this.window = counters.span.id;
    this.slot = slot;
    this.amount = amount;
    this.held = held;
    this.#counters = counters;
  }

  /** Keeps the amount with the counters, since its entry is about to be dropped. */
  fold(): void {
    this.#counters.fold(this.amount, this.slot);
  }
}
