import { SinkUnavailableError } from '@hardcap/core';
import { type Durability, RedisUsageSink } from '@hardcap/redis';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { afterEach, expect, test, vi } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { startPair } from '../../packages/redis/test/support/replica-pair.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { Sentinels } from './sentinels.ts';

vi.setConfig({ testTimeout: 90_000 });

const CALLERS = 8;
const BEFORE = 200;
const AFTER = 200;
const account = accountOf('a', { limit: null });
const SOON = { timeout: 30_000, interval: 20 };
const started: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop();
});

type Place = Pick<Sentinels, 'addresses' | 'name'>;

const CLIENTS = {
  'ioredis 6': ({ addresses, name }: Place) => new Redis({ sentinels: [...addresses], name }),
  'ioredis 5': ({ addresses, name }: Place) => new Redis5({ sentinels: [...addresses], name }),
};

interface Scene {
  readonly master: TestRedis;
  readonly replica: TestRedis;
  readonly sentinels: Sentinels;
  readonly sink: RedisUsageSink;
}

/** A master, a replica of it, their sentinels, and a sink whose client asks these for the master. */
async function watched(client: keyof typeof CLIENTS, durability: Durability): Promise<Scene> {
  const [master, replica] = await startPair();
  started.push(master, replica);
  const sentinels = await Sentinels.start(master.server.port, 1);
  started.push(sentinels);
  const redis = CLIENTS[client](sentinels);
  redis.on('error', () => {});
  const sink = new RedisUsageSink(redis, { durability, timeoutMs: 1_000 });
  started.push({ stop: async () => redis.disconnect() }, { stop: () => sink.close() });
  return { master, replica, sentinels, sink };
}

/** Callers that ask for one hold after the other, until they are stopped. */
class Traffic {
  readonly admitted: string[] = [];
  refused = 0;
  isOver = false;
  readonly #sink: RedisUsageSink;
  readonly #callers: readonly Promise<void>[];
  #asked = 0;

  constructor(sink: RedisUsageSink) {
    this.#sink = sink;
    this.#callers = Array.from({ length: CALLERS }, () => this.#call());
  }

  async reaches(admitted: number): Promise<void> {
    await expect.poll(() => this.admitted.length, SOON).toBeGreaterThanOrEqual(admitted);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.#callers);
  }

  async #call(): Promise<void> {
    while (!this.isOver) {
      this.#asked += 1;
      const id = `r${this.#asked}`;
      try {
        await this.#sink.reserve({ id, claims: [claimOn(account, 7)], ttlMs: 600_000 });
        this.admitted.push(id);
      } catch (error) {
        // Any other error would be one too many.
        if (!SinkUnavailableError.isInstance(error)) throw error;
        this.refused += 1;
      }
    }
  }
}

/** How many of the holds that were admitted are not there any more. */
async function lostOf(sink: RedisUsageSink, admitted: readonly string[]): Promise<number> {
  let lost = 0;
  for (const id of admitted) {
    const { status } = await sink.settle({ id, outcome: 'known', charges: [], details: {} });
    if (status === 'never-held') lost += 1;
  }
  return lost;
}

test.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])(
  'Sentinel replaces a master that was killed under load: %s follows, and no confirmed hold is lost',
  async (client) => {
    const { master, sentinels, sink, replica } = await watched(client, {
      replicas: 1,
      timeoutMs: 500,
    });
    const traffic = new Traffic(sink);
    await traffic.reaches(BEFORE);
    master.server.signal('SIGKILL');
    const killedAt = performance.now();
    await expect.poll(() => sentinels.masterPort(), SOON).toBe(replica.server.port);
    console.log(
      `Sentinel chose another master after ${(performance.now() - killedAt).toFixed(0)} ms`,
    );
    const soFar = traffic.admitted.length;
    // Nobody confirms anything until there is a replica again.
    const another = await TestRedis.start('--replicaof', '127.0.0.1', `${replica.server.port}`);
    started.push(another);
    await traffic.reaches(soFar + AFTER);
    console.log(`calls went on after ${(performance.now() - killedAt).toFixed(0)} ms`);
    await traffic.end();
    expect(traffic.refused).toBeGreaterThan(0);
    expect(await lostOf(sink, traffic.admitted)).toBe(0);
    const { reservations, differences } = await sink.verify();
    expect(differences).toEqual([]);
    // What nobody confirmed was refused, and is given back or expires.
    expect(reservations).toBeLessThanOrEqual(traffic.refused);
  },
);

test('without confirmation calls go on as soon as there is another master, and the books are right', async () => {
  const { master, sentinels, sink, replica } = await watched('ioredis 6', 'async');
  const traffic = new Traffic(sink);
  await traffic.reaches(BEFORE);
  master.server.signal('SIGKILL');
  await expect.poll(() => sentinels.masterPort(), SOON).toBe(replica.server.port);
  await traffic.reaches(traffic.admitted.length + AFTER);
  await traffic.end();
  const lost = await lostOf(sink, traffic.admitted);
  console.log(`lost without confirmation: ${lost} of ${traffic.admitted.length}`);
  expect(traffic.refused).toBeGreaterThan(0);
  const { differences } = await sink.verify();
  expect(differences).toEqual([]);
  const kept = traffic.admitted.length - lost;
  expect((await sink.read([account]))[0]).toMatchObject({ committed: kept * 7 });
});
