import { SinkUnavailableError } from '@hardcap/core';
import { expect, test } from 'vitest';
import { accountOf, DAY, MINUTE, SqliteBench } from './support/sqlite-bench.ts';
import { alter } from './support/test-store.ts';

const a = accountOf('a', { limit: 100 });
const b = accountOf('b');

function change(bench: SqliteBench, ...statements: string[]): void {
  alter(bench.file, (database) => {
    for (const statement of statements) database.exec(statement);
  });
}

const DROP_A = "DELETE FROM windows WHERE account = (SELECT id FROM accounts WHERE key = 'a')";

test('a hold on a window that was deleted waits for a rebuild, and holds up nobody', async () => {
  const bench = new SqliteBench();
  await bench.spend(a, 60);
  await bench.reserve(a, 20);
  change(bench, DROP_A);
  const settlement = { id: 'r2', outcome: 'known', charges: [], details: {} } as const;
  const error = await bench.sink.settle(settlement).catch((reason: unknown) => reason);
  expect(SinkUnavailableError.isInstance(error)).toBe(true);
  expect(String(error)).toContain('`rebuild()`');
  bench.now += DAY;
  await bench.spend(b, 5);
  expect(await bench.committed(b)).toBe(5);
  const found = [
    { account: 'a', window: 'total', field: 'committed', counter: 0, expected: 60 },
    { account: 'a', window: 'total', field: 'held', counter: 0, expected: 20 },
  ];
  expect((await bench.sink.verify()).differences).toEqual(found);
  expect((await bench.sink.rebuild()).differences).toEqual(found);
  bench.now += MINUTE;
  expect(await bench.committed(a)).toBe(80);
  expect((await bench.sink.verify()).differences).toEqual([]);
  expect(await bench.sink.settle(settlement)).toMatchObject({ status: 'late' });
});

test('what was charged since is added to what was deleted', async () => {
  const bench = new SqliteBench();
  await bench.spend(a, 60);
  await bench.reserve(a, 20);
  change(bench, DROP_A);
  await bench.spend(a, 5);
  expect((await bench.sink.verify()).differences).toHaveLength(2);
  await bench.sink.rebuild();
  expect((await bench.sink.verify()).differences).toEqual([]);
  expect(await bench.sink.read([a])).toMatchObject([{ committed: 65, held: 20 }]);
  expect(await bench.entries({ account: 'a' })).toHaveLength(2);
});

const SLOTS: readonly (readonly [how: string, ...statements: string[]])[] = [
  ['deleted', 'DELETE FROM slots'],
  [
    'moved',
    'UPDATE slots SET committed = committed - 5 WHERE slot = (SELECT min(slot) FROM slots)',
    'UPDATE slots SET committed = committed + 5 WHERE slot = (SELECT max(slot) FROM slots)',
  ],
];

test.each(SLOTS)('slots that were %s are found, and restored', async (_, ...statements) => {
  const bench = new SqliteBench();
  const rolling = accountOf('rolling', { window: { rolling: '1h', resolution: '1m' } });
  await bench.spend(rolling, 60);
  bench.now += 10 * MINUTE;
  await bench.spend(rolling, 10);
  change(bench, ...statements);
  expect((await bench.sink.verify()).differences).toHaveLength(1);
  await bench.sink.rebuild();
  expect((await bench.sink.verify()).differences).toEqual([]);
  bench.now += 55 * MINUTE;
  expect(await bench.committed(rolling)).toBe(10);
});
