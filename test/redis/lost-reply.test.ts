import { SinkUnavailableError } from '@hardcap/core';
import {
  fromNodeRedis,
  fromUpstash,
  type RedisClient,
  RedisUsageSink,
  upstashRest,
} from '@hardcap/redis';
import { Redis as Upstash } from '@upstash/redis';
import { Redis as Redis6 } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { createClient } from 'redis';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { RestServer } from '../../packages/redis/test/support/rest-server.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { ReplyEater } from './reply-eater.ts';

const redis = await TestRedis.start();
const proxy = await ReplyEater.start(redis.server.port);
const admin = redis.client();
// Clients over HTTP lose the replies of this one.
const rest = await RestServer.start(admin, 'some-token');
const httpProxy = await ReplyEater.start(Number(new URL(rest.url).port));
const account = accountOf('a', { limit: 100 });
const ask = { id: 'the-call', claims: [claimOn(account, 60)], ttlMs: 60_000 };
const end = {
  id: 'the-call',
  outcome: 'known',
  charges: [{ account: 'a', amount: 50 }],
  details: {},
} as const;

afterAll(async () => {
  await httpProxy.stop();
  await rest.stop();
  await proxy.stop();
  await redis.stop();
});
beforeEach(() => admin.flushall());

/** A client whose replies may be lost. */
interface Opened {
  readonly client: RedisClient;
  readonly eater: ReplyEater;
  end(): void;
}

function ioredis(client: Redis6 | Redis5): Opened {
  client.on('error', () => {});
  return { client: client as RedisClient, eater: proxy, end: () => client.disconnect() };
}

async function nodeRedis(): Promise<Opened> {
  const client = createClient({ url: `redis://127.0.0.1:${proxy.port}` });
  client.on('error', () => {});
  await client.connect();
  return { client: fromNodeRedis(client), eater: proxy, end: () => client.destroy() };
}

const OF_UPSTASH = { url: `http://127.0.0.1:${httpProxy.port}`, token: 'some-token' };
const overHttp = (client: RedisClient): Opened => ({ client, eater: httpProxy, end: () => {} });

const MANNERS = {
  'by default': {},
  'pipelining by itself': { enableAutoPipelining: true },
  'sending nothing again': { autoResendUnfulfilledCommands: false },
  'giving up at once': { maxRetriesPerRequest: 0 },
};
const CLIENTS: readonly (readonly [name: string, open: () => Opened | Promise<Opened>])[] = [
  ...Object.entries(MANNERS).flatMap(([manner, options]) => [
    [`ioredis 6, ${manner}`, () => ioredis(new Redis6({ port: proxy.port, ...options }))] as const,
    [`ioredis 5, ${manner}`, () => ioredis(new Redis5({ port: proxy.port, ...options }))] as const,
  ]),
  ['node-redis', nodeRedis],
  ['the REST protocol of Upstash', () => overHttp(upstashRest(OF_UPSTASH))],
  [
    '@upstash/redis',
    () => overHttp(fromUpstash(new Upstash({ ...OF_UPSTASH, automaticDeserialization: false }))),
  ],
];

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

describe.each(CLIENTS)('case C-14: replies are lost after the work was done: %s', (_, open) => {
  test('counters move once, whatever the client does about it', async () => {
    const { client, eater, end: disconnect } = await open();
    const sink = new RedisUsageSink(client, { timeoutMs: 1_000 });
    // The server gets to know the scripts, so that it is no question for one that is eaten.
    await sink.reserve({ ...ask, id: 'before' });
    await sink.settle({ ...end, id: 'before', charges: [{ account: 'a', amount: 0 }] });
    await sink.read([account]);
    const before = eater.eaten;

    eater.eat('the-call');
    expect(await persist(() => sink.reserve(ask))).toMatchObject({ admitted: true });
    expect((await persist(() => sink.read([account])))[0]).toMatchObject({
      committed: 0,
      held: 60,
    });

    eater.eat('the-call');
    const settled = await persist(() => sink.settle(end));
    expect(settled).toMatchObject({ status: 'already-resolved', first: 'settled' });
    expect((await sink.read([account]))[0]).toMatchObject({ committed: 50, held: 0 });

    // A duplicate that comes late settles nothing, and holds nothing.
    expect(await sink.settle({ ...end, charges: [{ account: 'a', amount: 99 }] })).toMatchObject({
      status: 'already-resolved',
    });
    await expect(sink.reserve(ask)).rejects.toThrow('has already ended');
    expect(await sink.verify()).toMatchObject({ entries: 2, reservations: 0, differences: [] });
    expect(eater.eaten - before).toBe(2);
    disconnect();
  });
});
