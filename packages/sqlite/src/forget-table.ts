import { dayTally } from '@hardcap/core/sink';
import { prepare, type Query, type SqliteDatabase } from './driver.ts';

/** After how many operations rows are dropped, and the most of each table; more than were added. */
const OPERATIONS = 64;
const MOST_DROPPED = 256;

/** With the tally of a day without denials. */
const IS_REMEMBERED = `(a.floating > 0 OR a.blocked = 1 OR a.new_limit IS NOT NULL
  OR a.raised IS NOT NULL OR a.denials > ?)`;

/**
 * Drops in passing what nobody will ask for again: reservations and adjustments that ended long ago,
 * windows that are over and have nothing in the ledger, and accounts that have no other window.
 */
export class ForgetTable {
  readonly #rememberedMs: number;
  // Not 0, since processes that live for a few operations would never drop anything.
  #operations = Math.floor(Math.random() * OPERATIONS);
  readonly #dropReservations: Query<[at: number, most: number]>;
  readonly #dropAdjustments: Query<[at: number, most: number]>;
  readonly #windows: Query<
    [today: number, at: number, most: number],
    { readonly id: number; readonly account: number; readonly is_needed: number }
  >;
  readonly #postpone: Query<[forgetAt: number, id: number]>;
  readonly #dropSlots: Query<[window: number]>;
  readonly #dropWindow: Query<[id: number]>;
  readonly #dropAccount: Query<[id: number, today: number, again: number]>;

  constructor(database: SqliteDatabase, rememberedMs: number) {
    this.#rememberedMs = rememberedMs;
    this.#dropReservations = prepare(
      database,
      `DELETE FROM reservations WHERE number IN (
         SELECT number FROM reservations WHERE resolution IS NOT NULL AND due_at <= ?
         ORDER BY due_at LIMIT ?)`,
    );
    this.#dropAdjustments = prepare(
      database,
      `DELETE FROM adjustments WHERE id IN (
         SELECT id FROM adjustments WHERE forget_at <= ? ORDER BY forget_at LIMIT ?)`,
    );
    // The last window of an account stays for as long as there is something to remember of that.
    this.#windows = prepare(
      database,
      `SELECT w.id, w.account,
         w.held > 0 OR (w.ends_at IS NULL AND w.top_up > 0)
           OR (${IS_REMEMBERED} AND NOT EXISTS (
             SELECT 1 FROM windows AS o WHERE o.account = w.account AND o.id <> w.id
           )) AS is_needed
       FROM windows AS w JOIN accounts AS a ON a.id = w.account
       WHERE w.entries = 0 AND w.forget_at <= ? ORDER BY w.forget_at LIMIT ?`,
    );
    this.#postpone = prepare(database, 'UPDATE windows SET forget_at = ? WHERE id = ?');
    this.#dropSlots = prepare(database, 'DELETE FROM slots WHERE window = ?');
    this.#dropWindow = prepare(database, 'DELETE FROM windows WHERE id = ?');
    this.#dropAccount = prepare(
      database,
      `DELETE FROM accounts AS a WHERE id = ? AND NOT ${IS_REMEMBERED}
         AND NOT EXISTS (SELECT 1 FROM windows WHERE account = ?)`,
    );
  }

  /** Whether rows should be dropped, after so many more operations. */
  isTime(operations: number): boolean {
    this.#operations += operations;
    if (this.#operations < OPERATIONS) return false;
    this.#operations = 0;
    return true;
  }

  /** @param isInUse says which windows and accounts the transaction looked at, and may write. */
  forget(at: number, isInUse: (window: number, account: number) => boolean): void {
    this.#dropReservations.run(at, MOST_DROPPED);
    this.#dropAdjustments.run(at, MOST_DROPPED);
    const today = dayTally(at);
    for (const { id, account, is_needed } of this.#windows.all(today, at, MOST_DROPPED)) {
      if (is_needed === 1 || isInUse(id, account)) {
        this.#postpone.run(at + this.#rememberedMs, id);
        continue;
      }
      this.#dropSlots.run(id);
      this.#dropWindow.run(id);
      this.#dropAccount.run(account, today, account);
    }
  }
}
