import type { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { type RedisClient, RedisUsageSink } from '../src/index.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { freePort } from './support/redis-server.ts';
import { TestRedis } from './support/test-redis.ts';

const SOON = { timeout: 5_000 };
const started: TestRedis[] = [];
const ask = { id: 'r1', claims: [claimOn(accountOf('a'), 60)], ttlMs: 60_000 };

afterEach(async () => {
  for (const redis of started.splice(0)) await redis.stop();
});

async function start(...options: string[]): Promise<Redis> {
  const redis = await TestRedis.start(...options);
  started.push(redis);
  return redis.client({ enableReadyCheck: false });
}

/** A call that begins while a server says that it cannot yet, and what the server said. */
function begin(client: Redis) {
  const heard: string[] = [];
  const call: RedisClient['call'] = async (...command) => {
    try {
      return await client.call(...command);
    } catch (error) {
      heard.push(String(error));
      throw error;
    }
  };
  const sink = new RedisUsageSink({ call }, { timeoutMs: 9_000, checkServer: false });
  return { sink, heard, answer: sink.reserve(ask) };
}

test('CLUSTERDOWN: a call is tried again until its slot has a node', async () => {
  const client = await start('--cluster-enabled', 'yes');
  const { sink, heard, answer } = begin(client);
  await expect.poll(() => heard.join('\n'), SOON).toContain('CLUSTERDOWN');
  const slots = Array.from({ length: 16_384 }, (_, slot) => slot);
  await client.call('CLUSTER', 'ADDSLOTS', ...slots);
  expect(await answer).toMatchObject({ admitted: true });
  expect(await sink.verify()).toMatchObject({ reservations: 1, differences: [] });
});

test('MASTERDOWN: a call is tried again until the replica is a master itself', async () => {
  const client = await start(
    ...['--replicaof', '127.0.0.1', `${await freePort()}`],
    ...['--replica-serve-stale-data', 'no'],
  );
  const { sink, heard, answer } = begin(client);
  await expect.poll(() => heard.join('\n'), SOON).toContain('MASTERDOWN');
  await client.replicaof('NO', 'ONE');
  expect(await answer).toMatchObject({ admitted: true });
  expect(await sink.verify()).toMatchObject({ reservations: 1, differences: [] });
});
