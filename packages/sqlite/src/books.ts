import type { Charge, SinkNotice } from '@hardcap/core';
import { ChargeReport, expireHold } from '@hardcap/core/sink';
import type { BookedCharge, NewEntry } from './ledger-table.ts';
import { MissingRowError } from './missing-row-error.ts';
import { OpenAccounts } from './open-accounts.ts';
import type { StoredReservation } from './reservation-table.ts';
import type { StoreRow } from './store-table.ts';
import { decodeHolds, encodeHolds, type StoredHold } from './stored-hold.ts';
import type { Tables } from './tables.ts';

/** How many expired holds one call sweeps in passing. */
const SWEEP_LIMIT = 64;
/** For so long an expiry is put off that cannot be charged. */
const POSTPONED_MS = 60_000;
const NO_NOTICES: readonly SinkNotice[] = Object.freeze([]);

/** Does a piece of work on one state of the store. */
export type Do = <Answer>(work: (books: Books) => Answer) => Promise<Answer>;

/** The store as one transaction sees it. It may carry out several operations, one after the other. */
export class Books {
  readonly tables: Tables;
  accounts: OpenAccounts;
  /** The sink's time of the operation. */
  at: number;
  readonly #clock: () => number;
  readonly #storedClock: number | null;
  // Of what an operation without notices, or one that failed, came upon: the next answer tells it.
  #untold: readonly SinkNotice[] = NO_NOTICES;
  #hasStoredNotices: boolean;
  #nextDue: number;
  #operations = 0;

  /** @param clock of this process, in ms since the epoch. */
  constructor(tables: Tables, row: StoreRow, clock: () => number) {
    this.tables = tables;
    this.accounts = new OpenAccounts(tables);
    this.#clock = clock;
    this.#storedClock = row.clock;
    this.at = Math.max(clock(), this.#storedClock ?? Number.NEGATIVE_INFINITY);
    this.#hasStoredNotices = row.has_notices === 1;
    this.#nextDue = tables.reservations.nextDue();
  }

  /** Whether holds have run out that nobody has charged yet. */
  get isDue(): boolean {
    return this.#nextDue <= this.at;
  }

  /** Begins an operation: takes the time, and charges a bounded number of holds that ran out. */
  enter(): void {
    this.#operations += 1;
    this.at = Math.max(this.#clock(), this.at);
    if (!this.isDue) return;
    const report = new ChargeReport(this.#untold);
    for (const due of this.tables.reservations.due(this.at, SWEEP_LIMIT)) {
      const holds = this.#holdsThere(due);
      if (holds !== null) this.#expire(due, holds, report);
      // It waits for a rebuild.
      else this.tables.reservations.postpone(due.number, this.at + POSTPONED_MS);
    }
    this.#untold = report.notices;
    this.#nextDue = this.tables.reservations.nextDue();
  }

  /** What the answer of the operation has to tell. */
  tell(): readonly SinkNotice[] {
    const stored = this.#hasStoredNotices ? this.tables.store.takeNotices() : NO_NOTICES;
    const notices = stored.length > 0 ? [...stored, ...this.#untold] : this.#untold;
    this.#hasStoredNotices = false;
    this.#untold = NO_NOTICES;
    return notices;
  }

  /** Notices holds, which may be the first to expire, and whose accounts are needed until then. */
  expects(holds: readonly StoredHold[], expiresAt: number): void {
    if (expiresAt < this.#nextDue) this.#nextDue = expiresAt;
    for (const { stored, account, counters } of holds) {
      this.accounts.keep(stored, counters ?? account.current, expiresAt, this.at);
    }
  }

  holdsOf({ holds }: StoredReservation): StoredHold[] {
    return decodeHolds(holds, this.accounts, this.tables.rules, this.at);
  }

  encoded(holds: readonly StoredHold[]): string {
    return encodeHolds(holds, this.accounts, this.tables.rules, this.at);
  }

  /** A charge that ended a hold, with the window that pays it. */
  booked({ stored, rule, counters, expired }: StoredHold, charge: Charge): BookedCharge {
    const paying = expired?.counters ?? counters ?? stored.account.current;
    const window = this.accounts.windowOf(stored, paying, this.at);
    return { charge, window, rule: this.tables.rules.idOf(rule) };
  }

  append(entry: NewEntry): void {
    this.tables.ledger.append(entry);
  }

  /** Makes the tables say what the operations before did, for one that works on them directly. */
  flush(): void {
    this.accounts.save(this.at);
    this.accounts = new OpenAccounts(this.tables);
  }

  /** Writes what has changed, before the transaction commits. */
  finish(): void {
    const { store, forgotten } = this.tables;
    this.accounts.save(this.at);
    // A hold that ran out, and was not charged yet, still needs its windows.
    if (!this.isDue && forgotten.isTime(this.#operations)) {
      forgotten.forget(this.at, (window, account) => this.accounts.isInUse(window, account));
    }
    store.addNotices(this.#untold);
    if (this.#storedClock === null || this.at > this.#storedClock) store.setClock(this.at);
  }

  /** Null where a row is gone that they need. */
  #holdsThere(reservation: StoredReservation): StoredHold[] | null {
    try {
      return this.holdsOf(reservation);
    } catch (error) {
      if (error instanceof MissingRowError) return null;
      throw error;
    }
  }

  #expire(
    reservation: StoredReservation,
    holds: readonly StoredHold[],
    report: ChargeReport,
  ): void {
    const { accounts, at } = this;
    const { number, id, due_at: expiresAt, details } = reservation;
    const charges = holds.map((hold) => {
      const { stored, account } = hold;
      accounts.turn(stored, account.rule, at);
      accounts.recall(stored, account.rule, expiresAt, at);
      return this.booked(hold, expireHold(hold, expiresAt, at, report));
    });
    this.tables.reservations.resolve(number, 'expired', at, this.encoded(holds));
    this.append({ kind: 'expiry', at, subject: id, charges, details: details ?? '{}' });
    const charged = charges.map(({ charge }) => charge);
    report.notice({ type: 'reservation-expired', id, charged, at });
  }
}
