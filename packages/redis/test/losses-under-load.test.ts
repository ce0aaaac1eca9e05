import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { RedisUsageSink } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { RedisServer } from './support/redis-server.ts';

// The counters are lost again and again while several processes have calls under way, and new ones come.
const server = await RedisServer.start();
const admin = new Redis(server.port);
const LIMIT = 2_000;
const LOSSES = 8;
const MOST_HELD = 6;

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

test.each([
  ['one store', {}],
  ['partitions', { partitionBy: ['org'] }],
])(
  'nothing that was settled is spent again, and the books are right: %s',
  async (_, options) => {
    const namespace = crypto.randomUUID();
    const account = { ...accountOf('a', { limit: LIMIT }), key: 'a|org=acme' };
    const { books, due } = storeKeys(
      'partitionBy' in options ? `${namespace}|org=acme` : namespace,
    );
    const clients: Redis[] = [];
    const join = () => {
      const client = new Redis(server.port);
      clients.push(client);
      const own = { namespace, onStoreReset: 'rebuild', timeoutMs: 10_000 } as const;
      return new RedisUsageSink(client, { ...own, ...options });
    };
    let settled = 0;
    let neverHeld = 0;
    let isFull = false;
    const work = async (sink: RedisUsageSink): Promise<void> => {
      for (;;) {
        const id = crypto.randomUUID();
        const claims = [claimOn(account, 1)];
        const { admitted } = await sink.reserve({ id, claims, ttlMs: 60_000 });
        if (!admitted) {
          isFull = true;
          return;
        }
        const end = { id, outcome: 'known', charges: [], details: {} } as const;
        const { status } = await sink.settle(end);
        if (status === 'settled') settled += 1;
        else neverHeld += 1;
      }
    };
    const workers = Array.from({ length: MOST_HELD / 2 }, () => work(join()));
    for (let loss = 0; loss < LOSSES; loss += 1) {
      const before = settled;
      await expect.poll(() => isFull || settled > before + 20, { timeout: 10_000 }).toBe(true);
      await admin.del(books, due);
      if (loss < MOST_HELD / 2) workers.push(work(join()));
    }
    await Promise.all(workers);
    const sink = join();
    expect(await sink.read([account])).toMatchObject([{ committed: LIMIT, held: 0 }]);
    expect(settled).toBe(LIMIT);
    expect(neverHeld).toBeLessThanOrEqual(LOSSES * MOST_HELD);
    expect(await sink.verify()).toMatchObject({ entries: LIMIT, differences: [] });
    for (const client of clients) client.disconnect();
  },
  60_000,
);
