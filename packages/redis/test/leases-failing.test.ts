import { SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { accountOf, claimOn } from './support/accounts.ts';
import { LEASE_TTL, LeaseBench, reserve, settle, TTL } from './support/lease-bench.ts';
import { LosingClient } from './support/losing-client.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const client = redis.client();
const a = accountOf('a', { limit: 1_000 });
const lenient = accountOf('lenient', { limit: 1_000, onExpiry: 'release' });
let bench = new LeaseBench(client);

afterAll(() => redis.stop());
beforeEach(() => {
  bench = new LeaseBench(client);
});

describe('an owner that dies', () => {
  test('case C-13: its block is charged once it expires, and named in the ledger', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'told', [a], 50);
    await settle(sink, 'told', [a], 40);
    await sink.flush();
    await reserve(sink, 'untold', [a], 50);
    await settle(sink, 'untold', [a], 10);
    await reserve(sink, 'open', [a], 50);
    bench.time += LEASE_TTL - 1;
    expect(await bench.figures(a)).toBe('40+160');
    bench.time += 1;
    expect(await bench.figures(a)).toBe('200+0');
    expect(await bench.entries()).toEqual(['settlement told 40', 'expiry lease:p1:1:expiry 160']);
    await bench.expectBooks();
  });

  test('its block is free again where expiry releases', async () => {
    await bench.openWith([lenient], 100);
    bench.time += LEASE_TTL;
    expect(await bench.figures(lenient)).toBe('0+0');
    await bench.expectBooks();
  });
});

describe.each([
  ['charges', a, 200],
  ['releases', lenient, 0],
])('an owner that slept while its lease expired, where expiry %s', (_, account, charged) => {
  test('every call is charged what it cost, and nothing else is', async () => {
    const sink = await bench.openWith([account], 100);
    await reserve(sink, 'untold', [account], 50);
    await settle(sink, 'untold', [account], 10);
    await reserve(sink, 'open', [account], 50);
    await reserve(sink, 'dear', [account], 20);
    bench.time += LEASE_TTL;
    expect(await bench.figures(account)).toBe(`${charged}+0`);
    await sink.sync();
    await settle(sink, 'open', [account], 30);
    const dear = await settle(sink, 'dear', [account], 25);
    expect(dear).toMatchObject({ status: 'late', overshoot: [] });
    await sink.sync();
    await sink.sync();
    await sink.close();
    expect(await bench.figures(account)).toBe('65+0');
    const sums = new Map<string, number>();
    for (const text of await bench.entries()) {
      const [, id = '', amount] = text.split(' ');
      const call = id.startsWith('lease') ? 'lease' : (id.split(':')[0] ?? '');
      sums.set(call, (sums.get(call) ?? 0) + Number(amount));
    }
    expect(Object.fromEntries(sums)).toEqual({ lease: 0, untold: 10, open: 30, dear: 25 });
    await bench.expectBooks();
  });

  test('nothing is drawn of it', async () => {
    const sink = await bench.openWith([account], 100);
    bench.time += LEASE_TTL;
    await bench.read(account);
    await reserve(sink, 'r1', [account], 10);
    expect((await bench.read(account)).held).toBe(10);
  });

  test('a reset in between gives nothing back a second time', async () => {
    const sink = await bench.openWith([account], 100);
    await reserve(sink, 'open', [account], 50);
    bench.time += LEASE_TTL;
    const change = { type: 'reset' } as const;
    await bench.open().adjust({ id: 'reset', account, change, details: {} });
    await sink.sync();
    await settle(sink, 'open', [account], 30);
    await sink.close();
    expect((await bench.read(account)).committed).toBe(charged === 0 ? 30 : 0);
    await bench.expectBooks();
  });
});

test('an owner that slept frees nothing that its own calls have drawn again', async () => {
  const losing = new LosingClient(client);
  const sink = bench.open({}, { client: losing });
  await bench.lease(sink, [a], 100);
  losing.isAway = true;
  await reserve(sink, 'untold', [a], 100);
  await settle(sink, 'untold', [a], 50);
  await reserve(sink, 'open', [a], 150);
  bench.time += LEASE_TTL;
  losing.isAway = false;
  const other = bench.open({ after: 1e9 });
  await reserve(other, 'other', [a], 800);
  expect(await bench.figures(a)).toBe('200+800');
  expect(await sink.flush()).toBe(0);
  expect(await reserve(other, 'next', [a], 1)).toBe(false);
  await sink.sync();
  await settle(sink, 'open', [a], 150);
  await sink.close();
  expect(await bench.figures(a)).toBe('200+800');
  await bench.expectBooks();
});

describe('a store that is away', () => {
  test('a lease is used until it may have expired, and no longer', async () => {
    const losing = new LosingClient(client);
    const sink = bench.open({}, { client: losing });
    await bench.lease(sink, [a], 100);
    losing.isAway = true;
    expect(await reserve(sink, 'r1', [a], 20)).toBe(true);
    expect(await settle(sink, 'r1', [a], 15)).toMatchObject({ status: 'settled' });
    bench.time += LEASE_TTL * 0.9 - 1;
    expect(await reserve(sink, 'r2', [a], 20)).toBe(true);
    bench.time += 1;
    await expect(reserve(sink, 'r3', [a], 20)).rejects.toThrow(SinkUnavailableError);
    expect(await sink.flush()).toBe(1);
    losing.isAway = false;
    expect(await sink.flush()).toBe(0);
    await sink.close();
    expect(await bench.figures(a)).toBe('15+20');
    await bench.expectBooks();
  });

  test('closing says so where the store was not told of all', async () => {
    const losing = new LosingClient(client);
    const sink = bench.open({}, { client: losing });
    await bench.lease(sink, [a], 100);
    await reserve(sink, 'r1', [a], 20);
    await settle(sink, 'r1', [a], 15);
    losing.isAway = true;
    await expect(sink.close()).rejects.toThrow(SinkUnavailableError);
  });

  test('a store that was lost knows of no lease: nothing is drawn of it', async () => {
    const own = { onStoreReset: 'accept' } as const;
    const sink = bench.open({}, own);
    await bench.lease(sink, [a], 100);
    await reserve(sink, 'open', [a], 30);
    await reserve(sink, 'untold', [a], 30);
    await settle(sink, 'untold', [a], 10);
    await client.flushall();
    await sink.sync();
    expect(await settle(sink, 'open', [a], 20)).toMatchObject({ status: 'never-held' });
    await reserve(sink, 'next', [a], 40);
    const answer = await sink.reserve({ id: 'again', claims: [claimOn(a, 5)], ttlMs: TTL });
    expect(answer.admitted).toBe(true);
    await sink.close();
    expect(await bench.figures(a)).toBe('0+45');
    await bench.expectBooks();
  });
});
