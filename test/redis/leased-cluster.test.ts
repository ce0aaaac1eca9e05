import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Partition } from '../../packages/redis/src/partition.ts';
import { claimOn } from '../../packages/redis/test/support/accounts.ts';
import { ALL_LIMIT, allAccount, ORGS, orgAccount, sinkOnCluster } from './partition-fleet.ts';
import { RedisCluster } from './redis-cluster.ts';

const LEASES = { after: 2, share: 1 / 4, syncMs: 50, ttlMs: 60_000 } as const;
const SOON = { timeout: 20_000, interval: 20 };
const cluster = await RedisCluster.start();
const client = cluster.client();
const ports = cluster.ports.join();
const partition = new Partition('fleet', ['org']);

afterAll(() => cluster.stop());

/** Whether there is a lease in a store. */
async function isLeased(books: string): Promise<boolean> {
  return /lease:/.test((await client.hkeys(books)).join());
}

test('tenants on three masters are leased, and the cap above them; one moves to another master', {
  timeout: 60_000,
}, async () => {
  const { sink, client: own } = sinkOnCluster(ports, { leases: LEASES });
  onTestFinished(() => own.disconnect());
  const all = allAccount();
  let [calls, spent] = [0, 0];
  const perOrg = new Map<string, number>();
  /** A call of each tenant. */
  const round = async () => {
    for (const org of ORGS) {
      calls += 1;
      const id = `call-${calls}`;
      const claims = [claimOn(orgAccount(org), 10), claimOn(all, 10)];
      expect(await sink.reserve({ id, claims, ttlMs: 600_000 })).toMatchObject({ admitted: true });
      const charges = claims.map(({ account }) => ({ account: account.key, amount: 7 }));
      await sink.settle({ id, outcome: 'known', charges, details: {} });
      spent += 7;
      perOrg.set(org, (perOrg.get(org) ?? 0) + 7);
    }
  };
  const stores = [null, ...ORGS.map((org) => `org=${org}`)].map((name) => partition.keysOf(name));
  const areAllLeased = async () => {
    await round();
    return (await Promise.all(stores.map(({ books }) => isLeased(books)))).every(Boolean);
  };
  await expect.poll(areAllLeased, SOON).toBe(true);

  const [, moved] = stores;
  await cluster.moveSlot(moved?.books ?? '');
  for (let more = 0; more < 20; more += 1) await round();
  expect(await sink.flush()).toBe(0);
  await sink.close();

  const { sink: reader, client: others } = sinkOnCluster(ports);
  onTestFinished(() => others.disconnect());
  const readings = await reader.read([all, ...ORGS.map((org) => orgAccount(org))]);
  const charged = readings.map(({ committed, held }) => [committed, held]);
  expect(charged).toEqual([[spent, 0], ...ORGS.map((org) => [perOrg.get(org), 0])]);
  expect(spent).toBeLessThan(ALL_LIMIT);
  expect(await reader.verify()).toMatchObject({ reservations: 0, differences: [] });
});

test('a cap that processes share on three masters is used up, and never passed', {
  timeout: 60_000,
}, async () => {
  const all = { ...allAccount(3_000), key: 'all-tight' };
  const sinks = [0, 1].map(() => {
    const { sink, client: own } = sinkOnCluster(ports, { leases: LEASES });
    onTestFinished(() => own.disconnect());
    return sink;
  });
  let spent = 0;
  const useUp = async (name: string, sink: (typeof sinks)[number]) => {
    for (let call = 0; ; call += 1) {
      const id = `${name}-${call}`;
      const org = ORGS[call % 3] as string;
      const claims = [claimOn(orgAccount(org), 10), claimOn(all, 10)];
      const answer = await sink.reserve({ id, claims, ttlMs: 600_000 });
      if (answer.admitted) {
        spent += 10;
        await sink.settle({ id, outcome: 'known', charges: [], details: {} });
        continue;
      }
      // What the other has leased comes back.
      if (answer.refusals.every(({ kind }) => kind !== 'held')) return;
      await new Promise((resolve) => setTimeout(resolve, LEASES.syncMs));
    }
  };
  await Promise.all(sinks.map((sink, place) => useUp(`p${place}`, sink)));
  for (const sink of sinks) await sink.close();
  const { sink: reader, client: others } = sinkOnCluster(ports);
  onTestFinished(() => others.disconnect());
  expect((await reader.read([all]))[0]).toMatchObject({ committed: 3_000, held: 0 });
  expect(spent).toBe(3_000);
});
