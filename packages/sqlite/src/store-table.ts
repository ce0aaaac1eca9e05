import type { SinkNotice } from '@hardcap/core';
import { prepare, type Query, type SqliteDatabase } from './driver.ts';

export interface StoreRow {
  /** Another one when the store was lost. */
  readonly id: string;
  /** Latest time seen, in ms since the epoch; null before the first call. */
  readonly clock: number | null;
  readonly has_notices: number;
}

/** What is one for all accounts: the clock, untold notices, ids of adjustments. */
export class StoreTable {
  readonly #row: Query<[], StoreRow>;
  readonly #setClock: Query<[at: number]>;
  readonly #notices: Query<[], { readonly notice: string }>;
  readonly #dropNotices: Query<[]>;
  readonly #addNotice: Query<[notice: string]>;
  readonly #adjusted: Query<[id: string], { readonly id: string }>;
  readonly #addAdjusted: Query<[id: string, forgetAt: number]>;

  constructor(database: SqliteDatabase) {
    this.#row = prepare(
      database,
      'SELECT id, clock, EXISTS (SELECT 1 FROM notices) AS has_notices FROM store',
    );
    this.#setClock = prepare(database, 'UPDATE store SET clock = ?');
    this.#notices = prepare(database, 'SELECT notice FROM notices ORDER BY number');
    this.#dropNotices = prepare(database, 'DELETE FROM notices');
    this.#addNotice = prepare(database, 'INSERT INTO notices (notice) VALUES (?)');
    this.#adjusted = prepare(database, 'SELECT id FROM adjustments WHERE id = ?');
    this.#addAdjusted = prepare(database, 'INSERT INTO adjustments (id, forget_at) VALUES (?, ?)');
  }

  row(): StoreRow {
    const row = this.#row.get();
    // An empty id is that of no store, so it is noticed as another one.
    return row ?? { id: '', clock: null, has_notices: 0 };
  }

  setClock(at: number): void {
    this.#setClock.run(at);
  }

  takeNotices(): SinkNotice[] {
    const notices = this.#notices.all().map(({ notice }): SinkNotice => JSON.parse(notice));
    this.#dropNotices.run();
    return notices;
  }

  addNotices(notices: readonly SinkNotice[]): void {
    for (const notice of notices) this.#addNotice.run(JSON.stringify(notice));
  }

  isAdjusted(id: string): boolean {
    return this.#adjusted.get(id) !== undefined;
  }

  setAdjusted(id: string, forgetAt: number): void {
    this.#addAdjusted.run(id, forgetAt);
  }
}
