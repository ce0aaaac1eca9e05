import type { Account } from '@hardcap/core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RedisUsageSink } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const { books } = storeKeys('default');
const MINUTE = 60_000;

afterAll(() => redis.stop());
beforeEach(() => admin.flushall());

/** An account that has spent 60 of 100, and holds 10 more, in the window before. */
async function savedScene(): Promise<{ sink: RedisUsageSink; saved: Account }> {
  let time = 1_800_000_000_000;
  const sink = redis.sink({ now: () => time });
  const saved = accountOf('saved', { rollover: 50, window: { fixed: '1m' } });
  for (const [id, amount] of [['spent', 60] as const, ['held', 10] as const]) {
    await sink.reserve({ id, claims: [claimOn(saved, amount)], ttlMs: 10 * MINUTE });
  }
  await sink.settle({ id: 'spent', outcome: 'known', charges: [], details: {} });
  time += MINUTE;
  await sink.reserve({ id: 'now', claims: [claimOn(saved, 5)], ttlMs: 10 * MINUTE });
  return { sink, saved };
}

async function windowBefore(): Promise<string> {
  const found = (await admin.hkeys(books)).find((field) => field.startsWith('w'));
  return found ?? '';
}

async function roomOf(sink: RedisUsageSink, saved: Account): Promise<number> {
  const claims = [claimOn(saved, 1_000)];
  const answer = await sink.reserve({ id: crypto.randomUUID(), claims, ttlMs: MINUTE });
  const [refusal] = answer.refusals ?? [];
  const { limit, committed, held } = refusal ?? { limit: 0, committed: 0, held: 0 };
  return (limit ?? 0) - committed - held;
}

const ADD_TO_HELD = `
local record = cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1]))
record[1][2] = record[1][2] + tonumber(ARGV[2])
return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(record))`;

test('a wrong hold of the window before is found, and restored with what it leaves', async () => {
  const { sink, saved } = await savedScene();
  expect(await roomOf(sink, saved)).toBe(125);
  await admin.call('EVAL', ADD_TO_HELD, 1, books, await windowBefore(), 20);
  const { differences } = await sink.verify();
  expect(differences).toMatchObject([{ field: 'held', counter: 30, expected: 10 }]);
  // A call of that window brings the current one to what is wrong there.
  await sink.release('held');
  expect(await roomOf(sink, saved)).toBe(115);
  await sink.rebuild();
  expect(await roomOf(sink, saved)).toBe(135);
  const claims = [claimOn(saved, 135)];
  expect((await sink.reserve({ id: 'all', claims, ttlMs: MINUTE })).admitted).toBe(true);
});

test('a window before that is lost leaves nothing', async () => {
  const { sink, saved } = await savedScene();
  await admin.hdel(books, await windowBefore());
  expect(await sink.read([saved])).toMatchObject([{ limit: 100, rollover: 0 }]);
});
