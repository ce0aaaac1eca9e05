import { asDouble, prepare, type Query, type SqliteDatabase } from './driver.ts';

export interface PrunableEntry {
  readonly sequence: number;
  readonly at: number;
  /** Of an adjustment. */
  readonly rule: number | null;
}

export interface PrunableCharge {
  readonly entry: number;
  readonly window: number;
  readonly slot: number | null;
  readonly amount: number;
  /** Of the window. */
  readonly rule: number;
  readonly ends_at: number | null;
}

/** What pruning reads and writes. */
export class PruneTable {
  readonly #entries: Query<[after: number, last: number, most: number], PrunableEntry>;
  readonly #charges: Query<[first: number, last: number], PrunableCharge>;
  readonly #dropEntry: Query<[sequence: number]>;
  readonly #dropCharges: Query<[entry: number]>;
  readonly #fold: Query<[amount: number, window: number]>;
  readonly #count: Query<[]>;

  constructor(database: SqliteDatabase) {
    this.#entries = prepare(
      database,
      `SELECT sequence, at, rule FROM entries WHERE sequence > ? AND sequence <= ?
       ORDER BY sequence LIMIT ?`,
    );
    this.#charges = prepare(
      database,
      `SELECT c.entry, c.window, c.slot, ${asDouble('c.amount', 'amount')}, w.rule, w.ends_at
       FROM charges AS c JOIN windows AS w ON w.id = c.window WHERE c.entry BETWEEN ? AND ?`,
    );
    this.#dropEntry = prepare(database, 'DELETE FROM entries WHERE sequence = ?');
    this.#dropCharges = prepare(database, 'DELETE FROM charges WHERE entry = ?');
    this.#fold = prepare(
      database,
      'UPDATE windows SET folded = folded + ?, entries = entries - 1 WHERE id = ?',
    );
    this.#count = prepare(database, 'UPDATE store SET prunes = prunes + 1');
  }

  /** The next entries up to a place, in order. */
  entries(after: number, last: number, most: number): PrunableEntry[] {
    return this.#entries.all(after, last, most);
  }

  charges(first: number, last: number): PrunableCharge[] {
    return this.#charges.all(first, last);
  }

  /** Drops an entry; what it charged lives on as a sum with its windows, unless its slot has left. */
  drop(sequence: number, charges: readonly PrunableCharge[]): void {
    for (const { window, slot, amount } of charges)
      this.#fold.run(slot === null ? amount : 0, window);
    this.#dropCharges.run(sequence);
    this.#dropEntry.run(sequence);
  }

  /** Notes that entries were dropped, for whoever is adding them up. */
  count(): void {
    this.#count.run();
  }
}
