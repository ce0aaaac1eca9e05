import type { Account } from '@hardcap/core';
import { type LimitChange, MemoryAccount } from '@hardcap/core/sink';
import { asDouble, prepare, type Query, type SqliteDatabase } from './driver.ts';
import type { RuleTable } from './rule-table.ts';
import type { StoredWindow } from './window-table.ts';

interface AccountRow {
  readonly id: number;
  readonly key: string;
  readonly rule: number;
  readonly blocked: number;
  readonly floating: number;
  readonly new_limit: string | null;
  readonly raised: string | null;
  readonly denials: number;
}

type Figures = [
  rule: number,
  blocked: number,
  floating: number,
  newLimit: string | null,
  raise: string | null,
  denials: number,
];

/** An account, and what is stored of it. */
export interface StoredAccount {
  readonly id: number;
  readonly account: MemoryAccount;
  /** Those of its windows that were looked at, by name. */
  readonly windows: Map<string, StoredWindow>;
  saved: Figures;
}

const COLUMNS = `id, key, rule, blocked, ${asDouble('floating', 'floating')}, new_limit, raised, denials`;

export class AccountTable {
  readonly #rules: RuleTable;
  readonly #byKey: Query<[key: string], AccountRow>;
  readonly #byId: Query<[id: number], AccountRow>;
  readonly #insert: Query<[key: string, rule: number]>;
  readonly #update: Query<[...Figures, id: number]>;

  constructor(database: SqliteDatabase, rules: RuleTable) {
    this.#rules = rules;
    this.#byKey = prepare(database, `SELECT ${COLUMNS} FROM accounts WHERE key = ?`);
    this.#byId = prepare(database, `SELECT ${COLUMNS} FROM accounts WHERE id = ?`);
    this.#insert = prepare(
      database,
      'INSERT INTO accounts (key, rule, blocked, floating, denials) VALUES (?, ?, 0, 0, 0)',
    );
    this.#update = prepare(
      database,
      `UPDATE accounts SET rule = ?, blocked = ?, floating = ?, new_limit = ?, raised = ?, denials = ?
       WHERE id = ?`,
    );
  }

  byKey(key: string, at: number): StoredAccount | undefined {
    const row = this.#byKey.get(key);
    return row === undefined ? undefined : this.#read(row, at);
  }

  byId(id: number, at: number): StoredAccount | undefined {
    const row = this.#byId.get(id);
    return row === undefined ? undefined : this.#read(row, at);
  }

  insert(account: Account, at: number): StoredAccount {
    const rule = this.#rules.idOf(account.rule);
    const id = Number(this.#insert.run(account.key, rule).lastInsertRowid);
    const saved: Figures = [rule, 0, 0, null, null, 0];
    return { id, account: new MemoryAccount(account, at), windows: new Map(), saved };
  }

  /** Writes what has changed. */
  save(stored: StoredAccount): void {
    const { rule, blocked, floating, newLimit, raise, denials } = stored.account;
    const figures: Figures = [
      this.#rules.idOf(rule),
      blocked ? 1 : 0,
      floating,
      newLimit === null ? null : JSON.stringify(newLimit),
      raise === null ? null : JSON.stringify(raise),
      denials,
    ];
    if (stored.saved.every((figure, place) => figure === figures[place])) return;
    this.#update.run(...figures, stored.id);
    stored.saved = figures;
  }

  #read(row: AccountRow, at: number): StoredAccount {
    const { id, key, rule, floating, new_limit: newLimit } = row;
    const account = new MemoryAccount({ key, rule: this.#rules.get(rule) }, at);
    account.blocked = row.blocked === 1;
    account.floating = floating;
    account.newLimit = changeOf(newLimit);
    account.raise = changeOf(row.raised);
    account.denials = row.denials;
    const saved: Figures = [rule, row.blocked, floating, newLimit, row.raised, row.denials];
    return { id, account, windows: new Map(), saved };
  }
}

function changeOf(text: string | null): LimitChange | null {
  if (text === null) return null;
  const { to, until } = JSON.parse(text);
  return { to, until };
}
