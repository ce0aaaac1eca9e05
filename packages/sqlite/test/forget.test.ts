import { describe, expect, test } from 'vitest';
import { accountOf, DAY, MINUTE, SqliteBench } from './support/sqlite-bench.ts';
import { alter } from './support/test-store.ts';

const REMEMBERED_MS = 10 * MINUTE;
const other = accountOf('other');
let calls = 0;
const byMinute = { window: { fixed: '1m' } } as const;

/** Enough calls for everything that is due to be dropped, a few at a time. */
async function traffic(bench: SqliteBench): Promise<void> {
  for (const last = calls + 130; calls < last; calls += 1) {
    const id = `traffic-${calls}`;
    await bench.sink.reserve({ id, claims: [{ account: other, amount: 0 }], ttlMs: 30 * DAY });
    await bench.sink.release(id);
  }
}

function rows(bench: SqliteBench, table: string): number {
  let count = 0;
  alter(bench.file, (database) => {
    count = Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']);
  });
  return count;
}

describe('what nobody will ask for again is dropped in passing', () => {
  test('reservations that ended and adjustments, once they need not be recognised', async () => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    await bench.spend(other, 1);
    await bench.adjust(other, { type: 'unblock' });
    const settle = () =>
      bench.sink.settle({ id: 'r1', outcome: 'known', charges: [], details: {} });
    expect(await settle()).toMatchObject({ status: 'already-resolved', first: 'settled' });
    bench.now += REMEMBERED_MS + 1;
    await traffic(bench);
    expect(await settle()).toMatchObject({ status: 'never-held' });
    expect(rows(bench, 'adjustments')).toBe(0);
    expect(await bench.committed(other)).toBe(1);
  });

  test('accounts of windows that are over, once their entries were pruned', async () => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    for (let user = 0; user < 50; user += 1) {
      await bench.spend(accountOf(`user=${user}`, byMinute), 1);
    }
    await bench.spend(other, 1);
    bench.now += DAY;
    await traffic(bench);
    // The ledger names them.
    expect(rows(bench, 'accounts')).toBe(51);
    await bench.sink.pruneLedger({ olderThan: bench.now });
    await traffic(bench);
    expect([rows(bench, 'accounts'), rows(bench, 'windows')]).toEqual([1, 1]);
    expect(await bench.committed(other)).toBe(1);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('the window before, once it is not rolled over any more', async () => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    const saved = accountOf('saved', { limit: 100, rollover: 50, window: { fixed: '1d' } });
    const later = async (days: number) => {
      bench.now += days * DAY;
      await traffic(bench);
      await bench.sink.pruneLedger({ olderThan: bench.now });
      await traffic(bench);
    };
    const reading = async () => (await bench.sink.read([saved]))[0];
    await bench.spend(saved, 60);
    await bench.spend(other, 1);
    await later(1);
    await bench.spend(saved, 10);
    await bench.spend(other, 1);
    await later(0);
    expect(await reading()).toMatchObject({ limit: 140, rollover: 40 });
    expect((await bench.sink.verify()).differences).toEqual([]);
    await later(2);
    expect(await reading()).toMatchObject({ limit: 150, rollover: 50 });
    await later(4);
  });

  test('an account that refused calls stays until the day is over', async () => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    const throttled = accountOf('throttled', { ...byMinute, limit: 10 });
    const claims = [{ account: throttled, amount: 11 }];
    await bench.sink.reserve({ id: 'too large', claims, ttlMs: MINUTE });
    bench.now += 3 * REMEMBERED_MS;
    await traffic(bench);
    expect(await bench.sink.read([throttled])).toMatchObject([{ denials: 1 }]);
    bench.now += DAY;
    await traffic(bench);
    expect(rows(bench, 'accounts')).toBe(1);
  });

  test.each(['block', 'limit'] as const)('an account with a %s stays', async (change) => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    const account = accountOf('a', byMinute);
    if (change === 'block') await bench.adjust(account, { type: 'block' });
    else await bench.adjust(account, { type: 'limit', limit: 0, until: null });
    await bench.spend(other, 1);
    bench.now += DAY;
    await bench.sink.pruneLedger({ olderThan: bench.now });
    await traffic(bench);
    bench.now += DAY;
    await traffic(bench);
    expect(await bench.reserve(account, 1)).toMatchObject({ admitted: false });
  });
});

describe('what an open hold is on stays, also when it holds nothing', () => {
  test.each(['reserve', 'settle'] as const)('attributed to the %s', async (attribute) => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    const account = accountOf('a', { ...byMinute, attribute });
    await bench.reserve(account, 0, 7 * DAY);
    await bench.reserve(account, 0, 7 * DAY);
    bench.now += 3 * DAY;
    await traffic(bench);
    const charges = [{ account: 'a', amount: 3 }];
    const settled = bench.sink.settle({ id: 'r1', outcome: 'known', charges, details: {} });
    expect(await settled).toMatchObject({ status: 'settled' });
    bench.now += 5 * DAY;
    await traffic(bench);
    expect(await bench.entries({ account: 'a' })).toMatchObject([
      { kind: 'settlement', charges: [{ amount: 3 }] },
      { kind: 'expiry', charges: [{ amount: 0 }] },
    ]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('when more of them run out, while nobody was there, than are charged at once', async () => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    const reserve = (user: number, ttlMs: number) =>
      bench.reserve(accountOf(`user=${user}`, byMinute), 0, ttlMs);
    // The first to be forgotten, and the last to be charged.
    await reserve(0, 10 * MINUTE);
    bench.now += MINUTE;
    const most = 5_000;
    await Promise.all(Array.from({ length: most }, (_, user) => reserve(user + 1, MINUTE)));
    bench.now += 30 * DAY;
    await traffic(bench);
    const report = await bench.sink.verify();
    expect(report).toMatchObject({ entries: most + 1, reservations: 0, differences: [] });
  });

  test('a settlement that comes when it is not awaited any more changes nothing', async () => {
    const bench = new SqliteBench({ rememberedMs: REMEMBERED_MS });
    await bench.reserve(other, 5);
    bench.now += MINUTE;
    expect((await bench.sink.release('nothing')).notices).toMatchObject([
      { type: 'reservation-expired' },
    ]);
    bench.now += REMEMBERED_MS;
    const settled = bench.sink.settle({ id: 'r1', outcome: 'known', charges: [], details: {} });
    expect(await settled).toMatchObject({ status: 'already-resolved', first: 'expired' });
  });
});
