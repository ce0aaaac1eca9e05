import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisUsageSink, type RedisUsageSinkOptions } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { PartingClient } from './support/parting-client.ts';
import { RedisServer } from './support/redis-server.ts';

const server = await RedisServer.start();
const admin = new Redis(server.port);
let time = 0;
let namespace = '';

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});
beforeEach(() => {
  time = Date.UTC(2026, 10, 30, 12);
  namespace = crypto.randomUUID();
});

const spent = accountOf('spent', { window: { calendar: 'day' } });
const blocked = accountOf('blocked');
const lowered = accountOf('lowered');
const raised = accountOf('raised');

function sinkOn(
  client: Redis | PartingClient,
  options: RedisUsageSinkOptions = {},
): RedisUsageSink {
  const own = { namespace, now: () => time, onStoreReset: 'rebuild', timeoutMs: 10_000 } as const;
  return new RedisUsageSink(client, { ...own, ...options });
}

const ask = (id: string, account = spent, amount = 10) => ({
  id,
  claims: [claimOn(account, amount)],
  ttlMs: 60_000,
});

/** 60 of 100 are spent, one account is blocked, and limits were changed by hand. */
async function history(sink: RedisUsageSink): Promise<void> {
  for (const id of ['s1', 's2', 's3']) {
    await sink.reserve(ask(id, spent, 20));
    await sink.settle({ id, outcome: 'known', charges: [], details: {} });
  }
  await sink.adjust({ id: 'j1', account: blocked, change: { type: 'block' }, details: {} });
  const change = { type: 'limit', limit: 5, until: null } as const;
  await sink.adjust({ id: 'j2', account: lowered, change, details: {} });
  const until = time + 3_600_000;
  const raise = { type: 'limit-add', amount: 7, until } as const;
  await sink.adjust({ id: 'j3', account: raised, change: raise, details: {} });
  await sink.adjust({
    id: 'j4',
    account: raised,
    change: { type: 'top-up', amount: 50 },
    details: {},
  });
}

function loseBooks(): Promise<number> {
  const { books, due } = storeKeys(namespace);
  return admin.del(books, due);
}

describe('with `onStoreReset: rebuild`, of a store whose ledger is left', () => {
  test('the calls that find it wait, and are decided by what was spent', async () => {
    const [one, other] = [sinkOn(admin), sinkOn(admin)];
    await history(one);
    await other.read([spent]);
    await loseBooks();
    const calls = Array.from({ length: 8 }, (_, index) => {
      return (index % 2 === 0 ? one : other).reserve(ask(`r${index}`));
    });
    const answers = await Promise.all(calls);
    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(4);
    const told = answers.flatMap(({ notices }) => notices.map(({ type }) => type));
    expect(told).toEqual(['store-reset']);
    const accounts = [spent, blocked, lowered, raised];
    expect(await one.read(accounts)).toMatchObject([
      { committed: 60, held: 40, limit: 100 },
      { blocked: true },
      { limit: 5 },
      { limit: 107 },
    ]);
    expect(await other.reserve(ask('r8', blocked, 0))).toMatchObject({ admitted: false });
    expect(await one.verify()).toMatchObject({ entries: 7, differences: [] });
  });

  test('a process that dies in the middle leaves it to the next, and nobody goes on before', async () => {
    const client = new PartingClient(admin);
    const dying = sinkOn(client);
    await history(dying);
    await loseBooks();
    let commands = 0;
    client.fateOf = () => {
      commands += 1;
      // The call itself, both ends of the ledger, and the stop.
      return commands > 4 ? 'lost' : 'sent';
    };
    await expect(dying.reserve(ask('r1'))).rejects.toThrow();
    const denying = sinkOn(admin, { onStoreReset: 'deny' });
    const accepting = sinkOn(admin, { onStoreReset: 'accept' });
    for (const sink of [denying, accepting, denying]) {
      await expect(sink.reserve(ask('r2'))).rejects.toThrow('It is being rebuilt');
    }
    expect(await sinkOn(admin).reserve(ask('r3', spent, 41))).toMatchObject({ admitted: false });
    expect(await denying.reserve(ask('r4', spent, 40))).toMatchObject({ admitted: true });
  });

  test('what one began by hand and left, another finishes by hand', async () => {
    const client = new PartingClient(admin);
    const dying = sinkOn(client, { onStoreReset: 'deny' });
    await history(dying);
    await loseBooks();
    let commands = 0;
    client.fateOf = () => {
      commands += 1;
      // The stop, and the first look at the ledger.
      return commands > 2 ? 'lost' : 'sent';
    };
    await expect(dying.rebuild()).rejects.toThrow();
    const denying = sinkOn(admin, { onStoreReset: 'deny' });
    await expect(denying.reserve(ask('r1'))).rejects.toThrow('It is being rebuilt');
    const { differences } = await denying.rebuild();
    expect(differences).toMatchObject([
      { account: 'spent', field: 'committed', counter: 0, expected: 60 },
      ...['blocked', 'lowered', 'raised'].map((account) => ({ account, field: 'record' })),
    ]);
    expect(await denying.reserve(ask('r2', spent, 41))).toMatchObject({ admitted: false });
  });

  test('a call that was told of the loss after it was rebuilt goes on', async () => {
    const client = new PartingClient(admin);
    const sink = sinkOn(client, { onStoreReset: 'deny' });
    await history(sink);
    await loseBooks();
    let tell = () => {};
    client.late = () => {
      return new Promise((resolve) => {
        tell = resolve;
      });
    };
    client.fateOf = () => {
      client.fateOf = () => 'sent';
      return 'late';
    };
    const answer = sink.reserve(ask('r1', spent, 40));
    // It is on its way before anything else.
    await new Promise((resolve) => setImmediate(resolve));
    await sink.rebuild();
    tell();
    expect(await answer).toMatchObject({ admitted: true });
  });

  test('what was open is held no more, and says so', async () => {
    const sink = sinkOn(admin);
    await history(sink);
    await sink.reserve(ask('open', spent, 40));
    await loseBooks();
    expect(
      await sink.settle({ id: 'open', outcome: 'known', charges: [], details: {} }),
    ).toMatchObject({ status: 'never-held' });
    expect(await sink.read([spent])).toMatchObject([{ committed: 60, held: 0 }]);
  });
});

describe('with `onStoreReset: rebuild`, calls are refused where the ledger does not say all', () => {
  const LOSSES: readonly (readonly [how: string, lose: () => Promise<unknown>, why: string])[] = [
    ['it is lost, too', () => admin.flushall(), 'Its ledger is lost, too'],
    [
      'its oldest entries were dropped',
      () => admin.xtrim(storeKeys(namespace).ledger, 'MAXLEN', 4).then(loseBooks),
      'oldest ledger entries had been dropped',
    ],
    [
      'its end is lost',
      async () => {
        const { ledger } = storeKeys(namespace);
        const [last] = await admin.xrevrange(ledger, '+', '-', 'COUNT', 1);
        await admin.xdel(ledger, last?.[0] ?? '');
        await loseBooks();
      },
      'end of its ledger is lost',
    ],
  ];

  test.each(LOSSES)('%s', async (_, lose, why) => {
    const sink = sinkOn(admin);
    await history(sink);
    time += 1_000;
    await sink.adjust({ id: 'j5', account: raised, change: { type: 'unblock' }, details: {} });
    await lose();
    for (const id of ['r1', 'r2']) await expect(sink.reserve(ask(id))).rejects.toThrow(why);
    await sink.rebuild();
    expect(await sink.reserve(ask('r3'))).toMatchObject({ admitted: true });
  });

  test('it was put back to an earlier state, with the books', async () => {
    const sink = sinkOn(admin);
    await history(sink);
    const { books, ledger } = storeKeys(namespace);
    const before = await Promise.all([books, ledger].map((key) => admin.dumpBuffer(key)));
    time += 60_000;
    await sink.reserve(ask('later'));
    await admin.restore(books, 0, before[0] as Buffer, 'REPLACE');
    await admin.restore(ledger, 0, before[1] as Buffer, 'REPLACE');
    await expect(sink.reserve(ask('r1'))).rejects.toThrow('Its ledger is from before, too');
  });
});

test('a partition is rebuilt by itself, and the others go on', async () => {
  const sink = sinkOn(admin, { partitionBy: ['org'] });
  const org = (name: string) => ({ ...spent, key: `spent|org=${name}` });
  for (const name of ['acme', 'bolt']) {
    await sink.reserve(ask(name, org(name), 60));
    await sink.settle({ id: name, outcome: 'known', charges: [], details: {} });
  }
  const { books } = storeKeys(`${namespace}|org=acme`);
  await admin.del(books);
  expect(await sink.reserve(ask('r1', org('acme'), 41))).toMatchObject({ admitted: false });
  expect(await sink.reserve(ask('r2', org('bolt'), 40))).toMatchObject({ admitted: true });
  expect(await sink.verify()).toMatchObject({ accounts: 2, entries: 2, differences: [] });
});
