import { asDouble, prepare, type Query, type SqliteDatabase } from './driver.ts';
import type { ChargedWindow } from './ledger-sums.ts';
import type { RuleTable } from './rule-table.ts';

/** A window of which charges or open holds are left, and no row. */
export interface LostWindow {
  readonly id: number;
  readonly account: number;
  /** Of the account. */
  readonly key: string;
  readonly rule: number;
  /** When it was first charged, or would be. */
  readonly at: number;
}

/** An open reservation's hold on such a window. */
export interface LostHold extends LostWindow {
  readonly amount: number;
}

type Row = [
  /** Null for the next one. */
  id: number | null,
  account: number,
  name: string,
  rule: number,
  startsAt: number | null,
  endsAt: number | null,
  charges: number,
  forgetAt: number | null,
];

/** Finds rows of windows that were deleted, and makes them anew. Nobody else deletes what is needed. */
export class LostWindowTable {
  readonly #rules: RuleTable;
  readonly #rememberedMs: number;
  readonly #exists: Query<[id: number, account: number], { readonly id: number }>;
  readonly #isTaken: Query<[id: number], { readonly id: number }>;
  readonly #charged: Query<[id: number, account: number], LostWindow>;
  readonly #held: Query<[at: number], LostHold>;
  readonly #count: Query<[id: number, account: number], { readonly count: number }>;
  readonly #named: Query<[account: number, name: string], { readonly id: number }>;
  readonly #insert: Query<Row>;
  readonly #moveCharges: Query<[to: number, from: number, account: number]>;
  readonly #moveCount: Query<[count: number, id: number]>;
  readonly #reservations: Query<[], { readonly number: number; readonly holds: string }>;
  readonly #setHolds: Query<[holds: string, number: number]>;

  constructor(database: SqliteDatabase, rules: RuleTable, rememberedMs: number) {
    this.#rules = rules;
    this.#rememberedMs = rememberedMs;
    this.#exists = prepare(database, 'SELECT id FROM windows WHERE id = ? AND account = ?');
    this.#isTaken = prepare(database, 'SELECT id FROM windows WHERE id = ?');
    this.#charged = prepare(
      database,
      `SELECT c.window AS id, c.account, a.key, c.rule, e.at FROM charges AS c
         JOIN entries AS e ON e.sequence = c.entry JOIN accounts AS a ON a.id = c.account
       WHERE c.window = ? AND c.account = ? ORDER BY c.entry LIMIT 1`,
    );
    this.#held = prepare(
      database,
      `SELECT json_extract(hold.value, '$[1]') AS id, a.id AS account, a.key,
         json_extract(hold.value, '$[5]') AS rule, ? AS at,
         ${asDouble("sum(json_extract(hold.value, '$[4]'))", 'amount')}
       FROM reservations AS r, json_each(r.holds) AS hold
         JOIN accounts AS a ON a.id = json_extract(hold.value, '$[0]')
       WHERE r.resolution IS NULL AND json_extract(hold.value, '$[1]') IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM windows AS w
           WHERE w.id = json_extract(hold.value, '$[1]') AND w.account = a.id)
       GROUP BY 1, 2`,
    );
    this.#count = prepare(
      database,
      'SELECT count(*) AS count FROM charges WHERE window = ? AND account = ?',
    );
    this.#named = prepare(database, 'SELECT id FROM windows WHERE account = ? AND name = ?');
    this.#insert = prepare(
      database,
      `INSERT INTO windows (id, account, name, rule, starts_at, ends_at, is_whole, committed, held,
         top_up, resets, used, folded, entries, forget_at)
       VALUES (?, ?, ?, ?, ?, ?, 1, 0, 0, 0, 0, 1, 0, ?, ?)`,
    );
    this.#moveCharges = prepare(
      database,
      'UPDATE charges SET window = ? WHERE window = ? AND account = ?',
    );
    this.#moveCount = prepare(database, 'UPDATE windows SET entries = entries + ? WHERE id = ?');
    this.#reservations = prepare(
      database,
      'SELECT number, holds FROM reservations WHERE holds IS NOT NULL',
    );
    this.#setHolds = prepare(database, 'UPDATE reservations SET holds = ? WHERE number = ?');
  }

  /** The window of charges, where it has no row. */
  charged({ id, account }: ChargedWindow): LostWindow | undefined {
    const isThere = this.#exists.get(id, account) !== undefined;
    return isThere ? undefined : this.#charged.get(id, account);
  }

  /** @param at when they are taken to be held. */
  held(at: number): LostHold[] {
    return this.#held.all(at);
  }

  nameOf({ rule, at }: LostWindow): string {
    return this.#rules.get(rule).window.at(at).id;
  }

  /** Makes the row, or gives what it had to the one that was made since. Says which that is. */
  restore({ id, account, rule, at }: LostWindow, now: number): number {
    const span = this.#rules.get(rule).window.at(at);
    const since = this.#named.get(account, span.id)?.id;
    const count = this.#count.get(id, account)?.count ?? 0;
    if (since !== undefined) {
      this.#moveCount.run(count, since);
      return this.#move(id, since, account);
    }
    const { endsAt, startsAt } = span;
    const forgetAt = endsAt === null ? null : Math.max(endsAt, now) + this.#rememberedMs + 1;
    const own = this.#isTaken.get(id) === undefined ? id : null;
    const row: Row = [own, account, span.id, rule, startsAt, endsAt, count, forgetAt];
    return this.#move(id, Number(this.#insert.run(...row).lastInsertRowid), account);
  }

  #move(from: number, to: number, account: number): number {
    if (from === to) return to;
    this.#moveCharges.run(to, from, account);
    for (const { number, holds } of this.#reservations.all()) {
      const moved = withWindow(holds, account, [from, to]);
      if (moved !== holds) this.#setHolds.run(moved, number);
    }
    return to;
  }
}

/** Holds, as `encodeHolds` writes them, on another window. */
function withWindow(
  holds: string,
  account: number,
  [from, to]: readonly [from: number, to: number],
): string {
  const texts: unknown[][] = JSON.parse(holds);
  for (const text of texts) {
    if (text[0] !== account) continue;
    if (text[1] === from) text[1] = to;
    const expired = text[6] as unknown[] | undefined;
    if (expired?.[1] === from) expired[1] = to;
  }
  return JSON.stringify(texts);
}
