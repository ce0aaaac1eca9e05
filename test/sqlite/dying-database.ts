import { DatabaseSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from '@hardcap/sqlite';

/** A connection that kills its process with -9 at a statement that is counted down to. */
export class DyingDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;
  #left = Number.POSITIVE_INFINITY;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
  }

  /** Dies at the next statement but so many. */
  dieAfter(statements: number): void {
    this.#left = statements;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#database.prepare(sql);
    return {
      get: (...values) => this.#counted(() => statement.get(...values)),
      all: (...values) => this.#counted(() => statement.all(...values)),
      run: (...values) => this.#counted(() => statement.run(...values)),
    };
  }

  close(): void {
    this.#database.close();
  }

  #counted<Result>(execute: () => Result): Result {
    if (this.#left <= 0) process.kill(process.pid, 'SIGKILL');
    this.#left -= 1;
    return execute();
  }
}
