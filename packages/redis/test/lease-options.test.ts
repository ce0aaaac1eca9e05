import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type LeaseOptions, RedisUsageSink } from '../src/index.ts';
import { accountOf } from './support/accounts.ts';
import { LeaseBench, reserve } from './support/lease-bench.ts';
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

describe('options', () => {
  const WRONG: readonly (readonly [LeaseOptions, string])[] = [
    [{ after: 0 }, 'leases.after'],
    [{ share: 0.6 }, 'leases.share'],
    [{ maxCalls: 3 }, 'leases.maxCalls'],
    [{ syncMs: 1 }, 'leases.syncMs'],
    [{ ttlMs: 4_000 }, '5 times `syncMs`'],
    [{ budgets: [] }, 'leases.budgets'],
    [{ block: 10 } as LeaseOptions, 'leases.block'],
    [true as unknown as LeaseOptions, 'write {} for the defaults'],
  ];
  test.each(WRONG)('%o is refused with advice', (leases, what) => {
    expect(() => new RedisUsageSink(client, { leases })).toThrow(what);
    expect(() => new RedisUsageSink(client, { leases, partitionBy: ['org'] })).toThrow(what);
  });

  test('only the budgets that are named are leased', async () => {
    const sink = bench.open({ budgets: new Set(['b']) });
    for (const account of [a, b]) await bench.lease(sink, [account], 100);
    expect(await bench.figures(a)).toBe('0+0');
    expect(await bench.figures(b)).toBe('0+200');
  });

  test('a block is for so many calls at most', async () => {
    const sink = bench.open({ maxCalls: 4 });
    for (let call = 0; call < 10; call += 1) {
      await reserve(sink, `r${call}`, [a], 20);
      await sink.release(`r${call}`);
    }
    await sink.sync();
    expect(await bench.figures(a)).toBe('0+80');
  });
});
