import { renameSync, rmSync } from 'node:fs';
import { ConfigError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { accountOf, SqliteBench, testFile } from './support/sqlite-bench.ts';
import { alter } from './support/test-store.ts';

const account = accountOf('a');
const FILES = ['', '-wal', '-shm'];

function remove(file: string): void {
  for (const suffix of FILES) rmSync(`${file}${suffix}`, { force: true });
}

/** Ways to lose a store. */
const LOSSES: Record<string, (file: string) => unknown> = {
  'was deleted': remove,
  'was replaced by another store': async (file) => {
    const bench = new SqliteBench();
    await bench.sink.close();
    remove(file);
    renameSync(bench.file, file);
  },
  'was emptied': (file) => alter(file, (database) => database.exec('DELETE FROM store')),
};

describe.each(Object.entries(LOSSES))('case C-46: a store that %s under the process', (_, lose) => {
  test('is told from an account that has spent nothing', async () => {
    const bench = new SqliteBench();
    await bench.spend(account, 100);
    await lose(bench.file);
    const operations = [
      () => bench.reserve(account, 1),
      () => bench.sink.release('r1'),
      () => bench.sink.read([account]),
      () => bench.entries(),
      () => bench.sink.verify(),
    ];
    for (const operation of operations) {
      await expect(operation()).rejects.toMatchObject({
        code: 'SINK_UNAVAILABLE',
        message: expect.stringMatching(/not the one it was.*acceptStoreReset/),
      });
    }
  });
});

describe('once the loss is accepted', () => {
  test('calls go on in the store that is there, and the next answer tells it, once', async () => {
    const bench = new SqliteBench();
    await bench.spend(account, 100);
    remove(bench.file);
    await expect(bench.reserve(account, 1)).rejects.toThrow(bench.file);
    bench.sink.acceptStoreReset();
    expect(await bench.committed(account)).toBe(0);
    const { notices } = await bench.reserve(account, 1);
    expect(notices).toEqual([{ type: 'store-reset', at: bench.now }]);
    expect((await bench.reserve(account, 1)).notices).toEqual([]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('what took its place must be a store', async () => {
    const bench = new SqliteBench();
    remove(bench.file);
    alter(bench.file, (database) => database.exec('CREATE TABLE users (id INTEGER)'));
    expect(() => bench.sink.acceptStoreReset()).toThrow(ConfigError);
    await expect(bench.reserve(account, 1)).rejects.toThrow(/not the one it was/);
  });
});

test('a store that was put back is the one it was', async () => {
  const bench = new SqliteBench();
  await bench.spend(account, 100);
  const aside = testFile();
  renameSync(bench.file, aside);
  await expect(bench.reserve(account, 1)).rejects.toThrow(/not the one it was/);
  renameSync(aside, bench.file);
  expect(await bench.committed(account)).toBe(100);
});
