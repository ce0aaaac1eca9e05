import { ConfigError } from '@hardcap/core';
import { Cluster } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type DedicatedClient,
  fromNodeRedis,
  type RedisClient,
  RedisUsageSink,
  upstashRest,
} from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { UnconfirmedError } from '../src/unconfirmed-error.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { LEAST_PERMISSIONS } from './support/least-permissions.ts';
import { startPair } from './support/replica-pair.ts';

const [master, replica] = await startPair();
const admin = master.client();
const follower = replica.client();
const account = accountOf('a', { limit: 100 });
const ask = (id: string, amount = 7) => ({
  id,
  claims: [claimOn(account, amount)],
  ttlMs: 60_000,
});
const SOON = { timeout: 3_000 };
const SURE = { replicas: 1, timeoutMs: 4_000 } as const;
/** More replicas than there are: what a hold gets that the replica does not confirm. */
const UNSURE = { replicas: 2, timeoutMs: 20 } as const;
const url = `redis://127.0.0.1:${master.server.port}`;

afterAll(async () => {
  await replica.stop();
  await master.stop();
});
beforeEach(() => admin.flushall());

/** What the sink makes of a client of node-redis. */
async function nodeConnection(): Promise<DedicatedClient> {
  const node = await createClient({ url }).connect();
  onTestFinished(() => node.destroy());
  const dedicated = fromNodeRedis(node).duplicate?.();
  if (dedicated === undefined) throw new Error('the client has no connection of its own');
  return dedicated;
}

describe('a hold that replicas confirm', () => {
  const node = createClient({ url });
  afterAll(() => node.destroy());

  test.each([
    ['ioredis', async () => master.client()],
    ['node-redis', async () => fromNodeRedis(node.isOpen ? node : await node.connect())],
    ['a URL', async () => url],
  ] as const)('is admitted, and the replica has it by then: %s', async (_, connect) => {
    const sink = new RedisUsageSink(await connect(), { durability: SURE, timeoutMs: 5_000 });
    const before = await follower.dbsize();
    expect(await sink.reserve(ask('r1'))).toMatchObject({ admitted: true });
    expect([before, await follower.dbsize()]).toEqual([0, 2]);
    const claims = [claimOn(account, 9)];
    expect(await sink.extend({ id: 'r1', claims, ttlMs: 60_000 })).toMatchObject({
      status: 'extended',
    });
    expect(await sink.reserve(ask('r2', 100))).toMatchObject({ admitted: false });
    expect(await sink.release('r1')).toMatchObject({ status: 'released' });
    await sink.close();
  });

  test('is not admitted before: while the replica hangs, its call waits', async () => {
    const sink = new RedisUsageSink(master.client(), { durability: SURE, timeoutMs: 5_000 });
    await sink.read([account]);
    onTestFinished(() => replica.server.signal('SIGCONT'));
    replica.server.signal('SIGSTOP');
    const answered = vi.fn();
    const call = sink.reserve(ask('r1')).then(answered);
    const { books } = storeKeys('default');
    await expect.poll(() => admin.hexists(books, 'rr1'), SOON).toBe(1);
    await expect.poll(async () => await admin.info('clients'), SOON).toMatch(/blocked_clients:1\b/);
    expect(answered).not.toHaveBeenCalled();
    replica.server.signal('SIGCONT');
    await call;
    expect(answered).toHaveBeenCalledWith(expect.objectContaining({ admitted: true }));
    expect(await follower.hexists(books, 'rr1')).toBe(1);
    await sink.close();
  });

  test('is confirmed with others by one command, while another is under way', async () => {
    const sink = new RedisUsageSink(master.client(), { durability: SURE, timeoutMs: 5_000 });
    await sink.reserve(ask('first', 1));
    await admin.config('RESETSTAT');
    const asks = Array.from({ length: 64 }, (_, index) => sink.reserve(ask(`r${index}`, 1)));
    expect((await Promise.all(asks)).every(({ admitted }) => admitted)).toBe(true);
    const waits = Number(
      /cmdstat_wait:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0,
    );
    expect(waits).toBeGreaterThan(0);
    expect(waits).toBeLessThanOrEqual(3);
    await sink.close();
  });

  test('needs no more permissions than WAIT', async () => {
    await admin.call('ACL', 'SETUSER', 'budgets', ...LEAST_PERMISSIONS);
    const client = master.client({ username: 'budgets', password: 'secret' });
    const sink = new RedisUsageSink(client, { durability: SURE, timeoutMs: 5_000 });
    await expect(sink.reserve(ask('r1'))).rejects.toThrow(/0 of 1 replicas.*NOPERM/s);
    await admin.call('ACL', 'SETUSER', 'budgets', '+wait');
    expect(await sink.reserve(ask('r2'))).toMatchObject({ admitted: true });
    expect((await sink.read([account]))[0]).toMatchObject({ held: 7 });
    await sink.close();
  });
});

describe('a hold that too few confirm', () => {
  test('is given back, and the call refused', async () => {
    const sink = new RedisUsageSink(master.client(), { durability: UNSURE });
    const failure = sink.reserve(ask('r1'));
    await expect(failure).rejects.toThrow(UnconfirmedError);
    await expect(failure).rejects.toThrow('1 of 2 replicas confirmed a hold within 20 ms');
    expect((await sink.read([account]))[0]).toMatchObject({ committed: 0, held: 0 });
    await expect(sink.reserve(ask('r1'))).rejects.toThrow('has already ended');
    expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
    await sink.close();
  });

  test('is not passed by its release on the way', async () => {
    let open = () => {};
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const inner = master.client();
    const slow: DedicatedClient = {
      call: async (command, ...args) => {
        await isOpen;
        return inner.call(command, ...args);
      },
      on: (event, listener) => inner.on(event, listener),
      disconnect: () => inner.disconnect(),
    };
    const client: RedisClient = {
      call: (command, ...args) => admin.call(command, ...args),
      duplicate: () => slow,
    };
    // With a clock of its own it waits however long.
    const options = { durability: UNSURE, timeoutMs: 200, now: () => Date.now() };
    const sink = new RedisUsageSink(client, options);
    await sink.read([account]);
    await expect(sink.reserve(ask('r1'))).rejects.toThrow('did not answer within 200 ms');
    const released = sink.release('r1');
    await sink.read([account]);
    open();
    await released;
    expect((await sink.read([account]))[0]).toMatchObject({ committed: 0, held: 0 });
    await sink.close();
  });

  test('is refused as an extension, and what the call held stays held at least', async () => {
    const sure = new RedisUsageSink(master.client(), { durability: SURE, timeoutMs: 5_000 });
    const unsure = new RedisUsageSink(master.client(), { durability: UNSURE });
    await sure.reserve(ask('r1'));
    const extension = { id: 'r1', claims: [claimOn(account, 50)], ttlMs: 60_000 };
    await expect(unsure.extend(extension)).rejects.toThrow(UnconfirmedError);
    expect((await sure.read([account]))[0]?.held).toBe(50);
    const charges = [{ account: 'a', amount: 7 }];
    await unsure.settle({ id: 'r1', outcome: 'known', charges, details: {} });
    expect((await sure.read([account]))[0]).toMatchObject({ committed: 7, held: 0 });
    await Promise.all([sure.close(), unsure.close()]);
  });

  test.each([
    ['ioredis', async () => master.client()],
    ['node-redis', nodeConnection],
  ] as const)(
    'is not taken for confirmed on another connection than its own: %s',
    async (_, connect) => {
      const inner: DedicatedClient = await connect();
      const dedicated: DedicatedClient = {
        call: async (command, ...args) => {
          if (command === 'WAIT') {
            // What was written on this one is nothing that a new connection would wait for.
            const id = Number(await inner.call('CLIENT', 'ID'));
            const ended = new Promise<void>((resolve) => inner.on('close', resolve));
            await admin.client('KILL', 'ID', id);
            await ended;
          }
          return inner.call(command, ...args);
        },
        on: (event, listener) => inner.on(event, listener),
        disconnect: () => inner.disconnect(),
      };
      const client = {
        call: (command: string, ...args: (string | number)[]) => admin.call(command, ...args),
        duplicate: () => dedicated,
      };
      const sink = new RedisUsageSink(client, { durability: SURE, timeoutMs: 5_000 });
      await expect(sink.reserve(ask('r1'))).rejects.toThrow('0 of 1 replicas');
      expect((await sink.read([account]))[0]).toMatchObject({ held: 0 });
      await sink.close();
    },
  );
});

describe('where it cannot be had', () => {
  const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });

  test.each([
    ['a cluster', cluster, { replicas: 1, timeoutMs: 50 }, 'goes to several servers'],
    [
      'a client over HTTP',
      upstashRest({ url: 'http://127.0.0.1:1', token: 'x' }),
      { replicas: 1, timeoutMs: 50 },
      'no `duplicate()`',
    ],
    ['no replica', admin, { replicas: 0, timeoutMs: 10 }, 'durability.replicas'],
    ['half a replica', admin, { replicas: 0.5, timeoutMs: 10 }, 'durability.replicas'],
    ['for ever', admin, { replicas: 1, timeoutMs: 0 }, 'durability.timeoutMs'],
    ['as long as a call', admin, { replicas: 1, timeoutMs: 1_000 }, 'durability.timeoutMs'],
  ] as const)('%s is refused at once', (_, client, durability, advice) => {
    const make = () => new RedisUsageSink(client, { durability });
    expect(make).toThrow(ConfigError);
    expect(make).toThrow(advice);
  });
});
