import type { Adjustment, Charge, Outcome, Overshoot } from '@hardcap/core';
import { prepare, type Query, type SqliteDatabase, type SqliteValue } from './driver.ts';
import type { StoredWindow } from './window-table.ts';

/** A charge, the window that pays it, and the rule it was held under. */
export interface BookedCharge {
  readonly charge: Charge;
  readonly window: StoredWindow;
  readonly rule: number;
}

interface EntryBase {
  readonly at: number;
  /** Id of the reservation or adjustment. */
  readonly subject: string;
  readonly charges: readonly BookedCharge[];
  /** JSON. */
  readonly details: string;
}

export type NewEntry = EntryBase &
  (
    | {
        readonly kind: 'settlement' | 'correction';
        readonly outcome: Outcome;
        readonly overshoot: readonly Overshoot[];
      }
    | { readonly kind: 'expiry' }
    | {
        readonly kind: 'adjustment';
        readonly account: number;
        readonly rule: number;
        readonly change: Adjustment;
      }
  );

type EntryValues = [
  at: number,
  kind: string,
  subject: string,
  outcome: string | null,
  overshoot: string | null,
  account: number | null,
  rule: number | null,
  change: string | null,
  details: string,
];

/** Writes the ledger. */
export class LedgerTable {
  readonly #insert: Query<EntryValues>;
  readonly #charge: Query<SqliteValue[]>;

  constructor(database: SqliteDatabase) {
    this.#insert = prepare(
      database,
      `INSERT INTO entries (at, kind, subject, outcome, overshoot, account, rule, change, details)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#charge = prepare(
      database,
      `INSERT INTO charges (entry, place, account, window, rule, slot, amount, held)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  append(entry: NewEntry): void {
    const { lastInsertRowid } = this.#insert.run(...valuesOf(entry));
    const sequence = Number(lastInsertRowid);
    for (const [place, { charge, window, rule }] of entry.charges.entries()) {
      const { slot, amount, held } = charge;
      this.#charge.run(sequence, place, window.account, window.id, rule, slot, amount, held);
      window.entries += 1;
    }
  }
}

function valuesOf(entry: NewEntry): EntryValues {
  const { at, kind, subject, details } = entry;
  if (entry.kind === 'expiry') return [at, kind, subject, null, null, null, null, null, details];
  if (entry.kind === 'adjustment') {
    const change = JSON.stringify(entry.change);
    return [at, kind, subject, null, null, entry.account, entry.rule, change, details];
  }
  const overshoot = entry.overshoot.length === 0 ? null : JSON.stringify(entry.overshoot);
  return [at, kind, subject, entry.outcome, overshoot, null, null, null, details];
}
