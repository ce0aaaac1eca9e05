import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { type Running, start } from '../processes.ts';
import { randomOf } from '../random.ts';
import {
  CALL,
  CAP,
  HAMMER_LIMITS,
  type HammerReport,
  HOLD_MS,
  hammerAccounts,
  type RoundsReport,
  roundAccount,
  SMALLEST,
} from './fleet.ts';

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
  const running: Running<HammerReport>[] = Array.from({ length: PROCESSES }, startNext);
  const all = [...running];
  let kills = 0;
  const killer = (async () => {
    for (; kills < 12; kills += 1) {
      await pause(50 + random(150));
      const place = random(PROCESSES);
      running[place]?.child.kill('SIGKILL');
      const next = startNext();
      running[place] = next;
      all.push(next);
    }
  })();
  let isOver = false;
  const watcher = (async () => {
    for (; !isOver; await pause(5)) {
      for (const { committed, held, limit } of await sink.read(accounts)) {
        expect(committed + held).toBeLessThanOrEqual(limit ?? 0);
      }
    }
  })();
  await killer;
  const ends = await Promise.all(all.map(({ ended }) => ended));
  isOver = true;
  await watcher;
  expect(
    ends.flatMap(({ messages }) => messages.filter(({ type }) => type === 'false-denial')),
  ).toEqual([]);
  expect(ends.filter(({ signal }) => signal === null).every(({ code }) => code === 0)).toBe(true);
  await expect
    .poll(() => sink.verify(), { timeout: 10 * HOLD_MS })
    .toMatchObject({ reservations: 0, differences: [] });
  const [total, daily] = await sink.read(accounts);
  expect(total?.held).toBe(0);
  expect(daily?.held).toBe(0);
  const left = Math.min(
    HAMMER_LIMITS.total - (total?.committed ?? 0),
    HAMMER_LIMITS.daily - (daily?.committed ?? 0),
  );
  expect(left).toBeGreaterThanOrEqual(0);
  expect(left).toBeLessThan(SMALLEST);
});
