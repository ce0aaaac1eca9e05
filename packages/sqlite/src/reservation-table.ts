import type { Resolution } from '@hardcap/core';
import { prepare, type Query, type SqliteDatabase } from './driver.ts';

/** Holds on the accounts of one call, as they are stored. */
export interface StoredReservation {
  readonly number: number;
  readonly id: string;
  /** Null while it is open. */
  readonly resolution: Resolution | null;
  /** When it expires; once it has ended, when it is forgotten. */
  readonly due_at: number;
  readonly holds: string | null;
  readonly details: string | null;
}

const COLUMNS = 'number, id, resolution, due_at, holds, details';

export class ReservationTable {
  readonly #rememberedMs: number;
  readonly #byId: Query<[id: string], StoredReservation>;
  readonly #insert: Query<[id: string, dueAt: number, holds: string, details: string | null]>;
  readonly #renew: Query<[dueAt: number, holds: string, number: number]>;
  readonly #postpone: Query<[dueAt: number, number: number]>;
  readonly #resolve: Query<[Resolution, dueAt: number, holds: string | null, number: number]>;
  readonly #next: Query<[], { readonly due_at: number }>;
  readonly #due: Query<[at: number, most: number], StoredReservation>;

  constructor(database: SqliteDatabase, rememberedMs: number) {
    this.#rememberedMs = rememberedMs;
    this.#byId = prepare(database, `SELECT ${COLUMNS} FROM reservations WHERE id = ?`);
    this.#insert = prepare(
      database,
      'INSERT INTO reservations (id, due_at, holds, details) VALUES (?, ?, ?, ?)',
    );
    this.#renew = prepare(
      database,
      'UPDATE reservations SET due_at = ?, holds = ? WHERE number = ?',
    );
    this.#postpone = prepare(database, 'UPDATE reservations SET due_at = ? WHERE number = ?');
    this.#resolve = prepare(
      database,
      `UPDATE reservations SET resolution = ?, due_at = ?, holds = ?, details = NULL
       WHERE number = ?`,
    );
    this.#next = prepare(
      database,
      'SELECT due_at FROM reservations WHERE resolution IS NULL ORDER BY due_at LIMIT 1',
    );
    this.#due = prepare(
      database,
      `SELECT ${COLUMNS} FROM reservations WHERE resolution IS NULL AND due_at <= ?
       ORDER BY due_at LIMIT ?`,
    );
  }

  /** Open or ended; undefined when it was never made, or has ended and is forgotten. */
  find(id: string): StoredReservation | undefined {
    return this.#byId.get(id);
  }

  add(id: string, expiresAt: number, holds: string, details: string | null): void {
    this.#insert.run(id, expiresAt, holds, details);
  }

  renew(number: number, expiresAt: number, holds: string): void {
    this.#renew.run(expiresAt, holds, number);
  }

  postpone(number: number, dueAt: number): void {
    this.#postpone.run(dueAt, number);
  }

  /** @param holds for a late settlement; null when none can come. */
  resolve(number: number, resolution: Resolution, at: number, holds: string | null): void {
    this.#resolve.run(resolution, at + this.#rememberedMs, holds, number);
  }

  /** When the next one expires; infinite when none is open. */
  nextDue(): number {
    return this.#next.get()?.due_at ?? Number.POSITIVE_INFINITY;
  }

  due(at: number, most: number): StoredReservation[] {
    return this.#due.all(at, most);
  }
}
