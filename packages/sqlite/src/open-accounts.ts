import type { Account, AccountRule } from '@hardcap/core';
import { spansBefore, type WindowCounters } from '@hardcap/core/sink';
import type { StoredAccount } from './account-table.ts';
import { MissingRowError } from './missing-row-error.ts';
import type { Tables } from './tables.ts';
import type { StoredWindow } from './window-table.ts';

/**
 * The accounts that one transaction looks at, as the memory sink would have them: each is read once,
 * changed by the logic that both sinks share, and written once.
 */
export class OpenAccounts {
  readonly #tables: Tables;
  readonly #byKey: Map<string, StoredAccount> = new Map();
  readonly #byId: Map<number, StoredAccount> = new Map();
  readonly #windows: Map<number, StoredWindow> = new Map();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The account with its current window, both stored where they are new. */
  open(account: Account, at: number): StoredAccount {
    const found =
      this.find(account.key, at) ?? this.#keep(this.#tables.accounts.insert(account, at));
    this.windowOf(found, this.turn(found, account.rule, at), at);
    return found;
  }

  find(key: string, at: number): StoredAccount | undefined {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const read = this.#tables.accounts.byKey(key, at);
    return read === undefined ? undefined : this.#entered(read, at);
  }

  /** An account that a reservation is on, which is kept for as long as that. */
  get(id: number, at: number): StoredAccount {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const read = this.#tables.accounts.byId(id, at);
    if (read === undefined) throw new MissingRowError(`account ${id}`);
    return this.#entered(read, at);
  }

  /** Makes the window of a time current, under these terms. */
  turn(stored: StoredAccount, rule: AccountRule, at: number): WindowCounters {
    this.recall(stored, rule, at, at);
    const current = stored.account.at(rule, at);
    if (rule.rollover === undefined) return current;
    for (const { id } of spansBefore(rule.window, current.span)) this.recallNamed(stored, id, at);
    stored.account.lookBack();
    return current;
  }

  /** Makes the account remember the window that a time was in. */
  recall(stored: StoredAccount, rule: AccountRule, time: number, at: number): void {
    this.recallNamed(stored, rule.window.at(time).id, at);
  }

  /** Makes the account remember a window by its name, if there is one. */
  recallNamed(stored: StoredAccount, id: string, at: number): void {
    const { account } = stored;
    if (id === account.current.span.id || account.past.has(id)) return;
    const counters = this.#named(stored, id, at);
    if (counters !== null) account.past.set(id, counters);
  }

  /** Counters of a window by its name; null where there is none. */
  #named(stored: StoredAccount, name: string, at: number): WindowCounters | null {
    const { windows } = this.#tables;
    const known = stored.windows.get(name);
    return (known ?? this.#tracked(stored, windows.byName(stored.id, name, at)))?.counters ?? null;
  }

  /** Counters of a window, by the id of its row. */
  window(stored: StoredAccount, id: number, at: number): WindowCounters {
    const known = this.#windows.get(id);
    const found = known ?? this.#tables.windows.byId(id, at);
    // One of another account may have got the number.
    if (found?.account !== stored.id) {
      throw new MissingRowError(`window ${id} of ${stored.account.key}`);
    }
    if (known === undefined) this.#tracked(stored, found);
    const { counters } = found;
    const { endsAt } = counters.span;
    const { rule } = stored.account;
    // What the next window has used of its rest is no longer there. An operation before this one, in the
    // same transaction, may have looked at the window without asking for that.
    if (rule.rollover !== undefined && endsAt !== null && endsAt <= at) {
      counters.next ??= this.#named(stored, rule.window.at(endsAt).id, at);
    }
    return counters;
  }

  /** The window of counters, stored where it is new. */
  windowOf(stored: StoredAccount, counters: WindowCounters, at: number): StoredWindow {
    const { windows, rules } = this.#tables;
    const known = stored.windows.get(counters.span.id);
    if (known?.counters === counters) return known;
    const made = windows.made(stored.id, counters);
    windows.insert(made, rules.idOf(stored.account.rule), at);
    stored.windows.set(counters.span.id, made);
    this.#windows.set(made.id, made);
    return made;
  }

  /** Keeps a window, and the account with it, for a hold that may not end before some time. */
  keep(stored: StoredAccount, counters: WindowCounters, until: number, at: number): void {
    const window = this.windowOf(stored, counters, at);
    const least = until + this.#tables.rememberedMs;
    if ((window.forgetAt ?? 0) < least) window.forgetAt = least;
  }

  /** Whether the transaction looked at it, so that it must not be dropped. */
  isInUse(window: number, account: number): boolean {
    return this.#windows.has(window) || this.#byId.has(account);
  }

  /** Writes what has changed. */
  save(at: number): void {
    const { accounts, windows, rules } = this.#tables;
    for (const stored of this.#byKey.values()) {
      accounts.save(stored);
      const rule = rules.idOf(stored.account.rule);
      for (const window of stored.windows.values()) windows.save(window, rule, at);
    }
  }

  #keep(stored: StoredAccount): StoredAccount {
    this.#byKey.set(stored.account.key, stored);
    this.#byId.set(stored.id, stored);
    return stored;
  }

  /** An account that was read gets the current window that is stored of it. */
  #entered(stored: StoredAccount, at: number): StoredAccount {
    const { account } = stored;
    const name = account.current.span.id;
    const window = this.#tracked(stored, this.#tables.windows.byName(stored.id, name, at));
    if (window !== undefined) account.current = window.counters;
    return this.#keep(stored);
  }

  #tracked(stored: StoredAccount, read: StoredWindow | undefined): StoredWindow | undefined {
    if (read === undefined) return undefined;
    stored.windows.set(read.counters.span.id, read);
    this.#windows.set(read.id, read);
    return read;
  }
}
