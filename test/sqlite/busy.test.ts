import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SinkUnavailableError } from '@hardcap/core';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { type Running, start } from '../processes.ts';
import { accountOf } from './account.ts';
import { PATIENT_MS } from './patience.ts';
import { storeFile } from './store-file.ts';

const account = accountOf('org', 100);

/** A store in use, of which another process holds the lock. */
async function lockedStore(timeoutMs: number, ...args: readonly string[]) {
  const file = storeFile();
  const sink = new SqliteUsageSink(file, { timeoutMs });
  onTestFinished(() => sink.close());
  await sink.release('nothing');
  const locker = start(new URL('lock-worker.ts', import.meta.url), file, ...args);
  await once(locker.child, 'message');
  return { file, sink, locker };
}

async function letGo({ child, ended }: Running<unknown>): Promise<void> {
  child.send('let go');
  await ended;
}

function reserve(sink: SqliteUsageSink, id: string, amount = 1) {
  return sink.reserve({ id, claims: [{ account, amount }], ttlMs: 60_000 });
}

test('operations wait for the lock while the event loop turns, and are done in order', async () => {
  const { sink, locker } = await lockedStore(PATIENT_MS);
  let answers = 0;
  const waiting = Array.from({ length: 150 }, async (_, number) => {
    const { admitted } = await reserve(sink, `r${number}`);
    answers += 1;
    return admitted;
  });
  for (let turns = 0; turns < 1_000; turns += 1) await nextTurn();
  expect(answers).toBe(0);
  await letGo(locker);
  const admitted = await Promise.all(waiting);
  expect(admitted).toEqual(Array.from({ length: 150 }, (_, number) => number < 100));
  expect((await sink.verify()).differences).toEqual([]);
});

test('past the deadline they fail, and nothing was written', async () => {
  const { sink, locker } = await lockedStore(300);
  let isOver = false;
  let turns = 0;
  const failed = expect(reserve(sink, 'r1'))
    .rejects.toThrow(SinkUnavailableError)
    .then(() => {
      isOver = true;
    });
  for (; !isOver; turns += 1) await nextTurn();
  await failed;
  // One that slept for the lock would have had a few.
  expect(turns).toBeGreaterThan(50);
  await letGo(locker);
  expect(await sink.read([account])).toMatchObject([{ held: 0, committed: 0 }]);
  expect(await sink.verify()).toMatchObject({ entries: 0, reservations: 0 });
  expect(await reserve(sink, 'r1', 100)).toMatchObject({ admitted: true });
});

test('what only reads does not wait', async () => {
  const { sink, locker } = await lockedStore(0);
  expect(await sink.read([account])).toMatchObject([{ held: 0 }]);
  expect((await sink.verify()).differences).toEqual([]);
  expect(await sink.entries().next()).toMatchObject({ done: true });
  await letGo(locker);
});

test('a lock of a process that was killed is free', async () => {
  const { sink, locker } = await lockedStore(PATIENT_MS);
  const reserved = reserve(sink, 'r1');
  locker.child.kill('SIGKILL');
  expect(await reserved).toMatchObject({ admitted: true });
});

test('opening waits for the lock, too', async () => {
  const { file } = await lockedStore(PATIENT_MS, '200');
  const sink = new SqliteUsageSink(file);
  expect(await reserve(sink, 'r1')).toMatchObject({ admitted: true });
  await sink.close();
});
