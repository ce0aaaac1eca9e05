import type { Account, Claim } from '@hardcap/core';
import type { Lease } from './lease.ts';
import { isLeasable, type LeaseTerms } from './lease-options.ts';

/** How much a process has used an account, and its lease. */
export class UsedAccount {
  /** With the terms that the latest call brought. */
  account: Account;
  lease: Lease | null = null;
  /** Calls, and what they asked for, in this interval and in the one before. */
  calls = 0;
  amount = 0;
  before: { readonly calls: number; readonly amount: number } = { calls: 0, amount: 0 };

  constructor(account: Account) {
    this.account = account;
  }

  get isIdle(): boolean {
    return this.calls + this.before.calls === 0;
  }

  get mean(): number {
    return (this.amount + this.before.amount) / Math.max(1, this.calls + this.before.calls);
  }

  isHot(after: number): boolean {
    return this.calls >= after || this.before.calls >= after;
  }

  /** What is asked for in an interval. */
  get demand(): number {
    return Math.max(this.amount, this.before.amount);
  }

  use(amount: number): void {
    this.calls += 1;
    this.amount += amount;
  }

  roll(): void {
    this.before = { calls: this.calls, amount: this.amount };
    this.calls = 0;
    this.amount = 0;
  }
}

/** So many accounts are watched at once. */
const MOST_WATCHED = 10_000;

/** Which accounts are used so much, by calls all of whose accounts are, that blocks of them are worth it. */
export class HotAccounts {
  readonly #terms: LeaseTerms;
  readonly #used: Map<string, UsedAccount> = new Map();
  /** Accounts to lease. */
  readonly #hot: Set<UsedAccount> = new Set();

  constructor(terms: LeaseTerms) {
    this.#terms = terms;
  }

  get(key: string): UsedAccount | undefined {
    return this.#used.get(key);
  }

  /** Counts a call. @returns its accounts, in order; null where one of them is never leased */
  use(claims: readonly Claim[]): readonly UsedAccount[] | null {
    const { after } = this.#terms;
    if (claims.length === 0) return null;
    const used: UsedAccount[] = [];
    for (const { account } of claims) {
      const known = this.#used.get(account.key) ?? this.#watch(account);
      if (known === null) return null;
      if (known.account.rule !== account.rule) {
        if (!isLeasable(account.rule, this.#terms)) return null;
        known.account = account;
      }
      used.push(known);
    }
    let isHot = true;
    for (let place = 0; place < used.length; place += 1) {
      const each = used[place] as UsedAccount;
      each.use((claims[place] as Claim).amount);
      isHot &&= each.isHot(after);
    }
    if (isHot) for (const each of used) if (each.lease === null) this.#hot.add(each);
    return used;
  }

  /** Those that are to be leased. */
  *wanted(): Generator<UsedAccount> {
    for (const used of this.#hot) if (used.lease === null) yield used;
  }

  get isEmpty(): boolean {
    return this.#used.size === 0;
  }

  /** Begins an interval. */
  roll(): void {
    this.#hot.clear();
    for (const [key, used] of this.#used) {
      used.roll();
      if (used.isIdle && used.lease === null) this.#used.delete(key);
    }
  }

  #watch(account: Account): UsedAccount | null {
    if (this.#used.size >= MOST_WATCHED || !isLeasable(account.rule, this.#terms)) return null;
    const used = new UsedAccount(account);
    this.#used.set(account.key, used);
    return used;
  }
}
