import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { start } from '../processes.ts';
import { randomOf } from '../random.ts';
import {
  CALL,
  CAP,
  type HammerReport,
  HOLD_MS,
  hammerAccounts,
  type RoundsReport,
  roundAccount,
  SMALLEST,
} from './fleet.ts';
import { killAtRandom } from './kill-at-random.ts';

const PROCESSES = 8;
const redis = await TestRedis.start();
const port = `${redis.server.port}`;

afterAll(() => redis.stop());

test('8 processes admit 142 of 7,000 under 1,000,000 in each of 100 rounds, and leak nothing', {
  timeout: 120_000,
}, async () => {
  const rounds = 100;
  const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
  const workers = names.map((name) => {
    return start<RoundsReport>(
      new URL('rounds-worker.ts', import.meta.url),
      port,
      `${rounds}`,
      '30',
      name,
    );
  });
  const reports = (await Promise.all(workers.map(({ ended }) => ended))).map(
    ({ messages }) => messages[0],
  );
  const sink = redis.sink({ timeoutMs: 20_000 });
  for (let round = 0; round < rounds; round += 1) {
    const admitted = reports.map((report) => report?.admitted[round] ?? Number.NaN);
    expect(
      admitted.reduce((sum, count) => sum + count, 0),
      `round ${round}`,
    ).toBe(142);
  }
  const accounts = Array.from({ length: rounds }, (_, round) => roundAccount(round));
  for (const reading of await sink.read(accounts)) {
    expect(reading).toMatchObject({ committed: 142 * CALL, held: 0, limit: CAP });
  }
  expect(await sink.verify()).toMatchObject({
    reservations: 0,
    entries: 142 * rounds,
    differences: [],
  });
});

test('random amounts from 8 processes that are killed at random: nothing overspent, leaked or wrongly refused', {
  timeout: 120_000,
}, async () => {
  const seed = Date.now() % 1_000_000;
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(`seed ${seed}`);
  });
  const random = randomOf(seed);
  let started = 0;
  const startNext = () => {
    started += 1;
    return start<HammerReport>(
      new URL('hammer-worker.ts', import.meta.url),
      port,
      `${seed + started}`,
    );
  };
  const sink = redis.sink({ timeoutMs: 20_000 });
  const accounts = hammerAccounts();
  const ending = killAtRandom(PROCESSES, startNext, random);
  let isOver = false;
  const watcher = (async () => {
    for (; !isOver; await pause(5)) {
      for (const { committed, held, limit } of await sink.read(accounts)) {
        expect(committed + held).toBeLessThanOrEqual(limit ?? 0);
      }
    }
  })();
  const ends = await ending;
  isOver = true;
  await watcher;
  expect(
    ends.flatMap(({ messages }) => messages.filter(({ type }) => type === 'false-denial')),
  ).toEqual([]);
  expect(ends.filter(({ signal }) => signal === null).every(({ code }) => code === 0)).toBe(true);
  await expect
    .poll(() => sink.verify(), { timeout: 10 * HOLD_MS })
    .toMatchObject({ reservations: 0, differences: [] });
  // Some were killed while they held something, which was charged once it expired.
  let expired = 0;
  for await (const { kind } of sink.entries()) expired += kind === 'expiry' ? 1 : 0;
  expect(expired).toBeGreaterThan(0);
  const readings = await sink.read(accounts);
  expect(readings.map(({ held }) => held)).toEqual([0, 0]);
  // Each of them to its last unit, though most calls bind both.
  for (const { account, committed, limit } of readings) {
    const left = (limit ?? 0) - committed;
    expect(left, account).toBeGreaterThanOrEqual(0);
    expect(left, account).toBeLessThan(SMALLEST);
  }
});
