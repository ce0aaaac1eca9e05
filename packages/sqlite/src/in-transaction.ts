import type { SqliteDatabase } from './driver.ts';

/** Does work in a transaction, which is rolled back when the work throws. */
export function inTransaction<Result>(
  database: SqliteDatabase,
  begin: 'BEGIN' | 'BEGIN EXCLUSIVE',
  work: () => Result,
): Result {
  database.exec(begin);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already.
    }
    throw error;
  }
}
