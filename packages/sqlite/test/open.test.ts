import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { SqliteUsageSink } from '../src/index.ts';
import { accountOf, MINUTE, SqliteBench, testFile } from './support/sqlite-bench.ts';
import { alter } from './support/test-store.ts';

/** What opening a store fails with. */
function failure(given: string | DatabaseSync): ConfigError {
  try {
    new SqliteUsageSink(given);
  } catch (error) {
    if (ConfigError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('It was opened.');
}

/** A store that was used and closed. */
async function usedStore(): Promise<string> {
  const bench = new SqliteBench();
  await bench.spend(accountOf('a'), 100);
  await bench.sink.close();
  return bench.file;
}

/** Each makes a file that is no store to be used, and says what the message must be about. */
const OTHERS: Record<string, [make: (file: string) => unknown, message: RegExp]> = {
  'a text file': [
    (file) => writeFileSync(file, 'budgets:\n  - name: user-daily\n'.repeat(50)),
    /no store of hardcap/,
  ],
  'a file of one byte': [(file) => writeFileSync(file, 'x'), /no store of hardcap/],
  'a database of somebody else': [
    (file) => alter(file, (database) => database.exec('CREATE TABLE users (id INTEGER)')),
    /no store of hardcap/,
  ],
  'a database of another application without tables': [
    (file) => alter(file, (database) => database.exec('PRAGMA application_id = 77')),
    /no store of hardcap/,
  ],
  'a store of a newer version': [
    async (file) => {
      copyFileSync(await usedStore(), file);
      alter(file, (database) => database.exec('PRAGMA user_version = 99'));
    },
    /newer version .*schema 99.*Update the package/,
  ],
  'a store whose schema is damaged': [
    async (file) => {
      const bytes = readFileSync(await usedStore());
      writeFileSync(file, bytes.fill(0xaa, 100, 4_096));
    },
    /is damaged.*Restore it from a backup/,
  ],
  'a store that was cut off': [
    async (file) => writeFileSync(file, readFileSync(await usedStore()).subarray(0, 5_000)),
    /is damaged.*Restore it from a backup/,
  ],
};

describe('what is no store to be used is a ConfigError, and stays byte for byte as it is', () => {
  test.each(Object.entries(OTHERS))('%s', async (_, [make, message]) => {
    const file = testFile();
    await make(file);
    const before = readFileSync(file);
    const error = failure(file);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a database of somebody else with a log that is not yet in the file', () => {
    const [file, copy] = [testFile(), testFile()];
    alter(file, (database) => {
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE users (id INTEGER)');
      // As if the process of the database had been killed.
      for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
    });
    const read = () => ['', '-wal'].map((suffix) => readFileSync(`${copy}${suffix}`, 'base64'));
    const before = read();
    expect(failure(copy).message).toMatch(/no store of hardcap/);
    expect(read()).toEqual(before);
  });

  test('a connection to a database of somebody else', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE users (id INTEGER)');
    expect(failure(database).message).toMatch(/^The database is no store of hardcap/);
    expect(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()).toEqual({
      count: 1,
    });
  });
});

describe('what cannot be written is a ConfigError', () => {
  test('a file in a folder that is missing', () => {
    expect(failure(`${testFile()}/usage.db`).message).toMatch(
      /cannot be opened for writing.*folder/,
    );
  });

  test('a folder', () => {
    expect(failure(dirname(testFile())).message).toMatch(/no store of hardcap/);
  });

  test('an empty path', () => {
    expect(failure('').message).toMatch(/path of a store is empty/);
  });

  test('a connection that may only read', async () => {
    const file = await usedStore();
    const before = readFileSync(file);
    const database = new DatabaseSync(file, { readOnly: true });
    expect(failure(database).message).toMatch(/cannot be opened for writing/);
    database.close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

test('an empty file becomes a store', async () => {
  const file = testFile();
  writeFileSync(file, '');
  const bench = new SqliteBench({}, file);
  await bench.spend(accountOf('a'), 5);
  expect(await bench.committed(accountOf('a'))).toBe(5);
});

test('a damaged page that is met later fails the operation that meets it', async () => {
  const file = await usedStore();
  let page = 0;
  alter(file, (database) => {
    const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'reservations'");
    page = Number(root.get()?.['rootpage']);
  });
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xaa, (page - 1) * 4_096, page * 4_096));
  const bench = new SqliteBench({}, file);
  await expect(bench.reserve(accountOf('a'), 1)).rejects.toMatchObject({
    code: 'SINK_UNAVAILABLE',
    message: expect.stringContaining('malformed'),
  });
});

test('options out of range are a ConfigError', () => {
  const file = testFile();
  const none = Number.NaN;
  expect(() => new SqliteUsageSink(file, { timeoutMs: none })).toThrow(ConfigError);
  expect(() => new SqliteUsageSink(file, { rememberedMs: -1 })).toThrow(ConfigError);
});

test('two sinks of one process on one file share its counters', async () => {
  const one = new SqliteBench();
  const other = new SqliteBench({}, one.file);
  const account = accountOf('a', { limit: 100 });
  const calls = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? one : other).sink.reserve({
      id: `both-${index}`,
      claims: [{ account, amount: 10 }],
      ttlMs: MINUTE,
    }),
  );
  const admitted = (await Promise.all(calls)).filter((answer) => answer.admitted);
  expect(admitted).toHaveLength(10);
  await one.sink.close();
  expect(await other.sink.read([account])).toMatchObject([{ held: 100 }]);
  expect((await other.sink.verify()).differences).toEqual([]);
});

test('a copy that SQLite made while the store is in use is a store with the same books', async () => {
  const bench = new SqliteBench();
  await bench.spend(accountOf('a'), 100);
  await bench.reserve(accountOf('a'), 20);
  const copy = testFile();
  alter(bench.file, (database) => database.prepare('VACUUM INTO ?').run(copy));
  const restored = new SqliteBench({}, copy);
  expect(await restored.sink.read([accountOf('a')])).toMatchObject([{ committed: 100, held: 20 }]);
  expect((await restored.sink.verify()).differences).toEqual([]);
  expect(await restored.entries()).toEqual(await bench.entries());
});
