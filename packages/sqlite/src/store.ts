import { statSync } from 'node:fs';
import { SinkUnavailableError } from '@hardcap/core';
import { Books } from './books.ts';
import { isBusy, prepare, type Query, type SqliteDatabase } from './driver.ts';
import { type OpeningOptions, openStore } from './open-store.ts';
import type { Tables } from './tables.ts';

export interface StoreOptions extends OpeningOptions {
  readonly now: () => number;
}

/** The file was deleted, replaced or emptied under the process. */
export class StoreLostError extends SinkUnavailableError {
  constructor(name: string) {
    super(
      `The store ${name} is not the one it was: it was deleted, replaced or emptied, and what was ` +
        'spent before is not in it. Put the file back and restart, or call `acceptStoreReset()` to ' +
        'go on with the counters that are there now.',
    );
  }
}

/** One connection to a store, and its transactions. */
export class Store {
  readonly #database: SqliteDatabase;
  readonly #tables: Tables;
  readonly #id: string;
  readonly #isOwn: boolean;
  /** Null where there is no file that could be lost. */
  readonly #path: string | null;
  readonly #file: string | null;
  readonly #now: () => number;
  readonly #begin: Query<[]>;
  readonly #beginRead: Query<[]>;
  readonly #commit: Query<[]>;
  readonly #rollback: Query<[]>;
  #latest = Number.NEGATIVE_INFINITY;

  /** @throws ConfigError, SinkUnavailableError as {@link openStore} does. */
  constructor(given: string | SqliteDatabase, options: StoreOptions) {
    const { database, tables, id } = openStore(given, options);
    this.#database = database;
    this.#tables = tables;
    this.#id = id;
    this.#isOwn = typeof given === 'string';
    this.#path = typeof given === 'string' && given !== ':memory:' ? given : null;
    this.#file = this.#path === null ? null : fileAt(this.#path);
    this.#now = options.now;
    this.#begin = prepare(database, 'BEGIN IMMEDIATE');
    this.#beginRead = prepare(database, 'BEGIN');
    this.#commit = prepare(database, 'COMMIT');
    this.#rollback = prepare(database, 'ROLLBACK');
  }

  /** The clock of this process, which never runs backwards. */
  readonly now: () => number = () => {
    const now = this.#now();
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  };

  /**
   * Does work in one transaction, and writes what it changed. False when another process holds the
   * lock: nothing was done then.
   *
   * @throws StoreLostError; and whatever the work throws, with everything rolled back.
   */
  write(work: (books: Books) => void): boolean {
    this.#expectFile();
    try {
      this.#begin.run();
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
    try {
      const books = this.#books();
      work(books);
      books.finish();
      this.#commit.run();
      this.#latest = Math.max(this.#latest, books.at);
    } catch (error) {
      // What was stored in between is not, so nothing may be remembered of it.
      this.#tables.rules.forget();
      this.#undo();
      if (isBusy(error)) return false;
      throw error;
    }
    return true;
  }

  /** Does work that writes nothing, on one state of the store. */
  read<Answer>(work: (books: Books) => Answer): Answer {
    this.#expectFile();
    this.#beginRead.run();
    try {
      return work(this.#books());
    } finally {
      this.#undo();
    }
  }

  /** Closes the connection, unless it was given. */
  close(): void {
    if (this.#isOwn) this.#database.close();
  }

  #books(): Books {
    const row = this.#tables.store.row();
    if (row.id !== this.#id) throw new StoreLostError(this.#path ?? 'in the database');
    return new Books(this.#tables, row, this.now);
  }

  #undo(): void {
    try {
      this.#rollback.run();
    } catch {
      // SQLite has rolled back already.
    }
  }

  #expectFile(): void {
    if (this.#path === null || fileAt(this.#path) === this.#file) return;
    throw new StoreLostError(this.#path);
  }
}

/** What tells a file from another one that took its place; empty when there is none. */
function fileAt(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
}
