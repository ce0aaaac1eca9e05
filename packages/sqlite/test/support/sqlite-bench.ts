import { join } from 'node:path';
import {
  type Account,
  type AccountRule,
  type Adjustment,
  compileWindow,
  type EntryQuery,
  type ReserveAnswer,
  type SettleAnswer,
  type SinkEntry,
  type WindowSpec,
} from '@hardcap/core';
import { onTestFinished } from 'vitest';
import { SqliteUsageSink, type SqliteUsageSinkOptions } from '../../src/index.ts';
import { testFolder } from './test-store.ts';

export const MINUTE = 60_000;
export const DAY: number = 24 * 60 * MINUTE;
/** Noon of a Monday, UTC. */
export const NOON: number = Date.UTC(2026, 10, 30, 12);

type Terms = Omit<Partial<AccountRule>, 'window'> & { readonly window?: WindowSpec };

/** An account with a limit of a million tokens and no reset, unless it says otherwise. */
export function accountOf(key: string, terms: Terms = {}): Account {
  const { window = 'total', ...others } = terms;
  const rule: AccountRule = {
    budget: key,
    unit: 'tokens',
    limit: 1_000_000,
    blocked: false,
    window: compileWindow(window),
    attribute: 'reserve',
    onExpiry: 'charge',
    thresholds: [],
    ...others,
  };
  return { key, rule };
}

/** A file that is gone when the test is over. */
export function testFile(): string {
  const folder = testFolder();
  onTestFinished(() => folder.drop());
  return join(folder.path, 'usage.db');
}

/** A sink on a file, with a clock, in the short words that tests need. */
export class SqliteBench {
  readonly file: string;
  readonly sink: SqliteUsageSink;
  now: number = NOON;
  #made = 0;

  constructor(options: SqliteUsageSinkOptions = {}, file: string = testFile()) {
    this.file = file;
    this.sink = new SqliteUsageSink(file, { now: () => this.now, ...options });
    onTestFinished(() => this.sink.close());
  }

  reserve(account: Account, amount: number, ttlMs: number = MINUTE): Promise<ReserveAnswer> {
    this.#made += 1;
    const claims = [{ account, amount }];
    return this.sink.reserve({ id: `r${this.#made}`, claims, ttlMs });
  }

  /** Holds and settles an amount. */
  async spend(account: Account, amount: number, details = {}): Promise<SettleAnswer> {
    const reserved = this.reserve(account, amount);
    const id = `r${this.#made}`;
    await reserved;
    const charges = [{ account: account.key, amount }];
    return this.sink.settle({ id, outcome: 'known', charges, details });
  }

  adjust(account: Account, change: Adjustment) {
    this.#made += 1;
    return this.sink.adjust({ id: `a${this.#made}`, account, change, details: {} });
  }

  async entries(query?: EntryQuery): Promise<SinkEntry[]> {
    const entries: SinkEntry[] = [];
    for await (const entry of this.sink.entries(query)) entries.push(entry);
    return entries;
  }

  async committed(account: Account): Promise<number | undefined> {
    return (await this.sink.read([account]))[0]?.committed;
  }
}
