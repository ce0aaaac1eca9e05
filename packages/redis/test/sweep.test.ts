import { afterAll, expect, test } from 'vitest';
import type { RedisUsageSink } from '../src/index.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const START = 1_800_000_000_000;
const open = accountOf('open', { limit: null });
const lenient = accountOf('lenient', { limit: 1_000, onExpiry: 'release' });

let time = START;

afterAll(() => redis.stop());

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
