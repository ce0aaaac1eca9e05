import { MemoryUsageSink, type UsageSink } from '@hardcap/core';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();

afterAll(() => redis.stop());

/** Where numbers in Lua turn into text with an exponent, or lose their last digits. */
const EDGES = [1e14, 123_456_789_012_345, 1e15, 2 ** 52, 4_503_599_627_370_497, 9e15 - 1_000];

test('amounts of sixteen digits are held, settled, told and kept to the last one', async () => {
  const seed = Date.now() % 1_000_000;
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(`seed ${seed}`);
  });
  const client = redis.client();
  const accounts = [
    accountOf('total', { limit: null }),
    accountOf('rolling', { limit: null, window: { rolling: '365d' } }),
  ];
  for (const [place, edge] of EDGES.entries()) {
    for (const by of [-1, 0, 1, (seed % 997) + 2]) {
      const amount = edge + by;
      const id = `r${place}-${by}`;
      const sink = redis.sink({ namespace: id, timeoutMs: 5_000 });
      const claims = accounts.map((account) => claimOn(account, amount));
      await sink.reserve({ id, claims, ttlMs: 60_000 });
      expect((await sink.read(accounts)).map(({ held }) => held)).toEqual([amount, amount]);
      const answer = await sink.settle({ id, outcome: 'known', charges: [], details: {} });
      const charged = answer.status === 'settled' ? answer.charged : [];
      expect(charged.map((charge) => charge.amount)).toEqual([amount, amount]);
      const change = { type: 'top-up', amount: 1 } as const;
      const [account] = accounts as [(typeof accounts)[0]];
      await sink.adjust({ id: `j${id}`, account, change, details: {} });
      const readings = await sink.read(accounts);
      expect(readings.map(({ committed }) => committed)).toEqual([amount, amount]);
      const report = await sink.verify();
      expect(report).toMatchObject({ entries: 2, differences: [] });
      const raw = await client.xrange(storeKeys(id).ledger, '-', '+');
      expect(JSON.stringify(raw)).toContain(`,${amount},`);
      expect(JSON.stringify(raw)).not.toMatch(/\de\+\d/);
    }
  }
});

/** Answers to all that can be done with an amount. */
async function answersOf(
  sink: UsageSink,
  amount: number,
  clock: { now: number },
): Promise<unknown> {
  const half = Math.floor(amount / 2);
  const tight = accountOf('tight', { limit: amount });
  const rolling = accountOf('rolling', { limit: amount, window: { rolling: '24h' } });
  const saving = accountOf('saving', { limit: half, rollover: half, window: { fixed: '1h' } });
  const both = [tight, rolling];
  const claims = (asked: number) => both.map((account) => claimOn(account, asked));
  const ttlMs = 60_000;
  const settlement = (id: string, charged: number) => {
    const charges = both.map(({ key }) => ({ account: key, amount: charged }));
    return { id, outcome: 'known', charges, details: {} } as const;
  };
  const answers: unknown[] = [
    await sink.reserve({ id: 'r1', claims: claims(half), ttlMs }),
    await sink.extend({ id: 'r1', claims: claims(half + 1), ttlMs }),
    await sink.reserve({ id: 'r2', claims: claims(half + 1), ttlMs }),
    await sink.reserve({ id: 'saved', claims: [claimOn(saving, 3)], ttlMs }),
  ];
  clock.now += ttlMs;
  answers.push(
    await sink.release('sweeps'),
    await sink.reserve({ id: 'r3', claims: claims(half), ttlMs }),
    await sink.settle(settlement('r1', amount - 7)),
    await sink.settle(settlement('r3', half - 1)),
    await sink.adjust({
      id: 'limit',
      account: tight,
      change: { type: 'limit', limit: amount - 1, until: null },
      details: {},
    }),
    await sink.reserve({ id: 'r4', claims: claims(1), ttlMs }),
  );
  clock.now += 3_600_000;
  answers.push(await sink.read([tight, rolling, saving]), await sink.verify());
  for await (const entry of sink.entries()) answers.push(entry);
  return answers;
}

test.each([...EDGES.map((edge) => edge + 1), ...EDGES.map((edge) => edge - 1)])(
  'what expires, is corrected, refused, rolled over and listed is told as the memory sink does: %i',
  async (amount) => {
    const clock = { now: 1_800_000_000_000 };
    const now = () => clock.now;
    const namespace = crypto.randomUUID();
    const expected = await answersOf(new MemoryUsageSink({ now }), amount, clock);
    clock.now = 1_800_000_000_000;
    expect(await answersOf(redis.sink({ now, namespace }), amount, clock)).toEqual(expected);
  },
);

test('a server whose clock is behind, as after a failover, goes on in the windows of before', async () => {
  const time = 1_800_000_030_000;
  const minute = accountOf('minute', { window: { fixed: '1m' } });
  const at = (offset: number) => redis.sink({ namespace: 'clock', now: () => time + offset });
  const ask = (id: string) => ({ id, claims: [claimOn(minute, 60)], ttlMs: 60_000 });
  await at(0).reserve(ask('r1'));
  const late = at(-3_600_000);
  expect(await late.reserve(ask('r2'))).toMatchObject({ admitted: false });
  const settled = await late.settle({ id: 'r1', outcome: 'known', charges: [], details: {} });
  expect(settled).toMatchObject({ status: 'settled', at: time });
  expect((await at(0).read([minute]))[0]).toMatchObject({ committed: 60, held: 0 });
});
