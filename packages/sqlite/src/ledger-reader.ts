import type { Charge, EntryQuery, SinkEntry } from '@hardcap/core';
import { asDouble, prepare, type Query, type SqliteDatabase } from './driver.ts';
import type { RuleTable } from './rule-table.ts';

interface EntryRow {
  readonly sequence: number;
  readonly at: number;
  readonly kind: SinkEntry['kind'];
  readonly subject: string;
  readonly outcome: string | null;
  readonly overshoot: string | null;
  readonly account: string | null;
  readonly rule: number | null;
  readonly change: string | null;
  readonly details: string;
}

interface ChargeRow {
  readonly entry: number;
  readonly account: string;
  readonly window: string;
  readonly rule: number;
  readonly slot: number | null;
  readonly amount: number;
  readonly held: number;
}

type Sequence = { readonly sequence: number | null };

export interface LedgerPage {
  readonly entries: readonly SinkEntry[];
  /** The place after which the next page begins; null when there is none. */
  readonly next: number | null;
}

/** How many entries are in memory at a time. */
const PAGE = 256;

const ENTRY = `SELECT e.sequence, e.at, e.kind, e.subject, e.outcome, e.overshoot,
  a.key AS account, e.rule, e.change, e.details
  FROM entries AS e LEFT JOIN accounts AS a ON a.id = e.account`;

/** Reads the ledger page by page. */
export class LedgerReader {
  readonly #rules: RuleTable;
  readonly #last: Query<[], Sequence>;
  readonly #first: Query<[from: number], Sequence>;
  readonly #entries: Query<[after: number, last: number, most: number], EntryRow>;
  readonly #ofAccount: Query<
    [key: string, number, number, number, key: string, number, number, number, most: number],
    EntryRow
  >;
  readonly #charges: Query<[first: number, last: number], ChargeRow>;

  constructor(database: SqliteDatabase, rules: RuleTable) {
    this.#rules = rules;
    this.#last = prepare(database, 'SELECT max(sequence) AS sequence FROM entries');
    this.#first = prepare(
      database,
      'SELECT sequence FROM entries WHERE at >= ? ORDER BY at, sequence LIMIT 1',
    );
    this.#entries = prepare(
      database,
      `${ENTRY} WHERE e.sequence > ? AND e.sequence <= ? ORDER BY e.sequence LIMIT ?`,
    );
    // Charges and adjustments are in one order, so the first of each are the first of both.
    this.#ofAccount = prepare(
      database,
      `${ENTRY} WHERE e.sequence IN (
         SELECT entry FROM (
           SELECT DISTINCT entry FROM charges
           WHERE account = (SELECT id FROM accounts WHERE key = ?) AND entry > ? AND entry <= ?
           ORDER BY entry LIMIT ?)
         UNION
         SELECT sequence FROM (
           SELECT sequence FROM entries
           WHERE account = (SELECT id FROM accounts WHERE key = ?)
             AND sequence > ? AND sequence <= ?
           ORDER BY sequence LIMIT ?)
       ) ORDER BY e.sequence LIMIT ?`,
    );
    this.#charges = prepare(
      database,
      `SELECT c.entry, a.key AS account, w.name AS window, c.rule, c.slot,
         ${asDouble('c.amount', 'amount')}, c.held
       FROM charges AS c
         JOIN accounts AS a ON a.id = c.account
         JOIN windows AS w ON w.id = c.window
       WHERE c.entry BETWEEN ? AND ? ORDER BY c.entry, c.place`,
    );
  }

  /** The place of the last entry, which is also how many were ever written; 0 when there is none. */
  last(): number {
    return this.#last.get()?.sequence ?? 0;
  }

  /** The place before the first entry of a time, or of a later one. */
  before(from: number): number {
    const first = this.#first.get(from)?.sequence;
    return first == null ? this.last() : first - 1;
  }

  /** The next entries up to a place; all of them, or those of the account of the query. */
  page(after: number, last: number, { account }: EntryQuery): LedgerPage {
    const rows =
      account === undefined
        ? this.#entries.all(after, last, PAGE)
        : this.#ofAccount.all(account, after, last, PAGE, account, after, last, PAGE, PAGE);
    const [from, to] = [rows[0], rows.at(-1)];
    if (from === undefined || to === undefined) return { entries: [], next: null };
    const charges = this.#chargesOf(rows, account === undefined);
    const entries = rows.map((row) => this.#entry(row, charges.get(row.sequence) ?? []));
    return { entries, next: rows.length < PAGE ? null : to.sequence };
  }

  #chargesOf(rows: readonly EntryRow[], isDense: boolean): Map<number, Charge[]> {
    const places = rows.map(({ sequence }) => sequence);
    const [first = 0, last = 0] = [places[0], places.at(-1)];
    const found = isDense
      ? this.#charges.all(first, last)
      : places.flatMap((place) => this.#charges.all(place, place));
    const charges = new Map<number, Charge[]>();
    for (const { entry, rule, ...charge } of found) {
      const { budget, unit } = this.#rules.get(rule);
      const ofEntry = charges.get(entry);
      const made = { ...charge, budget, unit };
      if (ofEntry === undefined) charges.set(entry, [made]);
      else ofEntry.push(made);
    }
    return charges;
  }

  #entry(row: EntryRow, charges: readonly Charge[]): SinkEntry {
    const { kind, subject, at } = row;
    const base = { at, charges, details: JSON.parse(row.details) };
    if (kind === 'expiry') return { kind, id: `${subject}:expiry`, reservation: subject, ...base };
    if (kind === 'adjustment') {
      const { budget } = this.#rules.get(row.rule ?? 0);
      const change = JSON.parse(row.change ?? '');
      return { kind, id: subject, account: row.account ?? '', budget, change, ...base };
    }
    const id = kind === 'correction' ? `${subject}:late` : subject;
    const overshoot = row.overshoot === null ? [] : JSON.parse(row.overshoot);
    const outcome = row.outcome as 'known';
    return { kind, id, reservation: subject, outcome, overshoot, ...base };
  }
}
