import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openStore } from '../src/open-store.ts';
import { MIGRATIONS } from '../src/schema.ts';
import { accountOf, SqliteBench, testFile } from './support/sqlite-bench.ts';
import { alter } from './support/test-store.ts';

const OPTIONS = { synchronous: 'normal', rememberedMs: 1_000 } as const;

/** Versions that are yet to come: one adds a column with a figure, one changes a row. */
const LATER: readonly string[] = [
  ...MIGRATIONS,
  'ALTER TABLE entries ADD COLUMN note TEXT; UPDATE entries SET note = subject;',
  "UPDATE entries SET note = note || '!';",
];

function versionOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('PRAGMA user_version').get()?.['user_version'];
  } finally {
    database.close();
  }
}

async function storeWithData(): Promise<string> {
  const bench = new SqliteBench();
  await bench.spend(accountOf('a'), 100);
  await bench.spend(accountOf('a'), 50);
  await bench.sink.close();
  return bench.file;
}

test('an older store is brought up to date, with what is in it', async () => {
  const file = await storeWithData();
  const before = openStore(file, OPTIONS, LATER.slice(0, 2));
  expect(versionOf(file)).toBe(2);
  before.database.close();
  const { database, id } = openStore(file, OPTIONS, LATER);
  expect(versionOf(file)).toBe(3);
  expect(id).toBe(before.id);
  const notes = database.prepare('SELECT note FROM entries ORDER BY sequence').all();
  expect(notes).toMatchObject([{ note: 'r1!' }, { note: 'r2!' }]);
  const committed = database.prepare('SELECT committed FROM windows').all();
  expect(committed).toMatchObject([{ committed: 150 }]);
  database.close();
});

test('a step that fails leaves the store at the version it had', async () => {
  const file = await storeWithData();
  const broken = [...LATER.slice(0, 2), 'DELETE FROM entries; SELECT no_such_function();'];
  expect(() => openStore(file, OPTIONS, broken)).toThrow(/could not be opened.*no_such_function/);
  expect(versionOf(file)).toBe(1);
  const bench = new SqliteBench({}, file);
  expect(await bench.entries()).toHaveLength(2);
  expect((await bench.sink.verify()).differences).toEqual([]);
});

test('a store that was brought up to date is refused by the version before', async () => {
  const file = await storeWithData();
  openStore(file, OPTIONS, LATER).database.close();
  expect(() => openStore(file, OPTIONS)).toThrow(/schema 3; this one knows up to 1/);
  expect(versionOf(file)).toBe(3);
});

test('a new store is made by all steps at once, and keeps its id', () => {
  const file = testFile();
  const made = openStore(file, OPTIONS, LATER);
  const again = openStore(file, OPTIONS, LATER);
  expect(again.id).toBe(made.id);
  for (const { database } of [made, again]) database.close();
  alter(file, (database) => {
    expect(database.prepare('SELECT count(*) AS stores FROM store').get()).toEqual({ stores: 1 });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });
});
