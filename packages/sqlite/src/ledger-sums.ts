import type { Books } from './books.ts';

/** Amounts by start of rolling slot; in other windows the only slot is `null`. */
type SlotSums = Map<number | null, number>;

const NO_SUMS: ReadonlyMap<number | null, number> = new Map();

/** A window as entries name it: a row that was deleted may have left its number to another one. */
export interface ChargedWindow {
  readonly id: number;
  readonly account: number;
}

/** What the ledger adds up to by window, from its beginning to some place. */
export class LedgerSums {
  readonly #windows: Map<number, Map<number, SlotSums>> = new Map();
  /** How often the ledger had been pruned: sums of what is dropped meanwhile are of no use. */
  readonly #prunes: number;
  #place = 0;

  constructor({ tables }: Books) {
    this.#prunes = tables.proof.prunes();
  }

  isStale({ tables }: Books): boolean {
    return tables.proof.prunes() !== this.#prunes;
  }

  /** Adds the next entries, at most so many. True when that was all there are. */
  advance({ tables }: Books, most: number): boolean {
    const last = tables.reader.last();
    const upTo = Math.min(last, this.#place + most);
    for (const { window, account, slot, amount } of tables.proof.charges(this.#place, upTo)) {
      const sums = this.#sumsOf({ id: window, account });
      sums.set(slot, (sums.get(slot) ?? 0) + amount);
    }
    this.#place = upTo;
    return upTo === last;
  }

  /** Windows that were charged. */
  windows(): ChargedWindow[] {
    return [...this.#windows].flatMap(([id, sums]) => {
      return [...sums.keys()].map((account) => ({ id, account }));
    });
  }

  /** Gives what was charged to a window to another one of its account. */
  move(from: ChargedWindow, to: number): void {
    if (from.id === to) return;
    const sums = this.#sumsOf({ id: to, account: from.account });
    for (const [slot, amount] of this.of(from)) sums.set(slot, (sums.get(slot) ?? 0) + amount);
    this.#windows.get(from.id)?.delete(from.account);
  }

  of({ id, account }: ChargedWindow): ReadonlyMap<number | null, number> {
    return this.#windows.get(id)?.get(account) ?? NO_SUMS;
  }

  #sumsOf({ id, account }: ChargedWindow): SlotSums {
    const accounts = this.#windows.get(id) ?? new Map<number, SlotSums>();
    this.#windows.set(id, accounts);
    const sums: SlotSums = accounts.get(account) ?? new Map();
    accounts.set(account, sums);
    return sums;
  }
}
