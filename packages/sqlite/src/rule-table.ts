import { type AccountRule, compileWindow } from '@hardcap/core';
import { prepare, type Query, type SqliteDatabase } from './driver.ts';

/** Terms kept in memory; there is one for each budget, and for each that a configuration changed. */
const MOST_CACHED = 10_000;

/** Terms of budgets. Rows are never changed, so what was read once stays true. */
export class RuleTable {
  readonly #byId: Query<[id: number], { readonly terms: string }>;
  readonly #byTerms: Query<[terms: string], { readonly id: number }>;
  readonly #insert: Query<[terms: string]>;
  #rules: Map<number, AccountRule> = new Map();
  // Callers bring the same objects again and again.
  #ids: WeakMap<AccountRule, number> = new WeakMap();

  constructor(database: SqliteDatabase) {
    this.#byId = prepare(database, 'SELECT terms FROM rules WHERE id = ?');
    this.#byTerms = prepare(database, 'SELECT id FROM rules WHERE terms = ?');
    this.#insert = prepare(database, 'INSERT INTO rules (terms) VALUES (?)');
  }

  get(id: number): AccountRule {
    const known = this.#rules.get(id);
    if (known !== undefined) return known;
    const row = this.#byId.get(id);
    if (row === undefined) throw new Error(`The store has no rule ${id}.`);
    const terms = JSON.parse(row.terms);
    const rule: AccountRule = { ...terms, window: compileWindow(terms.window) };
    this.#keep(rule, id);
    return rule;
  }

  /** The id of terms, which are stored where they are new. */
  idOf(rule: AccountRule): number {
    const known = this.#ids.get(rule);
    if (known !== undefined) return known;
    const { budget, unit, limit, rollover, blocked, window } = rule;
    const { attribute, onExpiry, thresholds } = rule;
    const behaviour = { attribute, onExpiry, thresholds };
    const terms = JSON.stringify({
      budget,
      unit,
      limit,
      rollover,
      blocked,
      window: window.spec,
      ...behaviour,
    });
    const stored = this.#byTerms.get(terms)?.id;
    const id = stored ?? Number(this.#insert.run(terms).lastInsertRowid);
    this.#keep(rule, id);
    return id;
  }

  /** Must follow a rollback, which may have taken back what was stored. */
  forget(): void {
    this.#rules = new Map();
    this.#ids = new WeakMap();
  }

  #keep(rule: AccountRule, id: number): void {
    if (this.#rules.size >= MOST_CACHED) this.#rules.clear();
    this.#rules.set(id, rule);
    this.#ids.set(rule, id);
  }
}
