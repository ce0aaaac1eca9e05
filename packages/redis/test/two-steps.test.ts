import { type Account, SinkUnavailableError } from '@hardcap/core';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { RedisUsageSink, type RedisUsageSinkOptions } from '../src/index.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { type Fate, LATE_MS, PartingClient } from './support/parting-client.ts';
import { RedisServer } from './support/redis-server.ts';

const START = Date.UTC(2026, 10, 30, 12);
const TTL = 60_000;
const server = await RedisServer.start();
const owner = new Redis(server.port);
let time = START;
let namespace = '';

afterAll(async () => {
  owner.disconnect();
  await server.stop();
});
beforeEach(() => {
  time = START;
  namespace = crypto.randomUUID();
});

const ofOrg = named('org-daily|org=acme', 100);
const ofAll = named('all', 100);
const accounts = [ofOrg, ofAll];

function named(key: string, limit: number): Account {
  const { rule } = accountOf(key.split('|')[0] ?? '', { limit });
  return { key, rule };
}

function sinkOn(
  client: PartingClient | Redis,
  options: RedisUsageSinkOptions = {},
): RedisUsageSink {
  const own = { namespace, partitionBy: ['org'], now: () => time, timeoutMs: 10_000 };
  return new RedisUsageSink(client, { ...own, ...options });
}

/** Loses what goes to the store above the partitions. */
function above(fate: Fate): (key: string) => Fate {
  return (key) => (key.startsWith(`{hardcap:${namespace}|org}`) ? fate : 'sent');
}

function within(fate: Fate): (key: string) => Fate {
  return (key) => (key.startsWith(`{hardcap:${namespace}|org=acme}`) ? fate : 'sent');
}

const ask = (id: string, amount: number) => ({
  id,
  claims: accounts.map((account) => claimOn(account, amount)),
  ttlMs: TTL,
});
const end = (id: string, amount: number) => ({
  id,
  outcome: 'known' as const,
  charges: accounts.map(({ key }) => ({ account: key, amount })),
  details: { id },
});

async function figures(sink: RedisUsageSink): Promise<string> {
  const readings = await sink.read(accounts);
  return readings.map(({ committed, held }) => `${committed}+${held}`).join(' ');
}

async function expectClean(sink: RedisUsageSink, reservations: number): Promise<void> {
  expect(await sink.verify()).toMatchObject({ reservations, differences: [] });
}

async function entriesOf(sink: RedisUsageSink): Promise<string[]> {
  const entries: string[] = [];
  for await (const { kind, id, charges } of sink.entries()) {
    entries.push(`${kind} ${id} ${charges.map(({ account, amount }) => `${account}:${amount}`)}`);
  }
  return entries;
}

test('a call that the second step refuses holds nothing in the first, and may ask again', async () => {
  const sink = sinkOn(owner);
  await sink.reserve({ ...ask('other', 0), claims: [claimOn(ofAll, 60)] });
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({
    admitted: false,
    refusals: [{ account: 'all', kind: 'held' }],
  });
  expect(await figures(sink)).toBe('0+0 0+60');
  expect(await sink.settle(end('r1', 50))).toMatchObject({ status: 'never-held' });
  await sink.release('other');
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  expect(await figures(sink)).toBe('0+50 0+50');
  await expectClean(sink, 1);
});

test('a process that dies between the steps leaves a hold that expires, and is charged', async () => {
  const client = new PartingClient(owner);
  const dying = sinkOn(client);
  await dying.reserve({ ...ask('before', 0), claims: [claimOn(ofOrg, 0)] });
  client.fateOf = above('lost');
  await expect(dying.reserve(ask('r1', 30))).rejects.toThrow(SinkUnavailableError);
  const sink = sinkOn(owner);
  expect(await figures(sink)).toBe('0+30 0+0');
  time += TTL;
  expect(await figures(sink)).toBe('30+0 0+0');
  expect(await entriesOf(sink)).toContain('expiry r1:expiry org-daily|org=acme:30');
  // Whoever knows better corrects it, as with any hold that expired.
  expect(await sink.settle(end('r1', 0))).toMatchObject({ status: 'late' });
  expect(await figures(sink)).toBe('0+0 0+0');
  await expectClean(sink, 0);
});

test('without an answer of the second step the caller gives back both parts, or asks again', async () => {
  const client = new PartingClient(owner);
  const sink = sinkOn(client);
  client.fateOf = above('unheard');
  await sink.reserve({ ...ask('met', 0), claims: [claimOn(ofOrg, 0)] }).catch(() => {});
  for (const id of ['released', 'repeated']) {
    client.fateOf = above('unheard');
    await expect(sink.reserve(ask(id, 20))).rejects.toThrow(SinkUnavailableError);
  }
  client.fateOf = () => 'sent';
  await sink.release('released');
  expect(await sink.reserve(ask('repeated', 20))).toMatchObject({ admitted: true });
  expect(await figures(sink)).toBe('0+20 0+20');
});

test('a refusal whose first part cannot be taken back is no denial, and is finished before anything else', async () => {
  const client = new PartingClient(owner);
  const sink = sinkOn(client);
  await sink.reserve({ ...ask('other', 0), claims: [claimOn(ofAll, 90)] });
  await sink.reserve({ ...ask('met', 0), claims: [claimOn(ofOrg, 0)] });
  await sink.release('met');
  let commands = 0;
  client.fateOf = (key) => {
    if (within('lost')(key) === 'sent') return 'sent';
    commands += 1;
    // The first is the hold.
    return commands > 1 ? 'lost' : 'sent';
  };
  await expect(sink.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  await expect(sink.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  client.fateOf = () => 'sent';
  expect(await figures(sink)).toBe('0+50 0+90');
  await sink.release('other');
  time += 1;
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  const [command = '', ...args] = client.commands.findLast((each) => each.at(-1) === START) ?? [];
  // It was on its way all the time.
  await owner.call(String(command), ...args);
  expect(await figures(sink)).toBe('0+50 0+50');
  expect(await sink.settle(end('r1', 40))).toMatchObject({ status: 'settled' });
  expect(await figures(sink)).toBe('40+0 40+0');
  await expectClean(sink, 0);
});

test('both steps have one deadline', async () => {
  const client = new PartingClient(owner);
  const sink = sinkOn(client, { timeoutMs: 1_000 });
  await sink.reserve(ask('met', 0));
  client.fateOf = (key) => (within('late')(key) === 'late' ? 'late' : 'nothing');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = vi.fn();
  sink.reserve(ask('r1', 50)).catch(failed);
  // The deadline, and the reply that is to come late.
  while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(LATE_MS);
  await vi.advanceTimersByTimeAsync(1_000 - LATE_MS - 1);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(failed.mock.lastCall?.[0]).toBeInstanceOf(SinkUnavailableError);
});

test('a call takes one command in each of its stores, and a refusal one more', async () => {
  const client = new PartingClient(owner);
  const sink = sinkOn(client);
  const within = { ...ask('met', 0), claims: [claimOn(ofOrg, 0)] };
  for (const request of [within, ask('both', 30)]) {
    await sink.reserve(request);
    await sink.extend(request);
    await sink.settle({ ...end(request.id, 0), charges: [] });
  }
  // Scripts are known by now, that of a release too.
  await sink.reserve(ask('big', 101));
  await sink.reserve({ ...ask('other', 0), claims: [claimOn(ofAll, 60)] });
  await sink.reserve(ask('refused', 50));
  const commandsOf = async (work: () => Promise<unknown>) => {
    const before = client.commands.length;
    await work();
    return client.commands.length - before;
  };
  const { claims } = ask('r2', 2);
  expect([
    await commandsOf(() => sink.reserve({ ...within, id: 'r1' })),
    await commandsOf(() => sink.settle(end('r1', 0))),
    await commandsOf(() => sink.reserve(ask('r2', 1))),
    await commandsOf(() => sink.extend({ id: 'r2', claims, ttlMs: TTL })),
    await commandsOf(() => sink.settle(end('r2', 1))),
    await commandsOf(() => sink.read(accounts)),
  ]).toEqual([1, 1, 2, 2, 2, 2]);
  // Refused by the first, the second is asked who else would; by the second, the first is undone.
  expect(await commandsOf(() => sink.reserve(ask('r3', 101)))).toBe(2);
  expect(await commandsOf(() => sink.reserve(ask('r4', 50)))).toBe(3);
});

test('a first part whose answer was lost is taken back by the attempt that is refused', async () => {
  const client = new PartingClient(owner);
  const sink = sinkOn(client);
  await sink.reserve({ ...ask('other', 0), claims: [claimOn(ofAll, 90)] });
  await sink.reserve({ ...ask('met', 0), claims: [claimOn(ofOrg, 0)] });
  client.fateOf = within('unheard');
  await expect(sink.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  client.fateOf = () => 'sent';
  expect(await figures(sink)).toBe('0+50 0+90');
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: false });
  expect(await figures(sink)).toBe('0+0 0+90');
});

test('what another process holds under an id is not taken back', async () => {
  const client = new PartingClient(owner);
  const one = sinkOn(client);
  await one.reserve({ ...ask('met', 0), claims: [claimOn(ofOrg, 0)] });
  client.fateOf = above('lost');
  await expect(one.reserve(ask('r1', 50))).rejects.toThrow(SinkUnavailableError);
  time += 1_000;
  const other = sinkOn(owner);
  await other.reserve({ ...ask('other', 0), claims: [claimOn(ofAll, 90)] });
  expect(await other.reserve(ask('r1', 50))).toMatchObject({ admitted: false });
  expect(await figures(other)).toBe('0+50 0+90');
  await other.release('other');
  client.fateOf = () => 'sent';
  expect(await one.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  expect(await figures(one)).toBe('0+50 0+50');
});

test('what took a refused hold back takes no later one back, however late it comes again', async () => {
  const client = new PartingClient(owner);
  const sink = sinkOn(client);
  await sink.reserve({ ...ask('other', 0), claims: [claimOn(ofAll, 90)] });
  await sink.reserve(ask('r1', 50));
  const [command = '', ...args] = client.commands.findLast((each) => each.at(-1) === START) ?? [];
  await sink.release('other');
  time += 1;
  expect(await sink.reserve(ask('r1', 50))).toMatchObject({ admitted: true });
  await owner.call(String(command), ...args);
  expect(await figures(sink)).toBe('0+50 0+50');
  await expectClean(sink, 1);
});

test('a settlement that stopped half-way is finished by whoever repeats it, each part once', async () => {
  const client = new PartingClient(owner);
  const dying = sinkOn(client);
  await dying.reserve(ask('r1', 30));
  client.fateOf = above('lost');
  await expect(dying.settle(end('r1', 25))).rejects.toThrow(SinkUnavailableError);
  const sink = sinkOn(owner);
  expect(await figures(sink)).toBe('25+0 0+30');
  for (const status of ['settled', 'already-resolved']) {
    expect(await sink.settle(end('r1', 25))).toMatchObject({ status });
    expect(await figures(sink)).toBe('25+0 25+0');
  }
  expect(await entriesOf(sink)).toEqual(['settlement r1 org-daily|org=acme:25,all:25']);
  await expectClean(sink, 0);
});

test('a settlement that nobody finishes: the other part expires, and is charged at its hold', async () => {
  const client = new PartingClient(owner);
  const dying = sinkOn(client);
  await dying.reserve(ask('r1', 30));
  client.fateOf = above('lost');
  await expect(dying.settle(end('r1', 25))).rejects.toThrow(SinkUnavailableError);
  time += TTL;
  const sink = sinkOn(owner);
  expect(await figures(sink)).toBe('25+0 30+0');
  expect(await sink.settle(end('r1', 25))).toMatchObject({ status: 'late' });
  expect(await figures(sink)).toBe('25+0 25+0');
  await expectClean(sink, 0);
});

test('what the first part decided holds for all: a settlement does not charge what was released', async () => {
  const client = new PartingClient(owner);
  const dying = sinkOn(client);
  await dying.reserve(ask('r1', 30));
  client.fateOf = above('lost');
  await expect(dying.release('r1')).rejects.toThrow(SinkUnavailableError);
  const sink = sinkOn(owner);
  expect(await figures(sink)).toBe('0+0 0+30');
  expect(await sink.settle(end('r1', 25))).toMatchObject({
    status: 'already-resolved',
    first: 'released',
  });
  expect(await figures(sink)).toBe('0+0 0+0');
  await expectClean(sink, 0);
});

test('an extension that the second step refuses leaves the first as it was', async () => {
  const sink = sinkOn(owner);
  await sink.reserve({ ...ask('other', 0), claims: [claimOn(ofAll, 50)] });
  await sink.reserve(ask('r1', 20));
  const { claims } = ask('r1', 51);
  expect(await sink.extend({ id: 'r1', claims, ttlMs: 10 * TTL })).toMatchObject({
    status: 'refused',
    refusals: [{ account: 'all', requested: 51, held: 50 }],
  });
  expect(await figures(sink)).toBe('0+20 0+70');
  time += TTL;
  expect(await figures(sink)).toBe('20+0 70+0');
});

test.each([
  ['its accounts', (id: string) => end(id, 25)],
  ['one of them', (id: string) => ({ ...end(id, 25), charges: [{ account: 'all', amount: 25 }] })],
  ['nothing', (id: string) => ({ ...end(id, 25), charges: [] })],
])('another process that names %s finds both parts of a call', async (_, settlement) => {
  const [one, other] = [sinkOn(owner), sinkOn(owner)];
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
  const sink = sinkOn(owner);
  const orgs = Array.from({ length: 40 }, (_, index) => named(`org-daily|org=o${index}`, 100));
  for (const account of orgs) {
    await sink.reserve({ id: account.key, claims: [claimOn(account, 7)], ttlMs: TTL });
    await sink.settle({ ...end(account.key, 7), charges: [] });
  }
  const fresh = sinkOn(owner);
  expect(await fresh.verify()).toMatchObject({ accounts: 40, entries: 40, differences: [] });
  expect(await entriesOf(fresh)).toHaveLength(40);
  expect((await fresh.read(orgs)).every(({ committed }) => committed === 7)).toBe(true);
  for (const key of await owner.keys(`{hardcap:${namespace}*`)) {
    expect(await owner.pttl(key), key).toBeGreaterThan(0);
  }
});

test('nothing is held in a partition before others can find it', async () => {
  const client = new PartingClient(owner);
  client.fateOf = (key) => (key.endsWith(':partitions') ? 'lost' : 'sent');
  await expect(sinkOn(client).reserve(ask('r1', 1))).rejects.toThrow(SinkUnavailableError);
  expect(await owner.exists(`{hardcap:${namespace}|org=acme}:1:books`)).toBe(0);
});

test('a partition that lost its data is refused, and the others go on', async () => {
  const sink = sinkOn(owner);
  const other = named('org-daily|org=other', 100);
  const only = (id: string, account: Account) => ({ ...ask(id, 0), claims: [claimOn(account, 1)] });
  await sink.reserve(only('r1', ofOrg));
  await sink.reserve(only('r2', other));
  await owner.del(...(await owner.keys(`{hardcap:${namespace}|org=acme}*`)));
  await expect(sink.reserve(only('r3', ofOrg))).rejects.toThrow(/has lost its data/);
  await expect(sink.reserve(ask('r4', 1))).rejects.toThrow(/has lost its data/);
  expect(await sink.reserve(only('r5', other))).toMatchObject({ admitted: true });
  await sink.rebuild();
  expect(await sink.reserve(ask('r6', 1))).toMatchObject({ admitted: true });
  await expectClean(sink, 3);
});
