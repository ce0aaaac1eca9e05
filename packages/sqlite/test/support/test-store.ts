import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SinkContext, SinkUnderTest } from '@hardcap/conformance';
import {
  type SqliteDatabase,
  SqliteUsageSink,
  type SqliteUsageSinkOptions,
} from '../../src/index.ts';

/** A folder that is gone when the test is over. */
export interface TestFolder {
  readonly path: string;
  drop(): void;
}

export function testFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'hardcap-sqlite-'));
  return { path, drop: () => rmSync(path, { recursive: true, force: true }) };
}

/** Changes a store behind the back of the sinks that have it open. */
export function alter(file: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    change(database);
  } finally {
    database.close();
  }
}

function tamper(file: string, account: string, by: number): void {
  alter(file, (database) => {
    database
      .prepare(
        `UPDATE windows SET committed = committed + ?
         WHERE account = (SELECT id FROM accounts WHERE key = ?)`,
      )
      .run(by, account);
  });
}

/** Deletes all windows of an account. */
function deleteWindows(file: string, account: string): void {
  alter(file, (database) => {
    const own = '(SELECT id FROM accounts WHERE key = ?)';
    const windows = `(SELECT id FROM windows WHERE account = ${own})`;
    database.prepare(`DELETE FROM slots WHERE window IN ${windows}`).run(account);
    database.prepare(`DELETE FROM windows WHERE account = ${own}`).run(account);
  });
}

/**
 * A sink on a file of its own, with everything that the contract can ask for.
 *
 * @param connect gives the sink a connection, in place of the path.
 */
export function createTestSink(
  { now }: SinkContext,
  options: SqliteUsageSinkOptions = {},
  connect?: (file: string) => SqliteDatabase,
): SinkUnderTest {
  const folder = testFolder();
  const file = join(folder.path, 'usage.db');
  const connections: SqliteDatabase[] = [];
  const given = () => {
    if (connect === undefined) return file;
    const connection = connect(file);
    connections.push(connection);
    return connection;
  };
  const open = ({ now }: SinkContext) => new SqliteUsageSink(given(), { now, ...options });
  let sink = open({ now });
  return {
    sink,
    close: () => {
      for (const connection of connections) connection.close();
      folder.drop();
    },
    reopen: async () => {
      await sink.close();
      sink = open({ now });
      return sink;
    },
    connect: open,
    loseData: () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    },
    tamper: (account, by) => tamper(file, account, by),
    deleteCounters: (account) => deleteWindows(file, account),
  };
}
