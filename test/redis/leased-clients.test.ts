import { fromNodeRedis, fromUpstash, type RedisClient, upstashRest } from '@hardcap/redis';
import { Redis as Upstash } from '@upstash/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, describe, expect, test } from 'vitest';
import { accountOf } from '../../packages/redis/test/support/accounts.ts';
import { LeaseBench, reserve, settle } from '../../packages/redis/test/support/lease-bench.ts';
import { RestServer } from '../../packages/redis/test/support/rest-server.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { ReplyEater } from './reply-eater.ts';

const redis = await TestRedis.start();
const proxy = await ReplyEater.start(redis.server.port);
const admin = redis.client();
// Clients over HTTP lose the replies of this one.
const rest = await RestServer.start(admin, 'some-token');
const httpProxy = await ReplyEater.start(Number(new URL(rest.url).port));
const a = accountOf('a', { limit: 1_000 });

afterAll(async () => {
  await httpProxy.stop();
  await rest.stop();
  await proxy.stop();
  await redis.stop();
});

interface Opened {
  readonly client: RedisClient;
  readonly eater: ReplyEater;
  end(): void;
}

function ioredis(): Opened {
  const client = new Redis({ port: proxy.port });
  client.on('error', () => {});
  return { client, eater: proxy, end: () => client.disconnect() };
}

async function nodeRedis(): Promise<Opened> {
  const client = createClient({ url: `redis://127.0.0.1:${proxy.port}` });
  client.on('error', () => {});
  await client.connect();
  return { client: fromNodeRedis(client), eater: proxy, end: () => client.destroy() };
}

const OF_UPSTASH = { url: `http://127.0.0.1:${httpProxy.port}`, token: 'some-token' };
const overHttp = (client: RedisClient): Opened => ({ client, eater: httpProxy, end: () => {} });

const CLIENTS: readonly (readonly [name: string, open: () => Opened | Promise<Opened>])[] = [
  ['ioredis', ioredis],
  ['node-redis', nodeRedis],
  ['the REST protocol of Upstash', () => overHttp(upstashRest(OF_UPSTASH))],
  [
    '@upstash/redis',
    () => overHttp(fromUpstash(new Upstash({ ...OF_UPSTASH, automaticDeserialization: false }))),
  ],
];

describe.each(CLIENTS)('case C-14: leases, and replies that are cut: %s', (_, open) => {
  test('what calls cost counts once, and no less is held than they have', async () => {
    const { client, eater, end } = await open();
    const bench = new LeaseBench(admin);
    const sink = bench.open({}, { client });
    await bench.lease(sink, [a], 100);
    for (const id of ['before', 'cut', 'dear']) expect(await reserve(sink, id, [a], 20)).toBe(true);
    await settle(sink, 'before', [a], 5);
    // The server gets to know the script, so that it is no question for one that is eaten.
    expect(await sink.flush()).toBe(0);
    const eaten = eater.eaten;

    await settle(sink, 'cut', [a], 10);
    eater.eat('rcut');
    while ((await sink.flush()) > 0);
    expect(eater.eaten - eaten).toBe(1);
    expect((await bench.read(a)).committed).toBe(15);

    // One that leaves its lease, since it cost more than it held.
    eater.eat('rdear');
    const dear = () => settle(sink, 'dear', [a], 30);
    const answer = await dear().catch(dear);
    expect(answer).toMatchObject({ overshoot: [] });
    expect(eater.eaten - eaten).toBe(2);

    // A change of the lease itself.
    expect(await reserve(sink, 'open', [a], 40)).toBe(true);
    eater.eat('lease:p1:');
    await sink.sync().catch(() => {});
    expect(eater.eaten - eaten).toBe(3);
    expect((await bench.read(a)).held).toBeGreaterThanOrEqual(40);

    await sink.close();
    expect(await bench.figures(a)).toBe('45+40');
    expect(await bench.entries()).toEqual([
      'settlement before 5',
      'settlement cut 10',
      'settlement dear 30',
    ]);
    await bench.expectBooks();
    end();
  });
});
