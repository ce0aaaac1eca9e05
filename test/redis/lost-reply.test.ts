import { SinkUnavailableError } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';
import { Redis as Redis6 } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { ReplyEater } from './reply-eater.ts';

const redis = await TestRedis.start();
const proxy = await ReplyEater.start(redis.server.port);
const admin = redis.client();
const account = accountOf('a', { limit: 100 });
const ask = { id: 'the-call', claims: [claimOn(account, 60)], ttlMs: 60_000 };
const end = {
  id: 'the-call',
  outcome: 'known',
  charges: [{ account: 'a', amount: 50 }],
  details: {},
} as const;

afterAll(async () => {
  await proxy.stop();
  await redis.stop();
});
beforeEach(() => admin.flushall());

const CLIENTS = [
  ['ioredis 6', () => new Redis6(proxy.port)],
  ['ioredis 5', () => new Redis5(proxy.port)],
  ['ioredis 6, pipelining by itself', () => new Redis6(proxy.port, { enableAutoPipelining: true })],
  ['ioredis 5, pipelining by itself', () => new Redis5(proxy.port, { enableAutoPipelining: true })],
  [
    'ioredis 6, sending nothing again',
    () => new Redis6(proxy.port, { autoResendUnfulfilledCommands: false }),
  ],
  [
    'ioredis 5, sending nothing again',
    () => new Redis5(proxy.port, { autoResendUnfulfilledCommands: false }),
  ],
  ['ioredis 6, giving up at once', () => new Redis6(proxy.port, { maxRetriesPerRequest: 0 })],
  ['ioredis 5, giving up at once', () => new Redis5(proxy.port, { maxRetriesPerRequest: 0 })],
] as const;

/** Does it, and once more where nobody knows whether it was done. */
async function persist<Answer>(operation: () => Promise<Answer>): Promise<Answer> {
  try {
    return await operation();
  } catch (error) {
    if (!SinkUnavailableError.isInstance(error)) throw error;
    expect(error.message).toContain('repeating it with the same id is safe');
    return operation();
  }
}

describe.each(CLIENTS)('case C-14: replies are lost after the work was done: %s', (_, connect) => {
  test('counters move once, whatever the client does about it', async () => {
    const client = connect();
    client.on('error', () => {});
    const sink = new RedisUsageSink(client, { timeoutMs: 400 });
    // The server gets to know the scripts, so that it is no question for one that is eaten.
    await sink.reserve({ ...ask, id: 'before' });
    await sink.settle({ ...end, id: 'before', charges: [{ account: 'a', amount: 0 }] });
    await sink.read([account]);
    const before = proxy.eaten;

    proxy.eat('the-call');
    expect(await persist(() => sink.reserve(ask))).toMatchObject({ admitted: true });
    expect((await persist(() => sink.read([account])))[0]).toMatchObject({
      committed: 0,
      held: 60,
    });

    proxy.eat('the-call');
    const settled = await persist(() => sink.settle(end));
    expect(settled).toMatchObject({ status: 'already-resolved', first: 'settled' });
    expect((await sink.read([account]))[0]).toMatchObject({ committed: 50, held: 0 });

    // A duplicate that comes late settles nothing, and holds nothing.
    expect(await sink.settle({ ...end, charges: [{ account: 'a', amount: 99 }] })).toMatchObject({
      status: 'already-resolved',
    });
    await expect(sink.reserve(ask)).rejects.toThrow('has already ended');
    expect(await sink.verify()).toMatchObject({ entries: 2, reservations: 0, differences: [] });
    expect(proxy.eaten - before).toBe(2);
    client.disconnect();
  });
});
