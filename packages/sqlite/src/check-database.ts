import { ConfigError } from '@hardcap/core';
import type { SqliteDatabase } from './driver.ts';
import { APPLICATION_ID } from './schema.ts';

/**
 * The version of a store's schema; 0 for a database in which there is nothing yet. Must be called in a
 * transaction, so that it sees one state.
 *
 * @param newest version that is known.
 * @throws ConfigError for a database of somebody else, or of a newer version.
 */
export function checkDatabase(database: SqliteDatabase, name: string, newest: number): number {
  const applicationId = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  const tables = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  const isEmpty = (tables as { readonly count: number }).count === 0;
  if (isEmpty && applicationId === 0 && version === 0) return 0;
  if (applicationId !== APPLICATION_ID) throw notAStore(name);
  if (version <= newest) return version;
  throw new ConfigError(
    `${name} was written by a newer version of @hardcap/sqlite (schema ${version}; this one ` +
      `knows up to ${newest}), and was left as it is. Update the package.`,
  );
}

export function notAStore(name: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `${name} is no store of hardcap, and was left as it is. Give the path of a file that does not ` +
      'exist yet, or of one that hardcap made; the ledger needs a file of its own.',
    { cause },
  );
}

function pragma(database: SqliteDatabase, name: 'application_id' | 'user_version'): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Readonly<Record<string, number>>;
  return row[name] as number;
}
