import type { SinkEntry } from '@hardcap/core';

export type AdjustmentEntry = Extract<SinkEntry, { kind: 'adjustment' }>;

/**
 * What entries say was set by hand on an account, and is in force whatever window there is: a block, and
 * limits. Top-ups are of one window, which their entries do not name.
 */
export class SetByHand {
  #isBlocked = false;
  #limit: readonly [limit: number | 'none', until: number | ''] | null = null;
  #raise: readonly [amount: number, until: number | ''] | null = null;

  /** Whether an entry is about such. */
  static isOf({ change }: AdjustmentEntry): boolean {
    return ['block', 'unblock', 'limit', 'limit-add'].includes(change.type);
  }

  add({ change }: AdjustmentEntry): void {
    if (change.type === 'block' || change.type === 'unblock') {
      this.#isBlocked = change.type === 'block';
    } else if (change.type === 'limit') {
      this.#limit = [change.limit ?? 'none', change.until ?? ''];
    } else if (change.type === 'limit-add') this.#raise = [change.amount, change.until ?? ''];
  }

  /** Whether any of it is in force at a time, in ms since the epoch. */
  isInForce(at: number): boolean {
    const untils = [this.#limit, this.#raise].flatMap((change) => (change ? [change[1]] : []));
    return this.#isBlocked || untils.some((until) => until === '' || at < until);
  }

  /** As `revive.lua` takes it. */
  arguments(): (string | number)[] {
    const none = ['', ''];
    return [this.#isBlocked ? 'b' : '', ...(this.#limit ?? none), ...(this.#raise ?? none)];
  }
}
