import { type EntryReply, namesIn, readEntry } from './entry-text.ts';
import { type AdjustmentEntry, SetByHand } from './set-by-hand.ts';

/** Amounts by start of rolling slot; in other windows the only slot is `null`. */
export type SlotSums = ReadonlyMap<number | null, number>;

/** What is known of an account by its entries alone. */
export interface LedgerAccount {
  /** Budget and unit, as the scripts know them. */
  readonly names: string;
  /** All windows that were charged, the one that was charged last at the end. */
  readonly windows: Set<string>;
  /** When it was last charged something, in ms since the epoch. */
  chargedAt: number;
  /** Whether it was ever reset. */
  isReset: boolean;
  readonly byHand: SetByHand;
}

/**
 * How many entries there were when windows began that had been forgotten before, by account and window:
 * what those entries charged does not count.
 */
export class WindowBirths {
  /** How many entries there were before the books: what those had forgotten is not known. */
  books = 0;
  readonly #births: Map<string, number> = new Map();

  of(account: string, window: string): number {
    return this.#births.get(nameOf(account, window)) ?? 0;
  }

  /** Whether an entry charged a window that was forgotten since, by its place in the ledger. */
  isBefore(place: number, account: string, window: string): boolean {
    return place > this.books && place <= this.of(account, window);
  }

  set(account: string, window: string, entries: number): void {
    this.#births.set(nameOf(account, window), entries);
  }
}

/** What the entries of a ledger add up to, by account and window. */
export class LedgerSums {
  /** Id of the last entry that was added. */
  last = '0-0';
  /** How many entries are of another part of a call than the first, where ids say that. */
  laterParts = 0;
  readonly accounts: Map<string, LedgerAccount> = new Map();
  readonly #births: WindowBirths;
  readonly #windows: Map<string, Map<number | null, number>> = new Map();
  readonly #idleMs: number;
  /** By window what was charged since its account may last have been forgotten. */
  readonly #lives: Map<string, number> = new Map();

  /** @param idleMs after which an account that nobody charges may be forgotten */
  constructor(births: WindowBirths, idleMs: number) {
    this.#births = births;
    this.#idleMs = idleMs;
  }

  add(entries: readonly EntryReply[]): void {
    for (const reply of entries) {
      const entry = readEntry(reply);
      const { id, at, charges } = entry;
      const place = Number(reply[0].split('-')[1]);
      if (!id.startsWith('1')) this.laterParts += 1;
      for (const { account, budget, unit, window, slot, amount } of charges) {
        const known = this.#account(account, `${JSON.stringify(budget)},${JSON.stringify(unit)}`);
        known.windows.delete(window);
        known.windows.add(window);
        const name = nameOf(account, window);
        const isIdle = at - known.chargedAt >= this.#idleMs;
        const life = isIdle ? 0 : Math.max(0, this.#lives.get(name) ?? 0);
        this.#lives.set(name, life + amount);
        if (amount !== 0) known.chargedAt = at;
        if (this.#births.isBefore(place, account, window)) continue;
        const slots = this.#windows.get(name) ?? new Map<number | null, number>();
        this.#windows.set(name, slots.set(slot, (slots.get(slot) ?? 0) + amount));
      }
      if (entry.kind === 'adjustment') this.#addByHand(entry, reply);
      this.last = reply[0];
    }
  }

  /** Whether a window has spend that no forgetting in between explains. */
  isSpent(account: string, window: string): boolean {
    return (this.#lives.get(nameOf(account, window)) ?? 0) > 0;
  }

  #account(key: string, names: string): LedgerAccount {
    const known = this.accounts.get(key);
    if (known !== undefined) return known;
    const blank = { windows: new Set<string>(), byHand: new SetByHand() };
    const made = { names, chargedAt: 0, isReset: false, ...blank };
    this.accounts.set(key, made);
    return made;
  }

  #addByHand(entry: AdjustmentEntry, reply: EntryReply): void {
    if (entry.change.type === 'reset') this.#account(entry.account, namesIn(reply)).isReset = true;
    if (!SetByHand.isOf(entry)) return;
    this.#account(entry.account, namesIn(reply)).byHand.add(entry);
  }

  /**
   * Of a window, in the slots that have not left it.
   *
   * @param folded what dropped entries add up to, slot and amount in turn
   */
  of(
    account: string,
    window: string,
    startsAt: number | null,
    folded: readonly (number | null)[],
  ): SlotSums {
    const slots = new Map(this.#windows.get(nameOf(account, window)));
    for (let place = 0; place < folded.length; place += 2) {
      const slot = folded[place] ?? null;
      slots.set(slot, (slots.get(slot) ?? 0) + (folded[place + 1] ?? 0));
    }
    for (const slot of slots.keys()) {
      if (slot !== null && slot < (startsAt ?? slot)) slots.delete(slot);
    }
    return slots;
  }
}

/** The latest of windows that were charged in this order; empty where there is none. */
export function latestOf(windows: readonly string[]): string {
  return windows.reduce((latest, window) => (isLater(window, latest) ? window : latest), '');
}

export function totalOf(slots: SlotSums): number {
  return [...slots.values()].reduce((sum, amount) => sum + amount, 0);
}

/**
 * Whether a window that was charged after another one is not before it: a call that settles late is
 * charged to a window that is over. Names of windows of one kind are in the order of their starts.
 */
function isLater(window: string, before: string): boolean {
  return kindOf(window) !== kindOf(before) || window >= before;
}

function kindOf(window: string): string {
  return window.split(':', 1)[0] ?? '';
}

function nameOf(account: string, window: string): string {
  return JSON.stringify([account, window]);
}
