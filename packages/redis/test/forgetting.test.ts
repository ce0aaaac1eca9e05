import type { Account, SinkNotice } from '@hardcap/core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RedisUsageSink, RedisUsageSinkOptions } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

// What becomes of accounts that nobody uses for a while, whose windows never end.
const redis = await TestRedis.start();
const admin = redis.client();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { books } = storeKeys('default');
const total = accountOf('total');
let time = 0;
let made = 0;
let notices: SinkNotice[] = [];

afterAll(() => redis.stop());
beforeEach(async () => {
  await admin.flushall();
  [time, made, notices] = [Date.UTC(2026, 10, 30, 12), 0, []];
});

const sinkWith = (options: RedisUsageSinkOptions = {}): RedisUsageSink => {
  return redis.sink({ now: () => time, timeoutMs: 10_000, ...options });
};

async function hold(sink: RedisUsageSink, account: Account, amount: number, ttlMs = HOUR) {
  made += 1;
  const id = `r${made}`;
  const answer = await sink.reserve({ id, claims: [claimOn(account, amount)], ttlMs });
  notices.push(...answer.notices);
  return { id, admitted: answer.admitted };
}

async function end(sink: RedisUsageSink, id: string, account: Account, amount: number) {
  const charges = [{ account: account.key, amount }];
  const answer = await sink.settle({ id, outcome: 'known', charges, details: {} });
  notices.push(...answer.notices);
  return answer.status;
}

async function spend(sink: RedisUsageSink, account: Account, amount: number): Promise<string> {
  const { id } = await hold(sink, account, amount);
  await end(sink, id, account, amount);
  return id;
}

function adjust(sink: RedisUsageSink, account: Account, change: 'reset' | number) {
  made += 1;
  const asked =
    change === 'reset' ? { type: change } : ({ type: 'top-up', amount: change } as const);
  return sink.adjust({ id: `j${made}`, account, change: asked, details: {} });
}

/** Lets time pass, in which others look at what is due. */
async function pass(sink: RedisUsageSink, ms: number): Promise<void> {
  for (let part = 0; part < 4; part += 1) {
    time += ms / 4;
    await sink.release('any');
    await sink.release('any');
  }
}

async function expectFigures(sink: RedisUsageSink, account: Account, expected: object) {
  expect(await sink.read([account])).toMatchObject([expected]);
  expect((await sink.verify()).differences).toEqual([]);
}

test('a threshold that was told before a reset is not told again', async () => {
  const sink = sinkWith();
  await spend(sink, total, 100);
  expect(notices.map(({ type }) => type)).toEqual(['threshold-crossed']);
  await adjust(sink, total, 'reset');
  await pass(sink, 3 * DAY);
  await spend(sink, total, 100);
  expect(notices).toHaveLength(1);
  await expectFigures(sink, total, { committed: 100 });
});

test('a late settlement takes no more back than a reset has left, days later', async () => {
  const sink = sinkWith({ awaitedMs: 30 * DAY });
  const { id } = await hold(sink, total, 50, 60_000);
  await pass(sink, 120_000);
  await adjust(sink, total, 'reset');
  await pass(sink, 5 * DAY);
  await spend(sink, total, 20);
  expect(await end(sink, id, total, 10)).toBe('late');
  await expectFigures(sink, total, { committed: 20 });
});

test('a late settlement is counted though the account had nothing else', async () => {
  const sink = sinkWith({ awaitedMs: 30 * DAY });
  const lenient = accountOf('lenient', { onExpiry: 'release' });
  const { id } = await hold(sink, lenient, 50, 60_000);
  await pass(sink, 5 * DAY);
  expect(await end(sink, id, lenient, 10)).toBe('late');
  await expectFigures(sink, lenient, { committed: 10 });
});

test.each([
  ['total', total],
  ['rolling', accountOf('rolling', { window: { rolling: '12h' } })],
])('a top-up of a %s window stays', async (_, account) => {
  const sink = sinkWith();
  await adjust(sink, account, 50);
  await pass(sink, 10 * DAY);
  await spend(sink, account, 10);
  await pass(sink, 10 * DAY);
  await expectFigures(sink, account, { limit: 150 });
});

test('what was spent is there when a changed window is changed back, days later', async () => {
  const sink = sinkWith();
  const daily = accountOf('total', { window: { calendar: 'day' } });
  await spend(sink, total, 60);
  await spend(sink, daily, 5);
  await pass(sink, 5 * DAY);
  await spend(sink, daily, 5);
  await expectFigures(sink, total, { committed: 60 });
  expect((await hold(sink, total, 41)).admitted).toBe(false);
});

test('one that is exhausted, and refuses calls each day, is not forgotten', async () => {
  const sink = sinkWith({ idleMs: 2 * DAY });
  await spend(sink, total, 100);
  for (let day = 0; day < 12; day += 1) {
    await pass(sink, DAY);
    expect((await hold(sink, total, 1)).admitted, `on day ${day}`).toBe(false);
  }
});

test('one whose spend went up and down is not forgotten', async () => {
  const sink = sinkWith({ idleMs: 4 * DAY });
  await spend(sink, total, 60);
  await pass(sink, DAY);
  for (let week = 0; week < 4; week += 1) {
    await pass(sink, 3 * DAY);
    const reservation = await spend(sink, total, 5);
    const { budget, unit } = total.rule;
    const place = { account: 'total', budget, unit, window: 'total', slot: null, amount: -5 };
    const change = { type: 'correction', reservation, charges: [place] } as const;
    await sink.adjust({ id: `fix${week}`, account: total, change, details: {} });
    await expectFigures(sink, total, { committed: 60 });
  }
});

test.each([100, 3])(
  'one that was idle is forgotten, which is right, with %i entries kept',
  async (ledgerCapacity) => {
    const sink = sinkWith({ idleMs: 2 * DAY, ledgerCapacity });
    const other = accountOf('other', { window: { calendar: 'day' }, limit: null });
    await spend(sink, total, 60);
    await spend(sink, total, 10);
    await pass(sink, 9 * DAY);
    expect(await admin.hexists(books, 'atotal')).toBe(0);
    for (const report of [await sink.verify(), await sink.rebuild()]) {
      expect(report).toMatchObject({ accounts: 0, differences: [] });
    }
    await expectFigures(sink, total, { committed: 0 });
    await spend(sink, total, 5);
    await expectFigures(sink, total, { committed: 5 });
    for (let call = 0; call < 130; call += 1) await spend(sink, other, 1);
    await sink.close();
    await expectFigures(sink, total, { committed: 5 });
    await spend(sink, total, 5);
    await expectFigures(sink, total, { committed: 10 });
    expect((await sink.rebuild()).differences).toEqual([]);
    await expectFigures(sink, total, { committed: 10 });
  },
);

test('one that was reset, and of which the ledger has the reset alone, is forgotten as well', async () => {
  const sink = sinkWith({ ledgerCapacity: 3 });
  const other = accountOf('other', { window: { calendar: 'day' }, limit: null });
  await spend(sink, total, 60);
  for (let call = 0; call < 126; call += 1) await spend(sink, other, 1);
  await adjust(sink, total, 'reset');
  await spend(sink, other, 1);
  await sink.close();
  const [first] = await admin.xrange(storeKeys('default').ledger, '-', '+', 'COUNT', 1);
  expect(first?.[0].endsWith('-127')).toBe(true);
  await pass(sink, 2 * DAY);
  expect(await admin.hexists(books, 'atotal')).toBe(0);
  for (const report of [await sink.verify(), await sink.rebuild()]) {
    expect(report.differences).toEqual([]);
  }
  await spend(sink, total, 70);
  await expectFigures(sink, total, { committed: 70 });
  await admin.del(books, storeKeys('default').due);
  await sink.rebuild();
  expect((await sink.read([total]))[0]?.committed).toBeGreaterThanOrEqual(0);
});

test('windows that are over are forgotten though calls are always open', async () => {
  const sink = sinkWith();
  const minutely = accountOf('minutely', { window: { fixed: '1m' }, limit: null });
  let open = await hold(sink, minutely, 0);
  for (let minute = 0; minute < 150; minute += 1) {
    time += 60_000;
    const next = await hold(sink, minutely, minute % 2);
    expect(await end(sink, open.id, minutely, 1)).toBe('settled');
    open = next;
  }
  const fields = Object.keys(await admin.hgetall(books));
  // Those of an hour, and until each has been looked at.
  expect(fields.filter((field) => field.startsWith('w')).length).toBeLessThan(85);
  await admin.config('RESETSTAT');
  time += 60_000;
  await hold(sink, minutely, 1);
  const [, reads] = /cmdstat_hget:calls=(\d+)/.exec(await admin.info('commandstats')) ?? [];
  expect(Number(reads)).toBeLessThan(20);
  expect((await sink.verify()).differences).toEqual([]);
});

test('a call that holds nothing is charged though its window was forgotten', async () => {
  const sink = sinkWith();
  const minutely = accountOf('minutely', { window: { fixed: '1m' } });
  const ids = [];
  for (let call = 0; call < 4; call += 1) ids.push((await hold(sink, minutely, 0, 9 * HOUR)).id);
  const [settled = '', grown = '', released = ''] = ids;
  await pass(sink, 8 * HOUR);
  await spend(sink, minutely, 1);
  await pass(sink, HOUR / 2);
  expect(await admin.hkeys(books)).not.toContain('w1');
  expect(await end(sink, settled, minutely, 3)).toBe('settled');
  const claims = [claimOn(minutely, 5)];
  expect(await sink.extend({ id: grown, claims, ttlMs: HOUR })).toMatchObject({
    status: 'extended',
  });
  expect((await sink.verify()).differences).toEqual([]);
  expect(await end(sink, grown, minutely, 4)).toBe('settled');
  expect(await sink.release(released)).toMatchObject({ status: 'released' });
  await pass(sink, HOUR);
  await expectFigures(sink, minutely, { held: 0 });
  expect((await sink.verify()).reservations).toBe(0);
});

test('one that came again and was brought back to nothing is forgotten once more', async () => {
  const sink = sinkWith({ idleMs: 2 * DAY });
  const plain = accountOf('plain', { thresholds: [] });
  await spend(sink, plain, 60);
  await pass(sink, 9 * DAY);
  await spend(sink, plain, 10);
  await adjust(sink, plain, 'reset');
  await pass(sink, DAY);
  expect(await admin.hexists(books, 'aplain')).toBe(0);
  for (const report of [await sink.verify(), await sink.rebuild()]) {
    expect(report.differences).toEqual([]);
  }
  await expectFigures(sink, plain, { committed: 0 });
  await spend(sink, plain, 7);
  await admin.hdel(books, 'aplain', 'cplain');
  await admin.zrem(storeKeys('default').due, 'aplain');
  expect((await sink.verify()).differences).toHaveLength(1);
});

test('a late settlement passes in the call that forgets the account and its windows', async () => {
  const sink = sinkWith({ awaitedMs: 30 * DAY });
  const brief = accountOf('brief', { window: { fixed: '10m' } });
  const { id } = await hold(sink, brief, 30, HOUR / 2);
  time += 2 * HOUR;
  await spend(sink, brief, 1);
  time += 3 * HOUR;
  expect(await end(sink, id, brief, 9)).toBe('late');
  expect((await sink.verify()).differences).toEqual([]);
});

test.each(['read', 'denied'])(
  'a window that was come back to is there still when that call was %s',
  async (what) => {
    const sink = sinkWith();
    const daily = accountOf('total', { window: { calendar: 'day' } });
    await spend(sink, total, 60);
    await spend(sink, daily, 5);
    const full = accountOf('full', { limit: 0 });
    const claims = [claimOn(total, 1), claimOn(full, 1)];
    if (what === 'read') await sink.read([total]);
    else
      expect(await sink.reserve({ id: 'no', claims, ttlMs: HOUR })).toMatchObject({
        admitted: false,
      });
    expect((await sink.verify()).differences).toEqual([]);
    await expectFigures(sink, total, { committed: 60 });
    expect((await hold(sink, total, 41)).admitted).toBe(false);
  },
);
