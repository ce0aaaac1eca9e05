import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { storeKeys } from '../../packages/redis/src/store-keys.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { type Running, start } from '../processes.ts';
import { randomOf } from '../random.ts';
import {
  CALL,
  CAP,
  HAMMER_LIMITS,
  type HammerReport,
  hammerAccounts,
  LEASES,
  type RoundsReport,
  roundAccount,
  SMALLEST,
} from './fleet.ts';

const PROCESSES = 8;
const redis = await TestRedis.start();
const port = `${redis.server.port}`;

afterAll(() => redis.stop());

const client = redis.client();

/** How many leases there are at a moment. */
async function leaseCount(): Promise<number> {
  const fields = await client.hkeys(storeKeys('default').books);
  return fields.filter((field) => field.startsWith('rlease:')).length;
}

test('8 processes that lease admit 142 of 7,000 under 1,000,000 in each of 20 rounds, and leak nothing', {
  timeout: 120_000,
}, async () => {
  const rounds = 20;
  const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
  const worker = new URL('rounds-worker.ts', import.meta.url);
  const workers = names.map((name) => {
    return start<RoundsReport>(worker, port, `${rounds}`, '30', name, 'leases');
  });
  const ends = await Promise.all(workers.map(({ ended }) => ended));
  expect(await leaseCount()).toBeGreaterThan(0);
  const reports = ends.map(({ messages }) => messages[0]);
  for (let round = 0; round < rounds; round += 1) {
    const admitted = reports.map((report) => report?.admitted[round] ?? Number.NaN);
    const sum = admitted.reduce((total, count) => total + count, 0);
    expect(sum, `round ${round}`).toBe(142);
  }
  const sink = redis.sink({ timeoutMs: 20_000 });
  const accounts = Array.from({ length: rounds }, (_, round) => roundAccount(round));
  for (const reading of await sink.read(accounts)) {
    expect(reading).toMatchObject({ committed: 142 * CALL, held: 0, limit: CAP });
  }
  expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
});

/** Random amounts from 8 processes that lease. @param kills how many of them are killed meanwhile */
async function hammer(kills: number): Promise<number> {
  const seed = Date.now() % 1_000_000;
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(`seed ${seed}`);
  });
  const random = randomOf(seed);
  const worker = new URL('hammer-worker.ts', import.meta.url);
  let started = 0;
  const startNext = () => {
    started += 1;
    return start<HammerReport>(worker, port, `${seed + started}`, 'leases');
  };
  const sink = redis.sink({ timeoutMs: 20_000 });
  const accounts = hammerAccounts();
  const running: Running<HammerReport>[] = Array.from({ length: PROCESSES }, startNext);
  const all = [...running];
  let [isOver, leases] = [false, 0];
  const watcher = (async () => {
    for (; !isOver; await pause(5)) {
      leases = Math.max(leases, await leaseCount());
      for (const { committed, held, limit } of await sink.read(accounts)) {
        expect(committed + held).toBeLessThanOrEqual(limit ?? 0);
      }
    }
  })();
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(200 + random(300));
    const place = random(PROCESSES);
    running[place]?.child.kill('SIGKILL');
    const next = startNext();
    running[place] = next;
    all.push(next);
  }
  const ends = await Promise.all(all.map(({ ended }) => ended));
  isOver = true;
  await watcher;
  expect(leases).toBeGreaterThan(0);
  const said = ends.flatMap(({ messages }) => messages);
  expect(said.filter(({ type }) => type === 'false-denial')).toEqual([]);
  expect(ends.filter(({ signal }) => signal === null).every(({ code }) => code === 0)).toBe(true);
  await expect
    .poll(() => sink.verify(), { timeout: 5 * LEASES.ttlMs })
    .toMatchObject({ reservations: 0, differences: [] });
  const readings = await sink.read(accounts);
  const left = readings.map(({ limit, committed, held }) => {
    expect(held).toBe(0);
    return (limit ?? 0) - committed;
  });
  expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
  return Math.min(...left);
}

test('random amounts from 8 processes that lease: nothing overspent or leaked, and the cap is used up', {
  timeout: 120_000,
}, async () => {
  expect(await hammer(0)).toBeLessThan(SMALLEST);
});

test('with some that are killed: nothing overspent, and their blocks are charged once', {
  timeout: 120_000,
}, async () => {
  const kills = 6;
  await client.flushall();
  await hammer(kills);
  const sink = redis.sink({ timeoutMs: 20_000 });
  const stranded = new Map<string, number>();
  for await (const entry of sink.entries()) {
    if (entry.kind !== 'expiry' || !entry.id.startsWith('lease:')) continue;
    for (const { account, amount } of entry.charges) {
      stranded.set(account, (stranded.get(account) ?? 0) + amount);
    }
  }
  // A block is at most this share of what was left at the time.
  const most = HAMMER_LIMITS.total * LEASES.share * kills;
  for (const amount of stranded.values()) expect(amount).toBeLessThanOrEqual(most);
});
