import { SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { RedisUsageSink } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const DAY = 86_400_000;
const { books, due } = storeKeys('default');
const [a, b] = [accountOf('a'), accountOf('b')];
let time = 0;

afterAll(() => redis.stop());
beforeEach(async () => {
  await admin.flushall();
  time = Date.UTC(2026, 10, 30, 12);
});

const sinkNow = (): RedisUsageSink => redis.sink({ now: () => time, timeoutMs: 10_000 });
const ask = (id: string, amount: number, accounts = [a]) => ({
  id,
  claims: accounts.map((account) => claimOn(account, amount)),
  ttlMs: 60_000,
});
const end = (id: string, amount: number) => ({
  id,
  outcome: 'known' as const,
  charges: [a, b].map(({ key }) => ({ account: key, amount })),
  details: {},
});

async function spend(sink: RedisUsageSink, id: string, amount: number): Promise<void> {
  expect(await sink.reserve(ask(id, amount))).toMatchObject({ admitted: true });
  await sink.settle(end(id, amount));
}

describe('while the record of an account is gone', () => {
  test('case C-03: nothing is decided on it, and the errors say what to do', async () => {
    const sink = sinkNow();
    await spend(sink, 'r1', 60);
    await sink.reserve(ask('open', 20, [a, b]));
    await admin.hdel(books, 'aa', 'ca');
    const refused = [
      () => sink.reserve(ask('r2', 1)),
      () => sinkNow().reserve(ask('r3', 1, [b, a])),
      () => sink.read([a]),
      () => sink.extend(ask('open', 30, [a, b])),
      () => sink.settle(end('open', 10)),
      () => sink.release('open'),
      () => sink.adjust({ id: 'j', account: a, change: { type: 'unblock' }, details: {} }),
    ];
    for (const call of refused) {
      const error = await call().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(SinkUnavailableError.isInstance(error), String(error)).toBe(true);
      expect(String(error)).toMatch(/account a was deleted.*`rebuild\(\)`/);
    }
    await sink.rebuild();
    expect(await sink.read([a, b])).toMatchObject([
      { committed: 60, held: 20 },
      { committed: 0, held: 20 },
    ]);
    expect(await sink.settle(end('open', 10))).toMatchObject({ status: 'settled' });
    expect(await sink.reserve(ask('r4', 31))).toMatchObject({ admitted: false });
    expect(await sink.reserve(ask('r5', 30))).toMatchObject({ admitted: true });
  });

  test('others go on, and what has expired waits for it', async () => {
    const sink = sinkNow();
    await spend(sink, 'r1', 60);
    await sink.reserve(ask('open', 20, [a, b]));
    await admin.hdel(books, 'ca');
    time += DAY;
    for (let call = 0; call < 3; call += 1) {
      expect(await sink.reserve(ask(`b${call}`, 1, [b]))).toMatchObject({ admitted: true });
      time += 700_000;
    }
    expect(await sink.read([b])).toMatchObject([{ committed: 3, held: 20 }]);
    await sink.rebuild();
    time += 700_000;
    expect(await sink.read([a, b])).toMatchObject([
      { committed: 80, held: 0 },
      { committed: 23, held: 0 },
    ]);
    expect(await sink.settle(end('open', 5))).toMatchObject({ status: 'late' });
    expect(await sink.read([a])).toMatchObject([{ committed: 65 }]);
    expect(await sink.verify()).toMatchObject({ differences: [] });
  });

  test('a call that had expired before is settled late, in the window that paid', async () => {
    const sink = sinkNow();
    await sink.reserve(ask('r1', 60));
    time += 60_000;
    await sink.read([a]);
    await admin.hdel(books, 'aa', 'ca');
    await sink.rebuild();
    expect(await sink.settle(end('r1', 20))).toMatchObject({ status: 'late' });
    expect(await sink.read([a])).toMatchObject([{ committed: 20 }]);
    expect(await sink.verify()).toMatchObject({ differences: [] });
  });
});

test.each([
  ['before', true],
  ['after', false],
])(
  'a late settlement %s the rebuild gives nothing back that a reset has given',
  async (_, isBefore) => {
    const sink = sinkNow();
    await sink.reserve(ask('r1', 50));
    time += 60_000;
    await sink.read([a]);
    await sink.adjust({ id: 'j', account: a, change: { type: 'reset' }, details: {} });
    await admin.hdel(books, 'aa', 'ca');
    if (isBefore) await expect(sink.settle(end('r1', 10))).rejects.toThrow('account a was deleted');
    await sink.rebuild();
    await sink.adjust({ id: 'j2', account: a, change: { type: 'reset' }, details: {} });
    expect(await sink.settle(end('r1', 10))).toMatchObject({ status: 'late' });
    expect(await sink.read([a])).toMatchObject([{ committed: 0 }]);
    expect(await sink.reserve(ask('r2', 101))).toMatchObject({ admitted: false });
    expect(await sink.verify()).toMatchObject({ differences: [] });
  },
);

test.each([
  ['the latest reservations', () => admin.hdel(books, 'q')],
  ['what is due', () => admin.del(due)],
])('holds expire though the list of %s was deleted, once it is rebuilt', async (_, remove) => {
  const sink = sinkNow();
  // More than are listed together.
  for (let call = 0; call < 40; call += 1) await sink.reserve(ask(`r${call}`, 1));
  await remove();
  await sink.reserve(ask('another', 0));
  expect(await sink.rebuild()).toMatchObject({ reservations: 41, differences: [] });
  time += DAY;
  for (let call = 0; call < 3; call += 1) await sink.release('any');
  expect(await sink.verify()).toMatchObject({ reservations: 0, entries: 41, differences: [] });
  expect(await sink.read([a])).toMatchObject([{ committed: 40, held: 0 }]);
  for (const key of [books, due]) expect(await admin.pttl(key)).toBeGreaterThan(0);
});

test('where all books were lost and what is due was not, those who accept that go on from 0', async () => {
  const accepting = () => {
    return redis.sink({ now: () => time, timeoutMs: 10_000, onStoreReset: 'accept' });
  };
  const sink = accepting();
  await spend(sink, 'r1', 60);
  await sink.reserve(ask('open', 20, [a, b]));
  await admin.del(books);
  expect(await sink.reserve(ask('r2', 60))).toMatchObject({ admitted: true });
  expect(await accepting().reserve(ask('r3', 40, [b, a]))).toMatchObject({ admitted: true });
  expect(await sink.read([a, b])).toMatchObject([{ held: 100 }, { held: 40 }]);
});
