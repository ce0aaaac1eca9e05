import type { Account, UsageSink } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';
import { afterAll, expect, test } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { otherSchema } from './other-schema.ts';

const redis = await TestRedis.start();
const client = redis.client();
const before = await otherSchema(-1);
const after = await otherSchema(1);

afterAll(() => redis.stop());

const TTL_MS = 60_000;
const daily = accountOf('daily', { limit: 1_000, window: { fixed: '365d' } });
const total = accountOf('total', { limit: 1_000 });
const accounts: readonly Account[] = [daily, total];

/** Everything that a sink does, on the accounts of both. @param name opens the ids */
async function everything(sink: UsageSink, name: string, clock: { now: number }): Promise<void> {
  const ask = (id: string) =>
    sink.reserve({
      id: `${name}-${id}`,
      claims: accounts.map((account) => claimOn(account, 10)),
      ttlMs: TTL_MS,
    });
  const end = { outcome: 'known', charges: [], details: {} } as const;
  for (const id of ['settled', 'released', 'expired', 'open']) await ask(id);
  await sink.settle({ ...end, id: `${name}-settled` });
  await sink.release(`${name}-released`);
  clock.now += TTL_MS;
  await ask('open, too');
  await sink.settle({ ...end, id: `${name}-expired` });
  const change = { type: 'top-up', amount: 5 } as const;
  await sink.adjust({ id: `${name}-top-up`, account: total, change, details: {} });
  await sink.adjust({
    id: `${name}-reset`,
    account: total,
    change: { type: 'reset' },
    details: {},
  });
  expect((await sink.verify()).differences).toEqual([]);
  await sink.rebuild();
}

const HOUR_MS = 3_600_000;

/** Gives keys an hour, which is less than any sink would. */
async function mark(keys: readonly string[]): Promise<void> {
  for (const key of keys) expect(await client.pexpire(key, HOUR_MS)).toBe(1);
}

/** Each key as it is: its bytes, and whether it still expires as it was marked to. */
async function contents(keys: readonly string[]): Promise<Record<string, unknown>> {
  const parts = await Promise.all(
    keys.map(async (key) => {
      const [bytes, lifeMs] = [await client.dumpBuffer(key), await client.pttl(key)];
      return [key, [bytes?.toString('base64'), lifeMs > 0 && lifeMs <= HOUR_MS]] as const;
    }),
  );
  return Object.fromEntries(parts);
}

async function keysOf(namespace: string): Promise<string[]> {
  return (await client.keys(`{hardcap:${namespace}}*`)).toSorted();
}

test.each([
  ['the version before and this one', before.RedisUsageSink, RedisUsageSink],
  ['this version and the one before', RedisUsageSink, before.RedisUsageSink],
  ['this version and the next', RedisUsageSink, after.RedisUsageSink],
])('%s touch nothing of each other, under the same names', async (_, First, Second) => {
  const namespace = crypto.randomUUID();
  const clock = { now: Date.parse('2026-11-30T12:00:00Z') };
  const options = { namespace, now: () => clock.now };
  const [first, second] = [new First(client, options), new Second(client, options)];
  await everything(first, 'same', clock);
  const keys = await keysOf(namespace);
  await mark(keys);
  const untouched = await contents(keys);
  await everything(second, 'same', clock);
  expect(await contents(keys)).toEqual(untouched);
  const others = (await keysOf(namespace)).filter((key) => !keys.includes(key));
  expect(others).toHaveLength(keys.length);
  await mark(others);
  const ofSecond = await contents(others);
  // What has expired in between is due in the first by now, and in the first alone.
  await everything(first, 'more', clock);
  expect(await contents(others)).toEqual(ofSecond);
});

test('both at once, over one client and through a forgotten script: each has its own books', async () => {
  const namespace = crypto.randomUUID();
  const sinks = [
    new before.RedisUsageSink(client, { namespace, timeoutMs: 20_000 }),
    new RedisUsageSink(client, { namespace, timeoutMs: 20_000 }),
  ];
  const traffic = Array.from({ length: 300 }, async (_, call) => {
    if (call % 50 === 0) await client.script('FLUSH');
    const [sink, id] = [sinks[call % 2] as UsageSink, `r${call >> 1}`];
    const answer = await sink.reserve({ id, claims: [claimOn(total, 10)], ttlMs: TTL_MS });
    if (!answer.admitted) return 0;
    await sink.settle({ id, outcome: 'known', charges: [], details: {} });
    return 1;
  });
  const admitted = (await Promise.all(traffic)).reduce<number>((sum, each) => sum + each, 0);
  // Each holds the cap for itself, which is why they must not run side by side for long.
  expect(admitted).toBe(2 * 100);
  for (const sink of sinks) {
    expect((await sink.read([total]))[0]).toMatchObject({ committed: 1_000, held: 0 });
    expect(await sink.verify()).toMatchObject({ entries: 100, reservations: 0, differences: [] });
  }
});

test('keys of another version that are nothing it knows are left alone', async () => {
  const namespace = crypto.randomUUID();
  const clock = { now: Date.parse('2026-11-30T12:00:00Z') };
  const sink = new RedisUsageSink(client, { namespace, now: () => clock.now, timeoutMs: 60_000 });
  await everything(sink, 'own', clock);
  const own = await keysOf(namespace);
  const foreign = own.map((key) => key.replace(/\}:\d+:/, '}:99:'));
  for (const key of foreign) await client.set(key, 'a layout that is not known yet');
  await mark(foreign);
  const untouched = await contents(foreign);
  await everything(sink, 'more', clock);
  expect(await contents(foreign)).toEqual(untouched);
  expect((await keysOf(namespace)).length).toBe(own.length + foreign.length);
});
