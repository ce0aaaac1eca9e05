import { setTimeout as pause } from 'node:timers/promises';
import { usageSinkContract, usageSinkModel } from '@hardcap/conformance';
import { MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { Partition } from '../../packages/redis/src/partition.ts';
import {
  createPartitionedSink,
  spread,
} from '../../packages/redis/test/support/partitioned-store.ts';
import { start } from '../processes.ts';
import { randomOf } from '../random.ts';
import { CALL, HOLD_MS, type RoundsReport, roundAccount, SMALLEST } from './fleet.ts';
import { killAtRandom } from './kill-at-random.ts';
import {
  ALL_LIMIT,
  allAccount,
  ORG_LIMIT,
  ORGS,
  orgAccount,
  type PartitionReport,
  sinkOnCluster,
} from './partition-fleet.ts';
import { RedisCluster } from './redis-cluster.ts';

vi.setConfig({ testTimeout: 240_000 });

const PROCESSES = 8;
// Histories jump by days, and the model never forgets.
const FOREVER = { rememberedMs: 1e12, awaitedMs: 1e12, idleMs: 1e12 };
const cluster = await RedisCluster.start();
const client = cluster.client();
const ports = cluster.ports.join();

afterAll(() => cluster.stop());

describe('RedisUsageSink, partitioned, on a cluster of three masters', () => {
  usageSinkContract(
    { describe, it },
    (context) => createPartitionedSink(client, context, spread, client),
    {
      clock: 'injected',
      durable: true,
      shared: true,
      keepsDetails: false,
      loses: true,
      tampers: true,
    },
  );
});

test('on a cluster, too, histories agree with the memory sink and the model', () =>
  usageSinkModel({
    fastCheck,
    runs: 100,
    createSinks: (context) => ({
      memory: { sink: new MemoryUsageSink(context) },
      clustered: createPartitionedSink(client, context, spread, client, FOREVER),
    }),
  }));

test('each tenant is in one slot, and tenants are spread over slots and nodes', async () => {
  const { sink, client: own } = sinkOnCluster(ports, { namespace: 'spread' });
  onTestFinished(() => own.disconnect());
  const partition = new Partition('spread', ['org']);
  const slots = new Set<number>();
  const nodes = new Set<number>();
  const values = [...ORGS, '{same}', '{same}b', 'a}b', '}{', 'x'.repeat(200)];
  for (const org of values) {
    const account = orgAccount(org);
    const claims = [account, allAccount()].map((each) => ({ account: each, amount: 7 }));
    await sink.reserve({ id: org.slice(0, 60), claims, ttlMs: 60_000 });
    const keys = Object.values(partition.keysOf(partition.nameOf(account.key)));
    const own = await Promise.all(keys.map((key) => client.cluster('KEYSLOT', key)));
    expect(new Set(own).size, org).toBe(1);
    slots.add(own[0] ?? -1);
    nodes.add((await cluster.masterOf(keys[0] ?? '')).server.port);
  }
  expect(slots.size).toBe(values.length);
  expect(nodes.size).toBe(3);
  const [all] = await sink.read([allAccount()]);
  expect(all?.held).toBe(7 * values.length);
});

test('8 processes admit 142 of 7,000 under a cap of 1,000,000 above all tenants, in each of 30 rounds', async () => {
  const rounds = 30;
  const workers = Array.from({ length: PROCESSES }, (_, index) => {
    const worker = new URL('partition-rounds-worker.ts', import.meta.url);
    return start<RoundsReport>(worker, ports, `${rounds}`, '30', `p${index}`);
  });
  const reports = (await Promise.all(workers.map(({ ended }) => ended))).map(
    ({ messages }) => messages[0],
  );
  for (let round = 0; round < rounds; round += 1) {
    const admitted = reports.map((report) => report?.admitted[round] ?? Number.NaN);
    const sum = admitted.reduce((total, count) => total + count, 0);
    expect(sum, `round ${round}`).toBe(142);
  }
  const { sink, client: own } = sinkOnCluster(ports, { namespace: 'rounds' });
  onTestFinished(() => own.disconnect());
  const above = Array.from({ length: rounds }, (_, round) => roundAccount(round));
  for (const reading of await sink.read(above)) {
    expect(reading).toMatchObject({ committed: 142 * CALL, held: 0 });
  }
  const within = await sink.read(ORGS.map((org) => orgAccount(org)));
  const spent = within.reduce((sum, { committed }) => sum + committed, 0);
  expect(spent).toBe(rounds * 142 * CALL);
  expect(within.every(({ held }) => held === 0)).toBe(true);
  expect(await sink.verify()).toMatchObject({
    reservations: 0,
    entries: 142 * rounds,
    differences: [],
  });
});

test('random amounts for six tenants from 8 processes that are killed at random: nothing overspent or leaked', async () => {
  const seed = Date.now() % 1_000_000;
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(`seed ${seed}`);
  });
  const random = randomOf(seed);
  let started = 0;
  const startNext = () => {
    started += 1;
    const worker = new URL('partition-worker.ts', import.meta.url);
    return start<PartitionReport>(worker, ports, `${seed + started}`);
  };
  const { sink, client: own } = sinkOnCluster(ports);
  onTestFinished(() => own.disconnect());
  const accounts = [...ORGS.map((org) => orgAccount(org)), allAccount()];
  const ending = killAtRandom(PROCESSES, startNext, random);
  let isOver = false;
  const watcher = (async () => {
    for (; !isOver; await pause(5)) {
      for (const { account, committed, held, limit } of await sink.read(accounts)) {
        expect(committed + held, account).toBeLessThanOrEqual(limit ?? 0);
      }
    }
  })();
  const ends = await ending;
  isOver = true;
  await watcher;
  const messages = ends.flatMap((end) => end.messages);
  expect(messages.filter(({ type }) => type === 'false-denial')).toEqual([]);
  expect(ends.filter(({ signal }) => signal === null).every(({ code }) => code === 0)).toBe(true);
  await expect
    .poll(() => sink.verify(), { timeout: 20 * HOLD_MS })
    .toMatchObject({ reservations: 0, differences: [] });
  // Some were killed while they held something, which was charged once it expired.
  let expired = 0;
  for await (const { kind } of sink.entries()) expired += kind === 'expiry' ? 1 : 0;
  expect(expired).toBeGreaterThan(0);
  const readings = await sink.read(accounts);
  expect(readings.every(({ held }) => held === 0)).toBe(true);
  const above = readings.at(-1);
  const committed = readings.slice(0, -1).map((reading) => reading.committed);
  const settled = messages.reduce((sum, report) => sum + report.settled, 0);
  // What anybody has seen settled is on both sides.
  expect(above?.committed).toBeGreaterThanOrEqual(settled);
  expect(committed.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(settled);
  const left = ALL_LIMIT - (above?.committed ?? 0);
  expect(left).toBeGreaterThanOrEqual(0);
  // Used to within the smallest call, above them all or by each of them.
  const isUsed = left < SMALLEST || committed.every((each) => ORG_LIMIT - each < SMALLEST);
  expect(isUsed, `${left} is left above, and ${committed} is spent`).toBe(true);
});

test('the master of the store above is killed: tenants go on alone, and calls with a part above count once', async () => {
  const namespace = 'killed';
  const { sink, client: own } = sinkOnCluster(ports, { namespace, timeoutMs: 500 });
  onTestFinished(() => own.disconnect());
  const partition = new Partition(namespace, ['org']);
  const { books } = partition.keysOf(null);
  const { server, client: master } = await cluster.masterOf(books);
  const elsewhere: string[] = [];
  for (let index = 0; elsewhere.length < 2; index += 1) {
    const key = partition.keysOf(`org=t${index}`).books;
    if ((await cluster.masterOf(key)).server !== server) elsewhere.push(`t${index}`);
  }
  const within = (org: string) => [{ account: orgAccount(org), amount: 7 }];
  const both = (org: string) => [...within(org), { account: allAccount(), amount: 7 }];
  const [one = '', other = ''] = elsewhere;
  const ask = (id: string, claims: ReturnType<typeof within>) => ({ id, claims, ttlMs: 600_000 });
  for (const org of elsewhere) await sink.reserve(ask(`before-${org}`, both(org)));
  await master.set(books.replace('books', 'mark'), '1', 'PX', 60_000);
  expect(await master.wait(1, 10_000)).toBe(1);
  server.signal('SIGSTOP');
  server.signal('SIGKILL');
  expect(await sink.reserve(ask('alone', within(one)))).toMatchObject({ admitted: true });
  let failed = 0;
  const persist = async (id: string): Promise<boolean> => {
    for (;;) {
      try {
        return (await sink.reserve(ask(id, both(other)))).admitted;
      } catch {
        failed += 1;
      }
    }
  };
  const during = Array.from({ length: 10 }, (_, index) => persist(`during-${index}`));
  expect((await Promise.all(during)).every((isAdmitted) => isAdmitted)).toBe(true);
  expect(failed).toBeGreaterThan(0);
  const { sink: patient, client: another } = sinkOnCluster(ports, { namespace });
  onTestFinished(() => another.disconnect());
  const accounts = [orgAccount(one), orgAccount(other), allAccount()];
  const held = (await patient.read(accounts)).map((reading) => reading.held);
  expect(held).toEqual([2 * 7, 11 * 7, 12 * 7]);
  expect(await patient.verify()).toMatchObject({ reservations: 13, differences: [] });
});
