import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '@hardcap/core';
import { checkDatabase, notAStore } from './check-database.ts';
import { isClosedToUs, type SqliteDatabase } from './driver.ts';
import { inTransaction } from './in-transaction.ts';
import { openingError } from './opening-error.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';
import { prepareTables, type Tables } from './tables.ts';
import { whileBusy } from './wait-sync.ts';

export interface OpeningOptions {
  readonly synchronous: 'normal' | 'full';
  readonly rememberedMs: number;
}

/** A database that is a store of the newest version, and its statements. */
export interface OpenStore {
  readonly database: SqliteDatabase;
  readonly tables: Tables;
  /** Another one for every store that was ever made. */
  readonly id: string;
}

/** Opening a store waits for other processes that do the same, for so many ms. */
const OPENING_MS = 5_000;
/**
 * Pages in the log (of 4 kB each) at which a transaction brings them into the file. Fewer would cost
 * several processes more, and more would let one transaction wait longer for the disk.
 */
const CHECKPOINT_PAGES = 4_000;
const SMALLEST_DATABASE_BYTES = 512;
/** The log is cut back to this size when it can be; it may grow beyond in between. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Opens a store, and makes one of what is empty or not there. It holds up the process, for long only
 * while others open the same file.
 *
 * @throws ConfigError for what is no store of hardcap, is damaged, of a newer version or cannot be
 * written; it is left as it is. SinkUnavailableError when others hold the lock, or the disk fails.
 */
export function openStore(
  given: string | SqliteDatabase,
  options: OpeningOptions,
  migrations: readonly string[] = MIGRATIONS,
): OpenStore {
  const name = typeof given === 'string' ? given : 'The database';
  try {
    // SQLite does not wait in all of what follows, whatever its timeout.
    return whileBusy(OPENING_MS, () =>
      typeof given === 'string'
        ? openFile(given, options, migrations)
        : setUp(given, name, options, migrations),
    );
  } catch (error) {
    throw openingError(error, name, OPENING_MS);
  }
}

function openFile(path: string, options: OpeningOptions, migrations: readonly string[]): OpenStore {
  if (path === '') throw new ConfigError('The path of a store is empty; give that of a file.');
  const file = statSync(path, { throwIfNoEntry: false });
  // SQLite would take these for empty ones, or for a failing disk.
  const isTooSmall = file?.size !== 0 && (file?.size ?? Infinity) < SMALLEST_DATABASE_BYTES;
  if (file?.isFile() === false || isTooSmall) throw notAStore(path);
  if (file?.size) lookInto(path, migrations);
  const database = new DatabaseSync(path);
  try {
    return setUp(database, path, options, migrations);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Looks at what a file is without the right to change it: to close a file of somebody else may write
 * to it. Not by reading its header, since closing a file takes away all locks that this process has
 * on it, those of other sinks included.
 */
function lookInto(path: string, migrations: readonly string[]): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    inTransaction(database, 'BEGIN', () => checkDatabase(database, path, migrations.length));
  } catch (error) {
    // Somebody died while it was written, and it must be put right before it can be read.
    if (!isClosedToUs(error)) throw error;
  } finally {
    database.close();
  }
}

function setUp(
  database: SqliteDatabase,
  name: string,
  { synchronous, rememberedMs }: OpeningOptions,
  migrations: readonly string[],
): OpenStore {
  database.exec(`PRAGMA busy_timeout = ${OPENING_MS}`);
  // Before the first change, so that a database of somebody else stays as it is.
  const version = inTransaction(database, 'BEGIN', () =>
    checkDatabase(database, name, migrations.length),
  );
  if (version < migrations.length) migrate(database, name, migrations);
  expectLog(database, name);
  database.exec(`
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'};
    PRAGMA journal_size_limit = ${LOG_SIZE_LIMIT_BYTES};
  `);
  // SQLite opens a file that may not be written for reading alone, and says so at the first change.
  database.exec('UPDATE store SET clock = clock WHERE 0');
  const tables = prepareTables(database, rememberedMs);
  const { id } = tables.store.row();
  // From now on SQLite must not sleep while it waits for a lock, and the event loop with it.
  database.exec('PRAGMA busy_timeout = 0');
  return { database, tables, id };
}

function migrate(database: SqliteDatabase, name: string, migrations: readonly string[]): void {
  // In the file itself, and not in a log beside it, wherever there is none yet.
  inTransaction(database, 'BEGIN EXCLUSIVE', () => {
    const version = checkDatabase(database, name, migrations.length);
    for (const migration of migrations.slice(version)) database.exec(migration);
    if (version === 0) {
      database
        .prepare('INSERT INTO store (id, clock, prunes) VALUES (?, NULL, 0)')
        .run(randomUUID());
    }
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

/** @throws ConfigError where several processes could not share the file. */
function expectLog(database: SqliteDatabase, name: string): void {
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get() as {
    readonly journal_mode: string;
  };
  // A database in memory has no file to share.
  if (mode === 'wal' || mode === 'memory') return;
  throw new ConfigError(
    `${name} cannot keep a write-ahead log (its journal mode is ${mode}). A store needs a disk of ` +
      'this machine, and not a network file system.',
  );
}
