import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RedisUsageSink } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const START = 1_800_000_000_000;
const open = accountOf('open', { limit: null });
const lenient = accountOf('lenient', { limit: 1_000, onExpiry: 'release' });

let time = START;

afterAll(() => redis.stop());
beforeEach(() => admin.flushall());

/** A store with holds that expire at one instant, in the order in which they were made. */
async function storeWith(count: number, account = open): Promise<RedisUsageSink> {
  time = START;
  const sink = redis.sink({ now: () => time, namespace: crypto.randomUUID() });
  for (let id = 0; id < count; id += 1) {
    await sink.reserve({ id: `r${id}`, claims: [claimOn(account, 1)], ttlMs: 60_000 });
  }
  return sink;
}

function expiriesIn({
  notices,
}: {
  readonly notices: readonly { readonly type: string }[];
}): number {
  return notices.filter(({ type }) => type === 'reservation-expired').length;
}

test('where very many are due, few expire with a call that is admitted or settled', async () => {
  const sink = await storeWith(200);
  await sink.reserve({ id: 'mine', claims: [claimOn(open, 1)], ttlMs: 600_000 });
  time += 60_000;
  const ask = { id: 'another', claims: [claimOn(open, 1)], ttlMs: 60_000 };
  expect(expiriesIn(await sink.reserve(ask))).toBe(2);
  const settlement = { id: 'mine', outcome: 'known', charges: [], details: {} } as const;
  expect(expiriesIn(await sink.settle(settlement))).toBe(2);
  expect(expiriesIn(await sink.release('any'))).toBe(64);
  for (const left of [64, 64, 4, 0]) expect(expiriesIn(await sink.release('any'))).toBe(left);
  expect((await sink.verify()).differences).toEqual([]);
});

test('nobody is refused for what would expire with the same call', async () => {
  const sink = await storeWith(96, lenient);
  time += 60_000;
  const ask = { id: 'large', claims: [claimOn(lenient, 1_000 - 32)], ttlMs: 60_000 };
  const answer = await sink.reserve(ask);
  expect(answer.admitted).toBe(true);
  expect(expiriesIn(answer)).toBe(64);
});

test('the reservation that a call is about has expired, however many others are due', async () => {
  const claims = [claimOn(open, 1)];
  for (const id of ['r20', 'r90', 'r160', 'r230', 'r299']) {
    const sink = await storeWith(300);
    time += 60_000;
    const extended = await sink.extend({ id, claims, ttlMs: 60_000 });
    expect(extended).toMatchObject({ status: 'already-resolved', first: 'expired' });
    expect(await sink.release(id)).toMatchObject({ first: 'expired' });
    const settlement = { id, outcome: 'known', charges: [], details: {} } as const;
    expect(await sink.settle(settlement)).toMatchObject({ status: 'late' });
    expect((await sink.verify()).differences).toEqual([]);
  }
});

test('a hold that is extended to an earlier time expires then', async () => {
  const sink = await storeWith(1);
  const claims = [claimOn(open, 1)];
  expect(await sink.extend({ id: 'r0', claims, ttlMs: 1_000 })).toMatchObject({
    status: 'extended',
  });
  time += 1_000;
  expect(expiriesIn(await sink.release('any'))).toBe(1);
});

test('holds that are extended again and again stay open, and what has ended is forgotten', async () => {
  const sink = await storeWith(100);
  const claims = [claimOn(open, 1)];
  for (let id = 1; id < 100; id += 1) {
    await sink.settle({ id: `r${id}`, outcome: 'known', charges: [], details: {} });
  }
  for (let turn = 0; turn < 60; turn += 1) {
    time += 40_000;
    const answer = await sink.extend({ id: 'r0', claims, ttlMs: 60_000 });
    expect(answer).toMatchObject({ status: 'extended', expiresAt: time + 60_000 });
  }
  expect(await sink.release('r50')).toMatchObject({ status: 'never-held' });
  expect((await sink.read([open]))[0]).toMatchObject({ committed: 99, held: 1 });
});

test('sixty-four of the largest calls are swept at once', async () => {
  time = START;
  const sink = redis.sink({ now: () => time, timeoutMs: 10_000 });
  for (let call = 0; call < 64; call += 1) {
    const accounts = Array.from({ length: 32 }, (_, index) => accountOf(`${call}-${index}`));
    const claims = accounts.map((account) => claimOn(account, 1));
    await sink.reserve({ id: `r${call}`, claims, ttlMs: 1_000 });
  }
  time += 1_000;
  expect((await sink.release('any')).notices).toHaveLength(64);
  const report = await sink.verify();
  expect(report).toMatchObject({ accounts: 2_048, reservations: 0, differences: [] });
});

test('fifty thousand are swept a few with each call, and none is left', async () => {
  time = START;
  const sink = redis.sink({ now: () => time, timeoutMs: 10_000 });
  const count = 50_000;
  for (let id = 0; id < count; id += 500) {
    const hold = (_: unknown, index: number) =>
      sink.reserve({ id: `r${id + index}`, claims: [claimOn(open, 1)], ttlMs: 60_000 });
    await Promise.all(Array.from({ length: 500 }, hold));
  }
  time += 60_000;
  let told = 0;
  for (let call = 0; told < count; call += 1) {
    const { notices } = await sink.release('any');
    expect(notices.length).toBeLessThanOrEqual(64);
    told += notices.filter(({ type }) => type === 'reservation-expired').length;
    expect(call).toBeLessThan(count / 64 + 2);
  }
  expect((await sink.read([open]))[0]).toMatchObject({ committed: count, held: 0 });
  expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
  expect(await admin.dbsize()).toBe(3);

  // And what is kept of them until their late settlements are due is let go in the same way.
  const { books, due, ledger } = storeKeys('default');
  time += 86_400_000;
  for (let left = await admin.hlen(books), call = 0; left > 10; call += 1) {
    await sink.release('any');
    const now = await admin.hlen(books);
    expect(left - now).toBeLessThanOrEqual(3 * 64);
    left = now;
    expect(call).toBeLessThan(count / 64 + 2);
  }
  expect(await admin.zcard(due)).toBeLessThan(10);
  for (const key of [books, due, ledger]) expect(await admin.pttl(key)).toBeGreaterThan(0);
  expect(await sink.verify()).toMatchObject({ entries: count, differences: [] });
}, 60_000);

test('where holds expire in several later windows at once, each window before is kept', async () => {
  time = START;
  const sink = redis.sink({ now: () => time, namespace: crypto.randomUUID() });
  const carried = accountOf('carried', { attribute: 'settle', window: { fixed: '1m' } });
  const hold = (id: string, ttlMs: number) => {
    return sink.reserve({ id, claims: [claimOn(carried, 10)], ttlMs });
  };
  await hold('now', 1_000);
  await hold('next', 61_000);
  await hold('after', 121_000);
  time += 1_000;
  expect(expiriesIn(await sink.release('any'))).toBe(1);
  time += 200_000;
  expect(expiriesIn(await sink.release('any'))).toBe(2);
  for (const id of ['now', 'next', 'after']) {
    const charges = [{ account: carried.key, amount: 110 }];
    const late = await sink.settle({ id, outcome: 'known', charges, details: {} });
    expect(late).toMatchObject({
      overshoot: [{ amount: 10 }],
      notices: [{ type: 'threshold-crossed' }],
    });
  }
  expect((await sink.verify()).differences).toEqual([]);
});

test('a window that is charged once more by the sweep that would forget it stays listed until the next', async () => {
  const minute = accountOf('minute', { window: { fixed: '1m' } });
  const namespace = crypto.randomUUID();
  const sink = redis.sink({ now: () => time, namespace, rememberedMs: 60_000 });
  const { books, due } = storeKeys(namespace);
  time = START;
  await sink.reserve({ id: 'first', claims: [claimOn(minute, 5)], ttlMs: 600_000 });
  time += 60_000;
  await sink.reserve({ id: 'second', claims: [claimOn(minute, 5)], ttlMs: 3_600_000 });
  time = START + 3_600_000;
  await sink.release('any');
  const windows = (await admin.hkeys(books)).filter((field) => field.startsWith('w'));
  expect(windows).toHaveLength(1);
  for (const window of windows) expect(await admin.zscore(due, window)).not.toBeNull();
  time += 7_200_000;
  for (const id of ['any', 'other']) await sink.release(id);
  expect((await admin.hkeys(books)).filter((field) => field.startsWith('w'))).toEqual([]);
});

test('a settlement that is awaited no more charges no account that may have been forgotten', async () => {
  const lives = { rememberedMs: 60_000, awaitedMs: 3_600_000 };
  const sink = redis.sink({ now: () => time, namespace: crypto.randomUUID(), ...lives });
  const total = accountOf('total');
  time = START;
  await sink.reserve({ id: 'late', claims: [claimOn(total, 0)], ttlMs: 60_000 });
  time += 60_000;
  expect(expiriesIn(await sink.release('any'))).toBe(1);
  time += lives.awaitedMs;
  const charges = [{ account: total.key, amount: 5 }];
  const settlement = { id: 'late', outcome: 'known', charges, details: {} } as const;
  expect(await sink.settle(settlement)).toMatchObject({ status: 'never-held' });
  expect((await sink.verify()).differences).toEqual([]);
});
