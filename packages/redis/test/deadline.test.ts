import { SinkUnavailableError } from '@hardcap/core';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fromNodeRedis, type RedisClient, RedisUsageSink } from '../src/index.ts';
import { OPEN } from '../src/scripts.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { freePort } from './support/redis-server.ts';
import { TAKES_FLAGS } from './support/server-version.ts';
import { TestRedis } from './support/test-redis.ts';

const TIMEOUT_MS = 1_000;
const redis = await TestRedis.start();
const { port } = redis.server;
const a = accountOf('a', { limit: 1_000_000 });
const account = { account: a, details: {} };

afterAll(() => redis.stop());
afterEach(() => {
  redis.server.signal('SIGCONT');
  vi.useRealTimers();
});

/** Everything that a call may have to wait for. */
const OPERATIONS: Readonly<Record<string, (sink: RedisUsageSink) => PromiseLike<unknown>>> = {
  reserve: (sink) => sink.reserve({ id: 'r1', claims: [claimOn(a, 7)], ttlMs: 60_000 }),
  extend: (sink) => sink.extend({ id: 'r0', claims: [claimOn(a, 8)], ttlMs: 60_000 }),
  settle: (sink) => sink.settle({ id: 'r0', outcome: 'known', charges: [], details: {} }),
  release: (sink) => sink.release('r0'),
  read: (sink) => sink.read([a]),
  adjust: (sink) => sink.adjust({ ...account, id: 'a1', change: { type: 'top-up', amount: 1 } }),
};

/** What becomes of an operation, as soon as anything does. */
class Watched {
  state: 'waits' | 'answered' | 'failed' = 'waits';
  error: unknown;

  constructor(operation: PromiseLike<unknown>) {
    operation.then(
      () => {
        this.state = 'answered';
      },
      (error: unknown) => {
        this.state = 'failed';
        this.error = error;
      },
    );
  }
}

/**
 * From here on time passes when it is told to, for the timers of this process: whether an error comes in
 * time does not depend on how fast the machine is. Sockets have timers of their own.
 */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
}

/** @param leftMs until the deadline */
async function expectErrorInTime(watched: Watched, leftMs: number = TIMEOUT_MS): Promise<void> {
  await vi.advanceTimersByTimeAsync(leftMs - 1);
  expect(watched.state).toBe('waits');
  await vi.advanceTimersByTimeAsync(1);
  expect(watched.state).toBe('failed');
  expect(SinkUnavailableError.isInstance(watched.error)).toBe(true);
  expect(String(watched.error)).toContain('did not answer within 1000 ms');
}

const CLIENTS: readonly (readonly [name: string, open: () => Promise<Opened>])[] = [
  ['ioredis 6', async () => ioredis(new Redis(port))],
  ['ioredis 5', async () => ioredis(new Redis5(port))],
  [
    'ioredis with auto-pipelining',
    async () => ioredis(new Redis({ port, enableAutoPipelining: true })),
  ],
  ['node-redis', nodeRedisClient],
];

interface Opened {
  readonly client: RedisClient;
  end(): void;
}

function ioredis(client: Redis | Redis5): Opened {
  client.on('error', () => {});
  return { client: client as RedisClient, end: () => client.disconnect() };
}

async function nodeRedisClient(): Promise<Opened> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  client.on('error', () => {});
  await client.connect();
  return { client: fromNodeRedis(client), end: () => client.destroy() };
}

describe.each(CLIENTS)('a server that hangs, and %s', (_, open) => {
  test.each(Object.entries(OPERATIONS))(
    '%s fails at the deadline, to the ms',
    async (_name, make) => {
      const { client, end } = await open();
      const sink = new RedisUsageSink(client, {
        timeoutMs: TIMEOUT_MS,
        namespace: crypto.randomUUID(),
      });
      await sink.reserve({ id: 'r0', claims: [claimOn(a, 7)], ttlMs: 60_000 });
      redis.server.signal('SIGSTOP');
      stopTime();
      await expectErrorInTime(new Watched(make(sink)));
      end();
    },
  );

  test('so does the first operation, which has to meet the server', async () => {
    const { client, end } = await open();
    await client.call('PING');
    const sink = new RedisUsageSink(client, {
      timeoutMs: TIMEOUT_MS,
      namespace: crypto.randomUUID(),
    });
    redis.server.signal('SIGSTOP');
    stopTime();
    await expectErrorInTime(new Watched(sink.read([a])));
    end();
  });
});

describe('a server that is not there', () => {
  const manners: readonly (readonly [name: string, open: (port: number) => Redis | Redis5])[] = [
    ['ioredis 6', (absent) => new Redis(absent)],
    ['ioredis 5', (absent) => new Redis5(absent)],
    ['ioredis that queues nothing', (absent) => new Redis(absent, { enableOfflineQueue: false })],
    ['ioredis that gives up at once', (absent) => new Redis(absent, { maxRetriesPerRequest: 0 })],
  ];

  test.each(manners)('fails the first operation no later than that: %s', async (_, open) => {
    const client = open(await freePort());
    client.on('error', () => {});
    const sink = new RedisUsageSink(client as RedisClient, { timeoutMs: TIMEOUT_MS });
    stopTime();
    const watched = new Watched(sink.reserve({ id: 'r1', claims: [claimOn(a, 7)], ttlMs: 60_000 }));
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(watched.state).toBe('failed');
    expect(SinkUnavailableError.isInstance(watched.error)).toBe(true);
    client.disconnect();
  });
});

/** A client of a server that is far away: each of its replies takes so long. */
class FarClient implements RedisClient {
  /** Replies that are on their way. */
  waiting = 0;
  readonly #client: RedisClient;
  readonly #delayMs: number;

  constructor(client: RedisClient, delayMs: number) {
    this.#client = client;
    this.#delayMs = delayMs;
  }

  async call(...command: Parameters<RedisClient['call']>): Promise<unknown> {
    const reply = this.#client.call(...command);
    await Promise.allSettled([reply]);
    this.waiting += 1;
    await new Promise((resolve) => setTimeout(resolve, this.#delayMs));
    this.waiting -= 1;
    return reply;
  }

  /** Until the server itself has given so many replies, for which no time passes here. */
  async replied(count = 1): Promise<void> {
    while (this.waiting < count) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('several round trips of one operation have one deadline', () => {
  const far = () => new FarClient(redis.client(), TIMEOUT_MS * 0.4);
  // Of the scripts, the server knows the one that opens the store: any other takes a trip more.
  beforeEach(async () => {
    const admin = redis.client();
    await admin.script('FLUSH');
    await admin.script('LOAD', (TAKES_FLAGS && OPEN.flagged?.text) || OPEN.text);
  });
  const sinkOn = (client: RedisClient) =>
    new RedisUsageSink(client, { timeoutMs: TIMEOUT_MS, namespace: crypto.randomUUID() });

  test('of the first operation, which meets the server: the third trip is cut short', async () => {
    const client = far();
    stopTime();
    const watched = new Watched(sinkOn(client).read([a]));
    for (const _ of ['INFO', 'the script that opens the store']) {
      await client.replied();
      await vi.advanceTimersByTimeAsync(TIMEOUT_MS * 0.4);
    }
    await client.replied();
    await expectErrorInTime(watched, TIMEOUT_MS * 0.2);
  });

  test('of one that waits for another to meet the server: from when it began itself', async () => {
    const client = far();
    const sink = sinkOn(client);
    stopTime();
    const first = new Watched(sink.read([a]));
    await client.replied();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS * 0.4);
    const second = new Watched(sink.read([a]));
    await client.replied();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS * 0.4);
    await client.replied(2);
    await expectErrorInTime(first, TIMEOUT_MS * 0.2);
    // To be told that the server does not know the script has taken a trip.
    await expectErrorInTime(second, TIMEOUT_MS * 0.4);
  });
});
