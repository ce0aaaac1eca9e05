import { SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ADOPT, LEASE, type Script, SETTLE_LEASED } from '../src/scripts.ts';
import { accountOf } from './support/accounts.ts';
import { LeaseBench, reserve, settle } from './support/lease-bench.ts';
import { LosingClient } from './support/losing-client.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const client = redis.client();
const a = accountOf('a', { limit: 1_000 });
const b = accountOf('b', { limit: 1_000 });
const both = [a, b];
let bench = new LeaseBench(client);

afterAll(() => redis.stop());
beforeEach(() => {
  bench = new LeaseBench(client);
});

describe('replies that are lost, and scripts', () => {
  const WAYS = [
    ['reply', (losing: LosingClient, script: Script) => losing.loseReply(script)],
    ['script', (losing: LosingClient, script: Script) => losing.lose(script)],
  ] as const;

  async function openLosing(): Promise<[LosingClient, ReturnType<LeaseBench['open']>]> {
    const losing = new LosingClient(client);
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
    const losing = new LosingClient(client);
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
  const losing = new LosingClient(client);
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
  const losing = new LosingClient(client);
  const sink = bench.open({}, { client: losing });
  await bench.lease(sink, [a], 100);
  await sink.sync();
  losing.meanwhile = { script: LEASE, work: () => reserve(sink, 'r1', [a], 10) };
  await sink.sync();
  expect(losing.meanwhile).toBe(null);
  expect((await bench.read(a)).held).toBe(10);
});
