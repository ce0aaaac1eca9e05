import type { Account } from '@hardcap/core';
import { ReservationMismatchError, SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Partition } from '../src/partition.ts';
import { claimOn } from './support/accounts.ts';
import { PartingClient } from './support/parting-client.ts';
import {
  ask,
  end,
  entriesOf,
  expectClean,
  figures,
  named,
  ofOrg,
  TTL,
  TwoStores,
} from './support/two-stores.ts';

const stores = await TwoStores.start();

afterAll(() => stores.stop());
beforeEach(() => stores.begin());

test('a settlement that stopped half-way is finished by whoever repeats it, each part once', async () => {
  const client = new PartingClient(stores.owner);
  const dying = stores.sink(client);
  await dying.reserve(ask('r1', 30));
  client.fateOf = stores.above('lost');
  await expect(dying.settle(end('r1', 25))).rejects.toThrow(SinkUnavailableError);
  const sink = stores.sink();
  expect(await figures(sink)).toBe('25+0 0+30');
  for (const status of ['settled', 'already-resolved']) {
    expect(await sink.settle(end('r1', 25))).toMatchObject({ status });
    expect(await figures(sink)).toBe('25+0 25+0');
  }
  expect(await entriesOf(sink)).toEqual(['settlement r1 org-daily|org=acme:25,all:25']);
  await expectClean(sink, 0);
});

test('a settlement that nobody finishes: the other part expires, and is charged at its hold', async () => {
  const client = new PartingClient(stores.owner);
  const dying = stores.sink(client);
  await dying.reserve(ask('r1', 30));
  client.fateOf = stores.above('lost');
  await expect(dying.settle(end('r1', 25))).rejects.toThrow(SinkUnavailableError);
  stores.time += TTL;
  const sink = stores.sink();
  expect(await figures(sink)).toBe('25+0 30+0');
  expect(await sink.settle(end('r1', 25))).toMatchObject({ status: 'late' });
  expect(await figures(sink)).toBe('25+0 25+0');
  await expectClean(sink, 0);
});

test('what the first part decided holds for all: a settlement does not charge what was released', async () => {
  const client = new PartingClient(stores.owner);
  const dying = stores.sink(client);
  await dying.reserve(ask('r1', 30));
  client.fateOf = stores.above('lost');
  await expect(dying.release('r1')).rejects.toThrow(SinkUnavailableError);
  const sink = stores.sink();
  expect(await figures(sink)).toBe('0+0 0+30');
  expect(await sink.settle(end('r1', 25))).toMatchObject({
    status: 'already-resolved',
    first: 'released',
  });
  expect(await figures(sink)).toBe('0+0 0+0');
  await expectClean(sink, 0);
});

test.each([
  ['its accounts', (id: string) => end(id, 25)],
  ['one of them', (id: string) => ({ ...end(id, 25), charges: [{ account: 'all', amount: 25 }] })],
  ['nothing', (id: string) => ({ ...end(id, 25), charges: [] })],
])('another process that names %s finds both parts of a call', async (_, settlement) => {
  const [one, other] = [stores.sink(), stores.sink()];
  for (const id of ['r1', 'r2']) await one.reserve(ask(id, 25));
  const { claims } = ask('r1', 30);
  expect(await other.extend({ id: 'r1', claims, ttlMs: TTL })).toMatchObject({
    status: 'extended',
  });
  expect(await other.settle({ ...settlement('r1'), id: 'r1' })).toMatchObject({
    status: 'settled',
  });
  expect(await other.release('r2')).toMatchObject({ status: 'released' });
  expect(await other.release('nobody')).toMatchObject({ status: 'never-held' });
  await expectClean(one, 0);
  expect(await figures(one)).toMatch(/^(25|30)\+0 (25|30)\+0$/);
});

test('every partition can be found again by a process that knows none', async () => {
  const sink = stores.sink();
  const orgs = Array.from({ length: 40 }, (_, index) => named(`org-daily|org=o${index}`));
  for (const account of orgs) {
    await sink.reserve({ id: account.key, claims: [claimOn(account, 7)], ttlMs: TTL });
    await sink.settle({ ...end(account.key, 7), charges: [] });
  }
  const fresh = stores.sink();
  expect(await fresh.verify()).toMatchObject({ accounts: 40, entries: 40, differences: [] });
  expect(await entriesOf(fresh)).toHaveLength(40);
  expect((await fresh.read(orgs)).every(({ committed }) => committed === 7)).toBe(true);
  for (const key of await stores.owner.keys(`{hardcap:${stores.namespace}*`)) {
    expect(await stores.owner.pttl(key), key).toBeGreaterThan(0);
  }
});

test('nothing is held in a partition before others can find it', async () => {
  const client = new PartingClient(stores.owner);
  client.fateOf = (key) => (key.endsWith(':partitions') ? 'lost' : 'sent');
  await expect(stores.sink(client).reserve(ask('r1', 1))).rejects.toThrow(SinkUnavailableError);
  expect(await stores.owner.keys(`{hardcap:${stores.namespace}|org=acme}*`)).toEqual([]);
});

test('a partition that lost its data is refused, and the others go on', async () => {
  const sink = stores.sink();
  const other = named('org-daily|org=other');
  const only = (id: string, account: Account) => ({ ...ask(id, 0), claims: [claimOn(account, 1)] });
  await sink.reserve(only('r1', ofOrg));
  await sink.reserve(only('r2', other));
  await stores.owner.del(...(await stores.owner.keys(`{hardcap:${stores.namespace}|org=acme}*`)));
  await expect(sink.reserve(only('r3', ofOrg))).rejects.toThrow(/has lost its data/);
  await expect(sink.reserve(ask('r4', 1))).rejects.toThrow(/has lost its data/);
  expect(await sink.reserve(only('r5', other))).toMatchObject({ admitted: true });
  await sink.rebuild();
  expect(await sink.reserve(ask('r6', 1))).toMatchObject({ admitted: true });
  await expectClean(sink, 3);
});

test('partitions can be found again after the store above them was lost, with their names', async () => {
  const sink = stores.sink(stores.owner, { onStoreReset: 'accept' });
  const idle = named('org-daily|org=idle');
  await sink.reserve({ ...ask('r1', 0), claims: [claimOn(idle, 1)] });
  await sink.reserve(ask('r2', 1));
  await stores.owner.del(...(await stores.owner.keys(`{hardcap:${stores.namespace}|org}*`)));
  expect(await sink.reserve(ask('r3', 1))).toMatchObject({ admitted: true });
  await sink.reserve(ask('r4', 1));
  const seen = async () => (await stores.sink().verify()).accounts;
  await expect.poll(seen).toBe(3);
});

test('who only reads or looks for a call needs nobody above, and makes no partition known', async () => {
  const client = new PartingClient(stores.owner);
  const sink = stores.sink(client);
  client.fateOf = stores.above('lost');
  expect(await sink.read([ofOrg])).toMatchObject([{ committed: 0 }]);
  client.fateOf = () => 'sent';
  expect(await sink.settle(end('unknown', 1))).toMatchObject({ status: 'never-held' });
  const registry = `{hardcap:${stores.namespace}|org}:3:partitions`;
  expect(await stores.owner.zcard(registry)).toBe(0);
});

test('an id that is taken above by another call: nothing is held in the partition', async () => {
  const other = stores.sink();
  const elsewhere = { ...ask('r1', 30), claims: [named('org-daily|org=bolt'), named('all')] };
  const claims = elsewhere.claims.map((account) => claimOn(account, 30));
  await other.reserve({ ...elsewhere, claims });
  const sink = stores.sink();
  await expect(sink.reserve(ask('r1', 40))).rejects.toThrow(ReservationMismatchError);
  expect(await figures(sink)).toBe('0+0 0+30');
  await expectClean(sink, 1);
});

test('a process says again each hour that it uses a partition', async () => {
  const sink = stores.sink();
  const { registry } = new Partition(stores.namespace, ['org']);
  const saidAt = async () => Number(await stores.owner.zscore(registry, 'org=acme'));
  await sink.reserve(ask('r1', 1));
  const first = await saidAt();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_590_000 });
  onTestFinished(() => void vi.useRealTimers());
  await sink.reserve(ask('r2', 1));
  expect(await saidAt()).toBe(first);
  vi.setSystemTime(Date.now() + 20_000);
  await sink.reserve(ask('r3', 1));
  await expect.poll(saidAt).toBeGreaterThanOrEqual(first + 3_600_000);
});
