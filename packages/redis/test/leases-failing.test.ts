import { SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { RedisClient } from '../src/index.ts';
import { ADOPT, LEASE, type Script, SETTLE_LEASED } from '../src/scripts.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { LEASE_TTL, LeaseBench, reserve, settle, TTL } from './support/lease-bench.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const client = redis.client();
const a = accountOf('a', { limit: 1_000 });
const b = accountOf('b', { limit: 1_000 });
const both = [a, b];
const lenient = accountOf('lenient', { limit: 1_000, onExpiry: 'release' });
let bench = new LeaseBench(client);

afterAll(() => redis.stop());
beforeEach(() => {
  bench = new LeaseBench(client);
});

// As servers write what is not worth another attempt.
const LOST = 'LOST the connection is closed';

/** A client that loses the reply to the next script of a kind, or the script itself. */
class Losing implements RedisClient {
  #script: Script | null = null;
  #isDone = true;
  isAway = false;
  lost = 0;
  /** Done while a script is under way, once. */
  meanwhile: { readonly script: Script; readonly work: () => Promise<unknown> } | null = null;

  loseReply(script: Script): void {
    [this.#script, this.#isDone] = [script, true];
  }

  lose(script: Script): void {
    [this.#script, this.#isDone] = [script, false];
  }

  async call(command: string, ...args: (string | number)[]): Promise<unknown> {
    if (this.isAway) throw new Error(LOST);
    const [what] = args;
    const script = this.#script;
    const isIt = script !== null && [script.sha, script.text].includes(String(what));
    if (isIt && !this.#isDone) throw this.#lost();
    const { meanwhile } = this;
    const reply = await client.call(command, ...args);
    if (
      meanwhile !== null &&
      [meanwhile.script.sha, meanwhile.script.text].includes(String(what))
    ) {
      this.meanwhile = null;
      await meanwhile.work();
    }
    if (isIt) throw this.#lost();
    return reply;
  }

  #lost(): Error {
    this.#script = null;
    this.lost += 1;
    return new Error(LOST);
  }
}

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

describe('replies that are lost, and scripts', () => {
  const WAYS = [
    ['reply', (losing: Losing, script: Script) => losing.loseReply(script)],
    ['script', (losing: Losing, script: Script) => losing.lose(script)],
  ] as const;

  async function openLosing(): Promise<[Losing, ReturnType<LeaseBench['open']>]> {
    const losing = new Losing();
    const sink = bench.open({}, { client: losing });
    await bench.lease(sink, both, 100);
    return [losing, sink];
  }

  test.each(WAYS)('case C-14: the %s that tells what calls cost: told once', async (_, lose) => {
    const [losing, sink] = await openLosing();
    for (const id of ['r1', 'r2', 'r3']) {
      await reserve(sink, id, both, 20);
      await settle(sink, id, both, 10);
    }
    lose(losing, SETTLE_LEASED);
    expect(await sink.flush()).toBe(3);
    await sink.sync();
    expect(losing.lost).toBe(1);
    expect(await sink.flush()).toBe(0);
    await sink.close();
    for (const account of both) expect(await bench.figures(account)).toBe('30+0');
    expect((await bench.entries()).length).toBe(3);
    await bench.expectBooks();
  });

  test.each(WAYS)('the %s that makes a call a reservation of its own', async (_, lose) => {
    const [losing, sink] = await openLosing();
    await reserve(sink, 'r1', both, 20);
    lose(losing, ADOPT);
    const dear = () => settle(sink, 'r1', both, 300);
    await expect(dear()).rejects.toThrow(SinkUnavailableError);
    expect(await dear()).toMatchObject({ status: 'settled' });
    expect(losing.lost).toBe(1);
    await sink.close();
    for (const account of both) expect(await bench.figures(account)).toBe('300+0');
    await bench.expectBooks();
  });

  test.each(WAYS)('the %s that takes leases: nothing is left of them', async (_, lose) => {
    const losing = new Losing();
    const sink = bench.open({}, { client: losing });
    await reserve(sink, 'r1', both, 20);
    lose(losing, LEASE);
    await sink.renew().catch(() => {});
    expect(await reserve(sink, 'r2', both, 20)).toBe(true);
    await sink.renew();
    await reserve(sink, 'r3', both, 20);
    expect(losing.lost).toBe(1);
    await sink.close();
    for (const account of both) expect(await bench.figures(account)).toBe('0+60');
    await bench.expectBooks();
  });

  test.each(WAYS)(
    'the %s that changes leases: never is less held than calls have',
    async (_, lose) => {
      const [losing, sink] = await openLosing();
      await reserve(sink, 'r1', both, 150);
      lose(losing, LEASE);
      await sink.renew().catch(() => {});
      const held = async () => (await bench.read(a)).held;
      expect(await held()).toBeGreaterThanOrEqual(150);
      await reserve(sink, 'r2', both, 50);
      expect(await held()).toBeGreaterThanOrEqual(200);
      await sink.renew();
      await settle(sink, 'r1', both, 140);
      await sink.close();
      for (const account of both) expect(await bench.figures(account)).toBe('140+50');
      await bench.expectBooks();
    },
  );
});

test('what calls do while leases are changed is neither drawn twice nor lost', async () => {
  const losing = new Losing();
  const sink = bench.open({}, { client: losing });
  await bench.lease(sink, [a], 100);
  await reserve(sink, 'r1', [a], 100);
  const work = async () => {
    await settle(sink, 'r1', [a], 90);
    await reserve(sink, 'r2', [a], 40);
  };
  losing.meanwhile = { script: LEASE, work };
  await sink.renew();
  expect(losing.meanwhile).toBe(null);
  const { held } = await bench.read(a);
  let drawn = 90 + 40;
  // As much as can be drawn without the store being asked.
  losing.isAway = true;
  for (let call = 0; await reserve(sink, `more${call}`, [a], 10).catch(() => false); call += 1) {
    drawn += 10;
  }
  expect(drawn).toBeLessThanOrEqual(held);
  losing.isAway = false;
  await sink.close();
  expect((await bench.read(a)).committed).toBe(90);
  await bench.expectBooks();
});

test('what is being given back is drawn by nobody', async () => {
  const losing = new Losing();
  const sink = bench.open({}, { client: losing });
  await bench.lease(sink, [a], 100);
  await sink.sync();
  losing.meanwhile = { script: LEASE, work: () => reserve(sink, 'r1', [a], 10) };
  await sink.sync();
  expect(losing.meanwhile).toBe(null);
  expect((await bench.read(a)).held).toBe(10);
});

describe('a store that is away', () => {
  test('a lease is used until it may have expired, and no longer', async () => {
    const losing = new Losing();
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
    const losing = new Losing();
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
