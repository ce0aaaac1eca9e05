import type { Books } from './books.ts';

/** Amounts by start of rolling slot; in other windows the only slot is `null`. */
type SlotSums = Map<number | null, number>;

const NO_SUMS: ReadonlyMap<number | null, number> = new Map();

/** What the ledger adds up to by window, from its beginning to some place. */
export class LedgerSums {
  readonly #windows: Map<number, SlotSums> = new Map();
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
    for (const { window, slot, amount } of tables.proof.charges(this.#place, upTo)) {
      const sums: SlotSums = this.#windows.get(window) ?? new Map();
      this.#windows.set(window, sums.set(slot, (sums.get(slot) ?? 0) + amount));
    }
    this.#place = upTo;
    return upTo === last;
  }

  /** Windows that were charged. */
  windows(): number[] {
    return [...this.#windows.keys()];
  }

  /** Gives what was charged to a window to another one. */
  move(from: number, to: number): void {
    const sums: SlotSums = this.#windows.get(to) ?? new Map();
    for (const [slot, amount] of from === to ? [] : this.of(from)) {
      sums.set(slot, (sums.get(slot) ?? 0) + amount);
    }
    this.#windows.set(to, sums);
  }

  of(window: number): ReadonlyMap<number | null, number> {
    return this.#windows.get(window) ?? NO_SUMS;
  }
}
