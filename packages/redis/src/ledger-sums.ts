import { type EntryReply, namesIn, readEntry } from './entry-text.ts';
import { type AdjustmentEntry, SetByHand } from './set-by-hand.ts';

/** Amounts by start of rolling slot; in other windows the only slot is `null`. */
export type SlotSums = ReadonlyMap<number | null, number>;

interface LatestWindow {
  readonly window: string;
  /** Budget and unit, as the scripts know them. */
  readonly names: string;
}

/** What the entries of a ledger add up to, by account and window. */
export class LedgerSums {
  /** Id of the last entry that was added. */
  last = '0-0';
  /** How many entries are of another part of a call than the first, where ids say that. */
  laterParts = 0;
  /** By account the latest window that was charged. */
  readonly latest: Map<string, LatestWindow> = new Map();
  /** By account what was set by hand. */
  readonly byHand: Map<string, SetByHand> = new Map();
  readonly #windows: Map<string, Map<number | null, number>> = new Map();

  add(entries: readonly EntryReply[]): void {
    for (const reply of entries) {
      const entry = readEntry(reply);
      const { id, charges } = entry;
      if (!id.startsWith('1')) this.laterParts += 1;
      for (const { account, budget, unit, window, slot, amount } of charges) {
        const name = nameOf(account, window);
        const slots = this.#windows.get(name) ?? new Map<number | null, number>();
        this.#windows.set(name, slots.set(slot, (slots.get(slot) ?? 0) + amount));
        const names = `${JSON.stringify(budget)},${JSON.stringify(unit)}`;
        const before = this.latest.get(account)?.window ?? '';
        if (isLater(window, before)) this.latest.set(account, { window, names });
      }
      if (entry.kind === 'adjustment') this.#addByHand(entry, reply);
      this.last = reply[0];
    }
  }

  #addByHand(entry: AdjustmentEntry, reply: EntryReply): void {
    if (!SetByHand.isOf(entry)) return;
    const { account } = entry;
    const byHand = this.byHand.get(account) ?? new SetByHand();
    byHand.add(entry);
    this.byHand.set(account, byHand);
    // Where nothing was ever charged, no window is known.
    if (!this.latest.has(account)) this.latest.set(account, { window: '', names: namesIn(reply) });
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
      if (slot !== null && startsAt !== null && slot < startsAt) slots.delete(slot);
    }
    return slots;
  }
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
