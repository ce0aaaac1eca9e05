import { createSpendGuard } from '@hardcap/core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisUsageSink } from '../src/index.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { LeaseBench, reserve, settle, TTL } from './support/lease-bench.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const client = redis.client();
const a = accountOf('a', { limit: 1_000 });
const b = accountOf('b', { limit: 1_000 });
let bench = new LeaseBench(client);

afterAll(() => redis.stop());
beforeEach(() => {
  bench = new LeaseBench(client);
});

async function commands(): Promise<number> {
  const stats = await client.info('commandstats');
  return [...stats.matchAll(/cmdstat_evalsha:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}

describe('a block is held before anything is drawn of it', () => {
  test('calls on an account that is used a lot cost a small part of a round trip', async () => {
    const vast = accountOf('vast', { limit: 1e9 });
    const sink = await bench.openWith([vast], 2_000);
    await client.config('RESETSTAT');
    for (let call = 0; call < 1_000; call += 1) {
      expect(await reserve(sink, `r${call}`, [vast], 2)).toBe(true);
      await settle(sink, `r${call}`, [vast], 1);
    }
    await sink.sync();
    // Two of a thousand calls each would be 2,000.
    expect(await commands()).toBeLessThan(60);
    expect((await bench.read(vast)).committed).toBe(1_000);
    await bench.expectBooks();
  });

  test('the store holds the block, the owner shows what its calls hold', async () => {
    const sink = await bench.openWith([a], 100);
    expect(await bench.figures(a)).toBe('0+200');
    await reserve(sink, 'r1', [a], 30);
    expect(await bench.figures(a)).toBe('0+200');
    expect((await sink.read([a]))[0]).toMatchObject({ committed: 0, held: 30 });
    expect(await sink.verify()).toMatchObject({ reservations: 1, differences: [] });
  });

  test('what a call cost is told at the end of an interval, and what it gave back can be drawn again', async () => {
    const sink = await bench.openWith([a], 100);
    for (let call = 0; call < 10; call += 1) {
      await reserve(sink, `r${call}`, [a], 50);
      expect(await settle(sink, `r${call}`, [a], 10)).toMatchObject({ status: 'settled' });
    }
    expect((await bench.read(a)).committed).toBe(0);
    await sink.flush();
    expect(await bench.figures(a)).toBe('100+100');
    expect((await bench.entries()).length).toBe(10);
    await bench.expectBooks();
  });

  test('a call that binds an account without a lease goes to the store, with all it binds', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'both', [a, b], 5);
    expect(await bench.figures(a)).toBe('0+205');
    expect(await bench.figures(b)).toBe('0+5');
  });

  test('accounts are leased once calls all of whose accounts are used a lot have used them', async () => {
    const sink = bench.open({ after: 3 });
    const ask = async (id: string, accounts: Parameters<typeof reserve>[2]) => {
      await reserve(sink, id, accounts, 1);
      await sink.renew();
    };
    await ask('r1', [a]);
    await ask('r2', [a]);
    expect(await bench.figures(a)).toBe('0+2');
    for (const run of ['x', 'y', 'z']) await ask(run, [a, accountOf(`run-${run}`)]);
    expect(await bench.figures(a)).toBe('0+5');
    await ask('r3', [a]);
    expect((await bench.read(a)).held).toBeGreaterThan(6);
  });

  test('a lease that nobody draws from any more is given back', async () => {
    const sink = await bench.openWith([a], 100);
    await sink.sync();
    await sink.sync();
    expect(await bench.figures(a)).toBe('0+0');
  });

  test('near the end nothing is leased, and a cap is used to its last unit', async () => {
    const tight = accountOf('tight', { limit: 100 });
    const [one, other] = [bench.open({ leastCalls: 4 }), bench.open({ leastCalls: 4 })];
    let admitted = 0;
    for (let call = 0; call < 40; call += 1) {
      for (const [name, sink] of [['one', one] as const, ['other', other] as const]) {
        if (!(await reserve(sink, `${name}${call}`, [tight], 3))) continue;
        admitted += 1;
        await settle(sink, `${name}${call}`, [tight], 3);
        await sink.renew();
      }
    }
    for (const sink of [one, other]) await sink.sync();
    expect(admitted).toBe(33);
    await one.close();
    await other.close();
    expect(await bench.figures(tight)).toBe('99+0');
  });

  test('a refusal counts once, though the store is asked again without the own block', async () => {
    const sink = await bench.openWith([a], 400);
    expect(await reserve(sink, 'fits', [a], 900)).toBe(true);
    expect(await reserve(sink, 'does-not', [a], 200)).toBe(false);
    expect((await bench.read(a)).denials).toBe(1);
    const claims = [claimOn(a, 200)];
    const answer = await sink.reserve({ id: 'figures', claims, ttlMs: TTL });
    expect(answer).toMatchObject({ refusals: [{ committed: 0, held: 900, kind: 'held' }] });
  });

  test('closing gives everything back but what open calls hold', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'open', [a], 30);
    await reserve(sink, 'done', [a], 20);
    await settle(sink, 'done', [a], 15);
    await sink.close();
    expect(await bench.figures(a)).toBe('15+30');
    const next = bench.open();
    expect(await settle(next, 'open', [a], 25)).toMatchObject({ status: 'settled' });
    expect(await bench.figures(a)).toBe('40+0');
    await bench.expectBooks();
  });
});

describe('what needs more than a lease has', () => {
  test('an extension is drawn, and goes to the store where the lease has no room', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'r1', [a], 50);
    const extend = (amount: number) =>
      sink.extend({ id: 'r1', claims: [claimOn(a, amount)], ttlMs: TTL });
    expect(await extend(150)).toMatchObject({ status: 'extended' });
    expect(await bench.figures(a)).toBe('0+200');
    expect(await extend(900)).toMatchObject({ status: 'extended' });
    expect(await extend(1_001)).toMatchObject({ status: 'refused' });
    expect(await settle(sink, 'r1', [a], 700)).toMatchObject({ status: 'settled' });
    await sink.close();
    expect(await bench.figures(a)).toBe('700+0');
    await bench.expectBooks();
  });

  test('a settlement above the hold is answered by the store, with its overshoot', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'r1', [a], 50);
    const answer = await settle(sink, 'r1', [a], 1_200);
    expect(answer).toMatchObject({ status: 'settled', overshoot: [{ amount: 200 }] });
    expect((await bench.entries()).at(-1)).toBe('settlement r1 1200');
  });

  test('case C-97: the call that comes to a threshold tells so, whoever spent the rest', async () => {
    const warned = accountOf('warned', { limit: 1_000, thresholds: [500_000] });
    const sink = await bench.openWith([warned], 100);
    const other = bench.open({ after: 1e9 });
    await reserve(other, 'other', [warned], 380);
    await settle(other, 'other', [warned], 380);
    await sink.renew();
    for (const id of ['r1', 'r2', 'r3']) await reserve(sink, id, [warned], 60);
    expect((await settle(sink, 'r1', [warned], 60)).notices).toEqual([]);
    expect((await settle(sink, 'r2', [warned], 60)).notices).toMatchObject([
      { type: 'threshold-crossed', threshold: 0.5, committed: 500 },
    ]);
    expect((await settle(sink, 'r3', [warned], 60)).notices).toEqual([]);
  });
});

describe('other processes', () => {
  const block = { type: 'block' } as const;

  test('what they change by hand acts when the owner sees to its leases', async () => {
    const sink = await bench.openWith([a], 100);
    const other = bench.open({ after: 1e9 });
    await other.adjust({ id: 'block', account: a, change: block, details: {} });
    expect(await reserve(sink, 'before', [a], 1)).toBe(true);
    await sink.renew();
    expect(await reserve(sink, 'after', [a], 1)).toBe(false);
  });

  test('what the owner itself changes acts at once', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'open', [a], 50);
    await sink.adjust({ id: 'block', account: a, change: block, details: {} });
    expect(await reserve(sink, 'after', [a], 1)).toBe(false);
    await sink.release('open');
    expect(await reserve(sink, 'given-back', [a], 1)).toBe(false);
  });

  test('case C-94: a reset neither loses nor doubles what was drawn', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'told', [a], 50);
    await settle(sink, 'told', [a], 50);
    await reserve(sink, 'open', [a], 60);
    const change = { type: 'reset' } as const;
    await sink.adjust({ id: 'reset', account: a, change, details: {} });
    expect((await bench.read(a)).committed).toBe(0);
    await settle(sink, 'open', [a], 40);
    await sink.close();
    expect(await bench.figures(a)).toBe('40+0');
    await bench.expectBooks();
  });

  test('a lower limit that a call brings counts for that call, and ends the lease', async () => {
    const sink = await bench.openWith([a], 100);
    const lowered = { ...a, rule: { ...a.rule, limit: 10 } };
    expect(await reserve(sink, 'r1', [lowered], 11)).toBe(false);
    await sink.sync();
    expect(await reserve(sink, 'r2', [lowered], 10)).toBe(true);
    await sink.close();
    expect(await bench.figures(lowered)).toBe('0+10');
  });
});

describe('windows', () => {
  const minute = accountOf('minute', { limit: 1_000, window: { fixed: '1m' } });

  test('nothing is drawn of a window that is over; a call is charged to that in which it was admitted', async () => {
    const sink = await bench.openWith([minute], 100, { ttlMs: 1e9 });
    await reserve(sink, 'open', [minute], 50);
    bench.time += 60_000;
    expect(await reserve(sink, 'next', [minute], 30)).toBe(true);
    expect(await bench.figures(minute)).toBe('0+30');
    const settled = await settle(sink, 'open', [minute], 40);
    expect(settled).toMatchObject({ status: 'settled', charged: [{ amount: 40 }] });
    await sink.sync();
    expect((await sink.read([minute]))[0]).toMatchObject({ committed: 0, held: 30 });
    await bench.expectBooks();
    await sink.close();
    const charges = (await bench.entries()).filter((text) => text.startsWith('settlement'));
    expect(charges).toEqual(['settlement open 40']);
  });

  test('to the millisecond, by the time of the store', async () => {
    const sink = await bench.openWith([minute], 100, { ttlMs: 1e9 });
    bench.time += 59_999;
    await reserve(sink, 'last', [minute], 1);
    expect((await bench.read(minute)).held).toBe(200);
    bench.time += 1;
    await reserve(sink, 'first', [minute], 1);
    expect((await bench.read(minute)).held).toBe(1);
  });
});

test('flush of a guard tells the store what its calls have cost', async () => {
  const namespace = crypto.randomUUID();
  const leases = { after: 1, syncMs: 200, ttlMs: 60_000 };
  const guard = createSpendGuard({
    sink: new RedisUsageSink(client, { namespace, leases }),
    budgets: [{ name: 'all', per: [], limit: { requests: 100_000 }, window: 'total' }],
  });
  const reader = new RedisUsageSink(client, { namespace });
  const call = { provider: 'p', model: 'm', inputTokens: 1, maxOutputTokens: 1 };
  const run = () => guard.run(call, (each) => each.settle({ outcome: 'known', costNanoUsd: 0 }));
  for (let count = 0; count < 10; count += 1) await run();
  const all = accountOf('all', { unit: 'requests', limit: 100_000 });
  await expect
    .poll(async () => (await reader.read([all]))[0]?.held, { timeout: 5_000 })
    .toBeGreaterThan(0);
  for (let count = 0; count < 20; count += 1) await run();
  expect(await guard.flush()).toEqual({ unsent: 0 });
  expect((await reader.read([all]))[0]?.committed).toBe(30);
  await guard.close();
  expect((await reader.read([all]))[0]).toMatchObject({ committed: 30, held: 0 });
});
