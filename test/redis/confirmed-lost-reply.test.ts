import { RedisUsageSink } from '@hardcap/redis';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { afterAll, expect, test } from 'vitest';
import { storeKeys } from '../../packages/redis/src/store-keys.ts';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { startPair } from '../../packages/redis/test/support/replica-pair.ts';
import { ReplyEater } from './reply-eater.ts';

const [master, replica] = await startPair();
const follower = replica.client();
const proxy = await ReplyEater.start(master.server.port);
const account = accountOf('a', { limit: 100 });

afterAll(async () => {
  await proxy.stop();
  await replica.stop();
  await master.stop();
});

test.each([
  ['ioredis 6', () => new Redis(proxy.port)],
  ['ioredis 5', () => new Redis5(proxy.port)],
] as const)(
  'a hold whose reply was lost is confirmed on the next connection: %s',
  async (_, connect) => {
    const client = connect();
    client.on('error', () => {});
    const namespace = crypto.randomUUID();
    const durability = { replicas: 1, timeoutMs: 5_000 };
    const sink = new RedisUsageSink(client, { namespace, durability, timeoutMs: 9_000 });
    await sink.reserve({ id: 'before', claims: [claimOn(account, 1)], ttlMs: 60_000 });
    const before = proxy.eaten;
    proxy.eat('the-call');
    const ask = { id: 'the-call', claims: [claimOn(account, 60)], ttlMs: 60_000 };
    expect(await sink.reserve(ask)).toMatchObject({ admitted: true });
    expect(proxy.eaten - before).toBe(1);
    expect(await follower.hexists(storeKeys(namespace).books, 'rthe-call')).toBe(1);
    expect(await sink.read([account])).toMatchObject([{ committed: 0, held: 61 }]);
    await sink.close();
    client.disconnect();
  },
);
