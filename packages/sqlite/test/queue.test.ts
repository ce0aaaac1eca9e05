import { DatabaseSync } from 'node:sqlite';
import { InvalidArgumentError, SinkUnavailableError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { SqliteUsageSink } from '../src/index.ts';
import { accountOf, MINUTE, SqliteBench } from './support/sqlite-bench.ts';

const account = accountOf('a');

/** Holds up the whole process. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('close', () => {
  test('waits for what was begun, and everything after it fails', async () => {
    const bench = new SqliteBench();
    const begun = Array.from({ length: 200 }, () => bench.reserve(account, 1));
    const closed = bench.sink.close();
    const late = [
      bench.reserve(account, 1),
      bench.sink.release('r1'),
      bench.sink.read([account]),
      bench.sink.verify(),
      bench.sink.rebuild(),
      bench.sink.pruneLedger({ olderThan: 0 }),
      bench.entries(),
      bench.adjust(account, { type: 'block' }),
    ];
    for (const result of await Promise.allSettled(late)) {
      const message = 'The sink is closed; nothing was done. Make another one.';
      expect(result).toMatchObject({ status: 'rejected', reason: { message } });
    }
    expect(() => bench.sink.acceptStoreReset()).toThrow(SinkUnavailableError);
    await closed;
    expect((await Promise.all(begun)).every(({ admitted }) => admitted)).toBe(true);
    await bench.sink.close();
    const again = new SqliteBench({}, bench.file);
    expect(await again.sink.read([account])).toMatchObject([{ held: 200 }]);
  });

  test('ends the reading of entries half-way', async () => {
    const bench = new SqliteBench();
    await Promise.all(Array.from({ length: 300 }, () => bench.spend(account, 1)));
    const entries = bench.sink.entries();
    await entries.next();
    await bench.sink.close();
    const rest = async () => {
      for await (const _ of entries);
    };
    await expect(rest()).rejects.toThrow(SinkUnavailableError);
  });
});

describe('operations that come together share a transaction, and nothing else', () => {
  test('one that fails does not fail the others', async () => {
    const bench = new SqliteBench();
    const failing = () => {
      throw new Error('no details');
    };
    const reserve = (id: string, details?: () => never) =>
      bench.sink.reserve({
        id,
        claims: [{ account, amount: 1 }],
        ttlMs: MINUTE,
        ...(details && { details }),
      });
    const calls = [reserve('one'), reserve('two', failing), reserve('three'), reserve('one')];
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await bench.sink.read([account])).toMatchObject([{ held: 2 }]);
    expect((await bench.sink.verify()).differences).toEqual([]);
    // Nothing that was rolled back is taken for stored: another process finds the same.
    const other = new SqliteBench({}, bench.file);
    expect(await other.reserve(account, 1)).toMatchObject({ admitted: true });
    expect(await other.sink.read([account])).toMatchObject([{ held: 3 }]);
  });

  test.each([
    ['what JSON cannot hold', { tokens: 1n }],
    ['nothing', undefined],
  ])('details that are %s are refused, and nothing is held or charged', async (_, details) => {
    const bench = new SqliteBench();
    await bench.reserve(account, 10);
    const wrong = details as unknown as Record<string, unknown>;
    const claims = [{ account, amount: 5 }];
    const refused = [
      bench.sink.reserve({ id: 'x', claims, ttlMs: MINUTE, details: () => wrong }),
      bench.sink.settle({ id: 'r1', outcome: 'known', charges: [], details: wrong }),
      bench.sink.adjust({ id: 'y', account, change: { type: 'block' }, details: wrong }),
    ];
    for (const result of await Promise.allSettled(refused)) {
      expect(result).toMatchObject({ reason: expect.any(InvalidArgumentError) });
    }
    expect(await bench.sink.read([account])).toMatchObject([
      { held: 10, committed: 0, blocked: false },
    ]);
  });
});

test('a process that was stopped for longer than the deadline has not waited for the lock', async () => {
  const bench = new SqliteBench({ timeoutMs: 5 });
  await bench.reserve(account, 1);
  const reserved = bench.reserve(account, 1);
  sleepSync(20);
  expect(await reserved).toMatchObject({ admitted: true });
});

test('callers that await one answer after the other leave the event loop its turns', async () => {
  const bench = new SqliteBench();
  let isDone = false;
  let turns = 0;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  // By their number, and not by a time: a slow machine does only a few in any.
  for (let calls = 0; turns < 4 && calls < 5_000; calls += 1) await bench.reserve(account, 1);
  isDone = true;
  expect(turns).toBe(4);
});

test("a transaction that the connection's owner has open is left alone", async () => {
  const database = new DatabaseSync(':memory:');
  const sink = new SqliteUsageSink(database);
  database.exec('BEGIN; CREATE TEMP TABLE mine (id INTEGER)');
  const reserved = sink.reserve({ id: 'x', claims: [{ account, amount: 1 }], ttlMs: MINUTE });
  await expect(reserved).rejects.toThrow(SinkUnavailableError);
  database.exec('INSERT INTO mine VALUES (1); COMMIT');
  expect(database.prepare('SELECT id FROM mine').get()).toEqual({ id: 1 });
  expect(await sink.read([account])).toMatchObject([{ held: 0 }]);
  await sink.close();
  expect(database.isOpen).toBe(true);
});
