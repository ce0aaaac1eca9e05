/** What a statement takes and gives. Integers are safe ones, so no driver needs `bigint` for them. */
export type SqliteValue = null | number | string;

/** The part of a prepared statement that is used. Parameters are plain `?`, in order. */
export interface SqliteStatement {
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
  run(...values: SqliteValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}

/** A connection of `node:sqlite`, of `better-sqlite3`, or of anything that is equal in structure. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/** A prepared statement of which it is known what it takes, and what a row looks like. */
export interface Query<Values extends readonly SqliteValue[], Row = never> {
  get(...values: Values): Row | undefined;
  all(...values: Values): Row[];
  run(...values: Values): ReturnType<SqliteStatement['run']>;
}

/**
 * Selects a sum of amounts as the double that it was before it was stored: sums may be beyond 2^53, and
 * node:sqlite reads no such integer.
 */
export function asDouble(sum: string, name: string): string {
  return `CAST(${sum} AS REAL) AS ${name}`;
}

export function prepare<Values extends readonly SqliteValue[], Row = never>(
  database: SqliteDatabase,
  sql: string,
): Query<Values, Row> {
  return database.prepare(sql) as unknown as Query<Values, Row>;
}

/** Result codes of SQLite (https://sqlite.org/rescode.html), by their names. */
const CODES = {
  BUSY: 5,
  READONLY: 8,
  CORRUPT: 11,
  CANTOPEN: 14,
  PROTOCOL: 15,
  NOTADB: 26,
} as const;

/** Whether SQLite failed with one of these, in the words of either driver: a number, or a name. */
function failedWith(error: unknown, ...names: readonly (keyof typeof CODES)[]): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') return names.some((name) => CODES[name] === (errcode & 0xff));
  // Extended codes begin with the name of the plain one, such as SQLITE_BUSY_RECOVERY.
  return typeof code === 'string' && names.some((name) => code.startsWith(`SQLITE_${name}`));
}

/** True when somebody else holds the lock, or too many want it. Nothing was done. */
export function isBusy(error: unknown): boolean {
  return failedWith(error, 'BUSY', 'PROTOCOL');
}

/** True when the file is damaged. */
export function isDamaged(error: unknown): boolean {
  return failedWith(error, 'CORRUPT');
}

/** True when the file is none of SQLite. */
export function isNoDatabase(error: unknown): boolean {
  return failedWith(error, 'NOTADB');
}

/** True when there is no such folder, or no right to read or write there. */
export function isClosedToUs(error: unknown): boolean {
  return failedWith(error, 'CANTOPEN', 'READONLY');
}
