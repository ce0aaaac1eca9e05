import { SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const { ledger } = storeKeys('default');
const a = accountOf('a');

afterAll(() => redis.stop());
beforeEach(() => admin.flushall());

// Counters equal the ledger, so what it cannot take is not charged: by the way of most settlements, by
// that of the others, and by that of several together.
test.each([
  { way: 'within the hold', amounts: [5] },
  { way: 'above the hold', amounts: [15] },
  { way: 'together', amounts: [5, 6] },
])('a settlement that the ledger does not take changes nothing: $way', async ({ amounts }) => {
  const sink = redis.sink();
  const settleAll = () => {
    const settled = amounts.map((amount, place) => {
      const charges = [{ account: a.key, amount }];
      return sink.settle({ id: `r${place}`, outcome: 'known', charges, details: {} });
    });
    return Promise.allSettled(settled);
  };
  const first = { id: 'first', claims: [claimOn(a, 0)], ttlMs: 60_000 };
  await sink.reserve(first);
  await sink.settle({ id: 'first', outcome: 'known', charges: [], details: {} });
  for (const place of amounts.keys()) {
    await sink.reserve({ ...first, id: `r${place}`, claims: [claimOn(a, 10)] });
  }
  const held = 10 * amounts.length;
  await admin.rename(ledger, `${ledger}:aside`);
  await admin.set(ledger, 'no list of entries');
  for (const { status, ...result } of await settleAll()) {
    expect(status).toBe('rejected');
    expect('reason' in result && result.reason).toBeInstanceOf(SinkUnavailableError);
  }
  expect((await sink.read([a]))[0]).toMatchObject({ committed: 0, held });
  await admin.rename(`${ledger}:aside`, ledger);
  for (const result of await settleAll()) {
    expect(result).toMatchObject({ value: { status: 'settled' } });
  }
  expect((await sink.verify()).differences).toEqual([]);
});
