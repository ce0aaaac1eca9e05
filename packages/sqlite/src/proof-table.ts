import { asDouble, prepare, type Query, type SqliteDatabase } from './driver.ts';

export interface CountedWindow {
  readonly id: number;
  readonly account: string;
  /** Id of the account. */
  readonly owner: number;
  readonly name: string;
  readonly rule: number;
  readonly committed: number;
  /** What entries charged that were pruned. */
  readonly folded: number;
}

/** A counter of open holds that is not what they add up to. */
export interface WrongHeld {
  /** Of the account. */
  readonly id: number;
  readonly account: string;
  readonly rule: number;
  /** Null, like its name, where the holds count in whichever is current. */
  readonly window: number | null;
  readonly name: string | null;
  /** What the counter says. */
  readonly counter: number;
  /** What the open reservations add up to. */
  readonly expected: number;
}

interface ChargeSum {
  readonly window: number;
  readonly account: number;
  readonly slot: number | null;
  readonly amount: number;
}

/** One row for each hold of an open reservation. */
const HOLDS = `SELECT json_extract(hold.value, '$[0]') AS account,
    json_extract(hold.value, '$[1]') AS window, json_extract(hold.value, '$[4]') AS amount
  FROM reservations AS r, json_each(r.holds) AS hold WHERE r.resolution IS NULL`;

/** What `verify` adds up, and `rebuild` writes. */
export class ProofTable {
  readonly #prunes: Query<[], { readonly prunes: number }>;
  readonly #accounts: Query<[], { readonly count: number }>;
  readonly #reservations: Query<[], { readonly count: number }>;
  readonly #charges: Query<[after: number, last: number], ChargeSum>;
  readonly #windows: Query<[after: number, at: number, most: number], CountedWindow>;
  readonly #slots: Query<[window: number], { readonly slot: number; readonly committed: number }>;
  readonly #held: Query<[], WrongHeld>;
  readonly #setCommitted: Query<[committed: number, window: number]>;
  readonly #dropSlots: Query<[window: number]>;
  readonly #addSlot: Query<[window: number, slot: number, committed: number]>;
  readonly #setHeld: Query<[held: number, window: number]>;
  readonly #setFloating: Query<[floating: number, account: number]>;

  constructor(database: SqliteDatabase) {
    this.#prunes = prepare(database, 'SELECT prunes FROM store');
    this.#accounts = prepare(database, 'SELECT count(*) AS count FROM accounts');
    this.#reservations = prepare(
      database,
      'SELECT count(*) AS count FROM reservations WHERE resolution IS NULL',
    );
    this.#charges = prepare(
      database,
      `SELECT window, account, slot, ${asDouble('sum(amount)', 'amount')} FROM charges
       WHERE entry > ? AND entry <= ? GROUP BY window, account, slot`,
    );
    this.#windows = prepare(
      database,
      `SELECT w.id, a.key AS account, a.id AS owner, w.name, w.rule,
         ${asDouble('w.committed', 'committed')}, ${asDouble('w.folded', 'folded')}
       FROM windows AS w JOIN accounts AS a ON a.id = w.account
       WHERE w.id > ? AND (w.forget_at IS NULL OR w.forget_at > ?) ORDER BY w.id LIMIT ?`,
    );
    this.#slots = prepare(
      database,
      `SELECT slot, ${asDouble('committed', 'committed')} FROM slots WHERE window = ?`,
    );
    // Only what differs comes out, however many there are.
    this.#held = prepare(
      database,
      `WITH
         holds AS (${HOLDS}),
         in_windows AS (SELECT window, account, sum(amount) AS amount FROM holds
           WHERE window IS NOT NULL GROUP BY window, account),
         floating AS (SELECT account, sum(amount) AS amount FROM holds
           WHERE window IS NULL GROUP BY account)
       SELECT a.id, a.key AS account, a.rule, w.id AS window, w.name, 
         ${asDouble('w.held', 'counter')}, ${asDouble('coalesce(h.amount, 0)', 'expected')}
       FROM windows AS w JOIN accounts AS a ON a.id = w.account
         LEFT JOIN in_windows AS h ON h.window = w.id AND h.account = w.account
       WHERE w.held <> coalesce(h.amount, 0)
       UNION ALL
       SELECT a.id, a.key, a.rule, NULL, NULL,
         ${asDouble('a.floating', 'counter')}, ${asDouble('coalesce(h.amount, 0)', 'expected')}
       FROM accounts AS a LEFT JOIN floating AS h ON h.account = a.id
       WHERE a.floating <> coalesce(h.amount, 0)`,
    );
    this.#setCommitted = prepare(database, 'UPDATE windows SET committed = ? WHERE id = ?');
    this.#dropSlots = prepare(database, 'DELETE FROM slots WHERE window = ?');
    this.#addSlot = prepare(
      database,
      'INSERT INTO slots (window, slot, committed) VALUES (?, ?, ?)',
    );
    this.#setHeld = prepare(database, 'UPDATE windows SET held = ? WHERE id = ?');
    this.#setFloating = prepare(database, 'UPDATE accounts SET floating = ? WHERE id = ?');
  }

  /** How often entries were pruned. */
  prunes(): number {
    return this.#prunes.get()?.prunes ?? 0;
  }

  counts(): { readonly accounts: number; readonly reservations: number } {
    const [accounts, reservations] = [this.#accounts.get(), this.#reservations.get()];
    return { accounts: accounts?.count ?? 0, reservations: reservations?.count ?? 0 };
  }

  /** What a stretch of the ledger adds up to, by window and slot. */
  charges(after: number, last: number): ChargeSum[] {
    return this.#charges.all(after, last);
  }

  /** The next windows that have not been over for long. */
  windows(after: number, at: number, most: number): CountedWindow[] {
    return this.#windows.all(after, at, most);
  }

  slots(window: number): { readonly slot: number; readonly committed: number }[] {
    return this.#slots.all(window);
  }

  wrongHeld(): WrongHeld[] {
    return this.#held.all();
  }

  setCommitted(window: number, committed: number): void {
    this.#setCommitted.run(committed, window);
  }

  setSlots(window: number, slots: ReadonlyMap<number, number>): void {
    this.#dropSlots.run(window);
    for (const [slot, committed] of slots) this.#addSlot.run(window, slot, committed);
  }

  setHeld({ id, window, expected }: WrongHeld): void {
    if (window === null) this.#setFloating.run(expected, id);
    else this.#setHeld.run(expected, window);
  }
}
