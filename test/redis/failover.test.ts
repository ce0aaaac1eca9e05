import { RedisUsageSink } from '@hardcap/redis';
import { afterEach, expect, test } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';

const account = accountOf('a', { limit: 1_000_000 });
const started: TestRedis[] = [];

afterEach(async () => {
  for (const redis of started.splice(0)) await redis.stop();
});

async function start(...options: string[]): Promise<TestRedis> {
  const redis = await TestRedis.start(...options);
  started.push(redis);
  return redis;
}

async function pair(): Promise<readonly [master: TestRedis, replica: TestRedis]> {
  const master = await start('--repl-diskless-sync-delay', '0');
  const replica = await start('--replicaof', '127.0.0.1', `${master.server.port}`);
  const state = async () => String(await replica.client().info('replication'));
  await expect.poll(state, { timeout: 10_000 }).toContain('master_link_status:up');
  return [master, replica];
}

const ask = (id: string) => ({ id, claims: [claimOn(account, 7)], ttlMs: 600_000 });
const end = (id: string) => ({ id, outcome: 'known', charges: [], details: {} }) as const;

test('a promoted replica that lacks the last writes: somebody is told, and the books are right', async () => {
  const [master, replica] = await pair();
  let current = master.client();
  const sink = new RedisUsageSink({ call: (command, ...args) => current.call(command, ...args) });
  for (let index = 0; index < 10; index += 1) await sink.reserve(ask(`kept-${index}`));
  await current.wait(1, 5_000);

  // Cut off from its master: nothing listens on port 1.
  const promoted = replica.client();
  await promoted.replicaof('127.0.0.1', 1);
  for (let index = 0; index < 10; index += 1) await sink.reserve(ask(`lost-${index}`));
  for (let index = 0; index < 3; index += 1) await sink.settle(end(`kept-${index}`));
  await master.server.stop();
  current = promoted;
  await current.replicaof('NO', 'ONE');

  const after = await sink.reserve(ask('after'));
  expect(after).toMatchObject({ admitted: true, notices: [{ type: 'store-reset' }] });
  expect((await sink.read([account]))[0]).toMatchObject({ committed: 0, held: 11 * 7 });
  expect((await sink.reserve(ask('next'))).notices).toEqual([]);
  // What was lost was never held here; what was settled on the old master is open, and settles again.
  expect(await sink.settle(end('lost-0'))).toMatchObject({ status: 'never-held' });
  expect(await sink.settle(end('kept-0'))).toMatchObject({ status: 'settled' });
  expect(await sink.verify()).toMatchObject({ reservations: 11, entries: 1, differences: [] });
});

test('a promoted replica that has everything: nothing is told, and nothing is lost', async () => {
  const [master, replica] = await pair();
  let current = master.client();
  const sink = new RedisUsageSink({ call: (command, ...args) => current.call(command, ...args) });
  for (let index = 0; index < 10; index += 1) await sink.reserve(ask(`r${index}`));
  await sink.settle(end('r0'));
  await current.wait(1, 5_000);
  await master.server.stop();
  current = replica.client();
  await current.replicaof('NO', 'ONE');
  // It has never seen the scripts.
  expect(await sink.reserve(ask('r10'))).toMatchObject({ admitted: true, notices: [] });
  expect((await sink.read([account]))[0]).toMatchObject({ committed: 7, held: 70 });
  expect(await sink.settle(end('r1'))).toMatchObject({ status: 'settled' });
});
