import { usageSinkContract } from '@hardcap/conformance';
import { ConfigError } from '@hardcap/core';
import { fromNodeRedis, RedisUsageSink, type RedisUsageSinkOptions } from '@hardcap/redis';
import { createCluster } from 'redis';
import { afterAll, describe, expect, it, test, vi } from 'vitest';
import { Partition } from '../../packages/redis/src/partition.ts';
import { storeKeys } from '../../packages/redis/src/store-keys.ts';
import {
  createPartitionedSink,
  spread,
} from '../../packages/redis/test/support/partitioned-store.ts';
import { createTestSink } from '../../packages/redis/test/support/test-store.ts';
import { UNHURRIED_MS } from '../../packages/redis/test/support/unhurried.ts';
import { allAccount, ORGS, orgAccount } from './partition-fleet.ts';
import { RedisCluster } from './redis-cluster.ts';

vi.setConfig({ testTimeout: 60_000 });

const SOON = { timeout: 20_000 };

const cluster = await RedisCluster.start();
const owner = cluster.client();
const node = createCluster({
  rootNodes: cluster.ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
  // By default it looks for another master 5 s after it has lost one.
  topologyRefreshOnReconnectionAttemptStrategy: 500,
});
node.on('error', () => {});
await node.connect();
const client = fromNodeRedis(node);

afterAll(async () => {
  node.destroy();
  await cluster.stop();
});

const ALL = {
  clock: 'injected',
  durable: true,
  shared: true,
  keepsDetails: false,
  loses: true,
  tampers: true,
} as const;

describe('RedisUsageSink on a cluster client of node-redis, with three masters', () => {
  usageSinkContract({ describe, it }, (context) => createTestSink(client, context, owner), ALL);
});

describe('RedisUsageSink, partitioned, on a cluster client of node-redis, with three masters', () => {
  usageSinkContract(
    { describe, it },
    (context) => createPartitionedSink(client, context, spread, owner),
    ALL,
  );
});

test('confirmation cannot be had of it', () => {
  const durability = { replicas: 1, timeoutMs: 50 };
  const make = () => new RedisUsageSink(client, { durability });
  expect(make).toThrow(ConfigError);
  expect(make).toThrow('goes to several servers');
});

const end = { outcome: 'known', charges: [], details: {} } as const;
const both = (org: string) =>
  [orgAccount(org), allAccount()].map((account) => ({ account, amount: 7 }));

test('the keys of each partition are on the node that has their slot, and nodes share them', async () => {
  const options = { namespace: 'spread', partitionBy: ['org'], timeoutMs: UNHURRIED_MS };
  const sink = new RedisUsageSink(client, options);
  const partition = new Partition('spread', ['org']);
  const ports = new Set<number>();
  for (const org of ORGS) {
    expect(await sink.reserve({ id: org, claims: both(org), ttlMs: 60_000 })).toMatchObject({
      admitted: true,
    });
    await sink.settle({ ...end, id: org });
    const keys = Object.values(partition.keysOf(`org=${org}`));
    const { server, client: master } = await cluster.masterOf(keys[0] ?? '');
    const stored = await master.keys(`{hardcap:spread|org=${org}}*`);
    expect(stored.toSorted()).toEqual(keys.toSorted());
    ports.add(server.port);
  }
  expect(ports.size).toBeGreaterThan(1);
  expect(await sink.read([allAccount()])).toMatchObject([{ committed: 7 * ORGS.length, held: 0 }]);
  expect(await sink.verify()).toMatchObject({ entries: ORGS.length, differences: [] });
});

test('a slot that moves to another node in mid-traffic: every call counts once', async () => {
  const namespace = 'moving';
  const sink = new RedisUsageSink(client, { namespace, timeoutMs: UNHURRIED_MS });
  const { books } = storeKeys(namespace);
  const account = allAccount(1_000_000);
  let isOver = false;
  let calls = 0;
  const caller = async (name: string) => {
    for (let index = 0; !isOver; index += 1) {
      const id = `${name}-${index}`;
      await sink.reserve({ id, claims: [{ account, amount: 7 }], ttlMs: 600_000 });
      await sink.settle({ ...end, id });
      calls += 1;
    }
  };
  const traffic = ['a', 'b', 'c', 'd'].map(caller);
  const before = await cluster.masterOf(books);
  await vi.waitFor(() => expect(calls).toBeGreaterThan(20), SOON);
  await cluster.moveSlot(books);
  const atMove = calls;
  await vi.waitFor(() => expect(calls).toBeGreaterThan(atMove + 20), SOON);
  isOver = true;
  await Promise.all(traffic);
  expect((await cluster.masterOf(books)).server).not.toBe(before.server);
  expect(await sink.read([account])).toMatchObject([{ committed: 7 * calls, held: 0 }]);
  expect(await sink.verify()).toMatchObject({ entries: calls, reservations: 0, differences: [] });
});

const ways: readonly (readonly [name: string, options: RedisUsageSinkOptions, books: string])[] = [
  ['one store', {}, storeKeys('killed').books],
  ['partitions', { partitionBy: ['org'] }, new Partition('killed', ['org']).keysOf(null).books],
];

test.each(ways)(
  'a master is killed under load (%s): each call counts once',
  async (_, options, books) => {
    const own = { namespace: 'killed', ...options };
    const sink = new RedisUsageSink(client, { ...own, timeoutMs: 500 });
    const [org = ''] = ORGS;
    const ask = (id: string) => ({ id, claims: both(org), ttlMs: 600_000 });
    for (let index = 0; index < 20; index += 1) await sink.reserve(ask(`before-${index}`));
    const { server, client: master } = await cluster.masterOf(books);
    const elsewhere: string[] = [];
    for (let index = 0; elsewhere.length < 4; index += 1) {
      const namespace = `elsewhere-${index}`;
      const isOther = (await cluster.masterOf(storeKeys(namespace).books)).server !== server;
      if (isOther) elsewhere.push(namespace);
    }
    // What was acknowledged so far is on the replica: what a failover loses is not the question here.
    await master.set(books.replace('books', 'mark'), '1', 'PX', 60_000);
    expect(await master.wait(1, 10_000)).toBe(1);
    server.signal('SIGSTOP');
    let failed = 0;
    const persist = async (id: string): Promise<boolean> => {
      for (;;) {
        try {
          return (await sink.reserve(ask(id))).admitted;
        } catch {
          failed += 1;
        }
      }
    };
    const during = Array.from({ length: 10 }, (__, index) => persist(`during-${index}`));
    await server.kill();
    const killedAt = performance.now();
    // A process that comes now has to ask a node that is there what it is.
    for (const namespace of elsewhere) {
      const newcomer = new RedisUsageSink(client, { namespace, timeoutMs: 2_000 });
      expect(await newcomer.read([allAccount()])).toMatchObject([{ held: 0 }]);
    }
    expect((await Promise.all(during)).every((isAdmitted) => isAdmitted)).toBe(true);
    console.log(`outage ${(performance.now() - killedAt).toFixed(0)} ms`);
    expect(failed).toBeGreaterThan(0);
    const patient = new RedisUsageSink(client, { ...own, timeoutMs: 10_000 });
    for (const { held } of await patient.read([orgAccount(org), allAccount()])) {
      expect(held).toBe(30 * 7);
    }
    for (let index = 0; index < 20; index += 1) {
      expect(await patient.settle({ ...end, id: `before-${index}` })).toMatchObject({
        status: 'settled',
      });
    }
    expect(await patient.verify()).toMatchObject({ differences: [] });
    // As a replica of the other, which the next test may kill.
    await server.crash();
  },
);
