import type { MemoryCharge } from './memory-charge.ts';
import type { SinkEntry } from './sink-entry.ts';

type MemoryEntry = SinkEntry & { readonly charges: readonly MemoryCharge[] };

/**
 * The ledger of the memory sink. It keeps the latest entries; amounts of older ones live on as sums
 * with the counters of their windows, so that these can still be proved.
 */
export class MemoryLedger {
  readonly #capacity: number;
  readonly #most: number;
  #entries: MemoryEntry[] = [];
  #folded = 0;

  /** @param capacity keeps at least so many entries, and at most a quarter more. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#most = Math.ceil(capacity * 1.25);
  }

  /** All entries ever written. */
  get size(): number {
    return this.#folded + this.#entries.length;
  }

  append(entry: MemoryEntry): void {
    this.#entries.push(entry);
    // Folding in bulk keeps the cost of a full ledger away from the single call.
    if (this.#entries.length > this.#most) this.#fold();
  }

  /** Those that are kept; a copy, since entries may be added and folded while somebody reads. */
  kept(): SinkEntry[] {
    return [...this.#entries];
  }

  #fold(): void {
    const kept = this.#entries.splice(this.#entries.length - this.#capacity);
    for (const { charges } of this.#entries) for (const charge of charges) charge.fold();
    this.#folded += this.#entries.length;
    this.#entries = kept;
  }
}
