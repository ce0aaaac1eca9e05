import { describe, expect, test } from 'vitest';
import { SinkUnavailableError } from '../src/index.ts';
import { DAY, HOUR } from './support/clock.ts';
import { collect } from './support/guard.ts';
import { accountOf, SinkBench, TTL } from './support/sink.ts';

const a = accountOf('a', { limit: null });

describe('reservations that have ended', () => {
  test('are remembered for a while, then forgotten', () => {
    const bench = new SinkBench({ rememberedReservations: 10 });
    const settleAgain = (id: string) => bench.settle(id).status;
    bench.reserve('first', [a, 1]);
    bench.settle('first');
    const seen = new Set<string>();
    for (let index = 0; index < 40; index += 1) {
      bench.reserve(`r${index}`, [a, 1]);
      bench.settle(`r${index}`);
      if (index < 9) expect(settleAgain('first')).toBe('already-resolved');
      seen.add(settleAgain('first'));
    }
    expect([...seen]).toEqual(['already-resolved', 'never-held']);
    expect(bench.figures(a)).toEqual([41, 0]);
  });

  test('leave the open ones alone, however many come and go', async () => {
    const bench = new SinkBench({ rememberedReservations: 4 });
    bench.reserve('open', [a, 7]);
    bench.reserve('expired', [a, 5]);
    bench.clock.advance(TTL / 2);
    bench.extend('open', [a, 7]);
    bench.clock.advance(TTL / 2);
    for (let index = 0; index < 100; index += 1) {
      bench.reserve(`r${index}`, [a, 1]);
      bench.settle(`r${index}`);
    }
    expect(bench.settle('open', { a: 3 }).status).toBe('settled');
    expect(bench.settle('expired', { a: 2 }).status).toBe('late');
    expect(bench.figures(a)).toEqual([105, 0]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('adjustments likewise', async () => {
    const bench = new SinkBench({ rememberedReservations: 3 });
    const limited = accountOf('limited');
    const topUp = { type: 'top-up', amount: 1 } as const;
    for (const id of ['t1', 't1', 't2', 't3', 't1']) await bench.adjust(limited, topUp, id);
    expect(bench.read(limited).limit).toBe(103);
  });
});

describe('a full ledger', () => {
  test('keeps the latest entries, and the sums of the others', async () => {
    const bench = new SinkBench({ ledgerCapacity: 10 });
    const rolling = accountOf('rolling', {
      limit: null,
      window: { rolling: '1h', resolution: '1m' },
    });
    const daily = accountOf('daily', {
      limit: null,
      window: { calendar: 'day' },
      attribute: 'settle',
    });
    for (let index = 0; index < 100; index += 1) {
      bench.reserve(`r${index}`, [a, 2], [rolling, 1], [daily, 3]);
      bench.settle(`r${index}`);
      bench.clock.advance(HOUR / 40);
      expect((await bench.sink.verify()).differences).toEqual([]);
    }
    const entries = await collect(bench.sink.entries());
    expect(entries.length).toBeGreaterThanOrEqual(10);
    expect(entries.length).toBeLessThan(20);
    expect(entries.at(-1)?.id).toBe('r99');
    expect((await bench.sink.verify()).entries).toBe(100);
    expect(bench.figures(a)).toEqual([200, 0]);
    expect((await bench.sink.rebuild()).differences).toEqual([]);
    expect(bench.figures(a)).toEqual([200, 0]);
  });

  test('may keep none', async () => {
    const bench = new SinkBench({ ledgerCapacity: 0 });
    for (let index = 0; index < 5; index += 1) {
      bench.reserve(`r${index}`, [a, 2]);
      bench.settle(`r${index}`);
    }
    expect(await collect(bench.sink.entries())).toEqual([]);
    expect(await bench.sink.verify()).toMatchObject({ entries: 5, differences: [] });
  });
});

describe('accounts', () => {
  const userOf = (budget: ReturnType<typeof accountOf>, user: number) => ({
    ...budget,
    key: `${budget.key}|user=${user}`,
  });

  test('of past windows are dropped as new ones come', async () => {
    const bench = new SinkBench();
    const daily = accountOf('daily', { window: { calendar: 'day' } });
    for (let user = 0; user < 1_000; user += 1) {
      bench.reserve(`r${user}`, [userOf(daily, user), 1]);
      bench.settle(`r${user}`);
      bench.clock.advance(DAY / 50);
    }
    // Those of today and of the round in which the old ones are looked for.
    expect((await bench.sink.verify()).accounts).toBeLessThan(200);
  });

  test('with something left to remember are kept', async () => {
    const bench = new SinkBench();
    const daily = accountOf('daily', { window: { calendar: 'day' } });
    const rolling = accountOf('rolling', { window: { rolling: '24h' } });
    const total = accountOf('total');
    bench.reserve('r1', [total, 10], [rolling, 10]);
    bench.settle('r1');
    await bench.adjust(userOf(daily, -1), { type: 'block' });
    await bench.adjust(userOf(daily, -2), {
      type: 'limit',
      limit: 5,
      until: bench.clock.now() + 10 * DAY,
    });
    await bench.adjust(userOf(rolling, -3), { type: 'top-up', amount: 5 });
    bench.clock.advance(DAY - HOUR);
    for (let user = 0; user < 100; user += 1) bench.reserve(`x${user}`, [userOf(daily, user), 1]);
    expect(bench.figures(rolling)).toEqual([10, 0]);
    bench.clock.advance(2 * DAY);
    for (let user = 100; user < 300; user += 1) bench.reserve(`x${user}`, [userOf(daily, user), 1]);
    expect(bench.figures(total)).toEqual([10, 0]);
    expect(bench.read(userOf(daily, -1)).blocked).toBe(true);
    expect(bench.read(userOf(daily, -2)).limit).toBe(5);
    expect(bench.read(userOf(rolling, -3)).limit).toBe(105);
  });

  test('that refused calls today are kept while there is room', async () => {
    const byMinute = accountOf('minute', { window: { fixed: '1m' }, limit: 10 });
    const refused = (bench: SinkBench) => {
      const users = Array.from({ length: 40 }, (_, user) => userOf(byMinute, user));
      return users.filter((account) => bench.read(account).denials > 0).length;
    };
    for (const [maxAccounts, kept] of [
      [100, 40],
      [50, 25],
    ] as const) {
      const bench = new SinkBench({ maxAccounts });
      for (let user = 0; user < 40; user += 1) {
        bench.reserve(`x${user}`, [userOf(byMinute, user), 11]);
        bench.clock.advance(60_000);
      }
      expect(refused(bench)).toBeGreaterThanOrEqual(kept);
      bench.clock.advance(DAY);
      for (let user = 40; user < 80; user += 1) bench.reserve(`x${user}`, [userOf(a, user), 1]);
      expect((await bench.sink.verify()).accounts).toBeLessThanOrEqual(50);
    }
  });

  test('are never dropped by the call that has just opened them', () => {
    const bench = new SinkBench();
    const rolling = accountOf('rolling', { window: { rolling: '1h' } });
    const parallel = accountOf('parallel', { unit: 'concurrent', limit: 1, onExpiry: 'release' });
    const others = [1, 2, 3].map((user) => [userOf(a, user), 1] as const);
    expect(bench.reserve('r1', [rolling, 60], [parallel, 1], ...others).admitted).toBe(true);
    expect([bench.figures(rolling), bench.figures(parallel)]).toEqual([
      [0, 60],
      [0, 1],
    ]);
    bench.settle('r1', { parallel: 0 });
    expect(bench.figures(rolling)).toEqual([60, 0]);
  });

  test.each([
    ['rolling', accountOf('x', { window: { rolling: '1h' } })],
    ['carried', accountOf('x', { window: { fixed: '1m' }, attribute: 'settle' })],
  ])('with an open hold of nothing are kept: %s', (_, account) => {
    const bench = new SinkBench();
    bench.reserve('open', [account, 0]);
    bench.clock.advance(TTL - 1);
    for (let user = 0; user < 5; user += 1) bench.reserve(`r${user}`, [userOf(a, user), 1]);
    bench.settle('open', { x: 60 });
    expect(bench.figures(account)).toEqual([60, 0]);
  });

  test('that only counted calls at the same time are dropped with the last of them', () => {
    const bench = new SinkBench({ maxAccounts: 10 });
    const parallel = accountOf('parallel', { unit: 'concurrent', limit: 2, onExpiry: 'release' });
    for (let user = 0; user < 1_000; user += 1) {
      const account = userOf(parallel, user);
      expect(bench.reserve(`r${user}`, [account, 1]).admitted).toBe(true);
      bench.settle(`r${user}`, { [account.key]: 0 });
    }
  });

  test('are not more than allowed: the call that needs one more is refused', () => {
    const bench = new SinkBench({ maxAccounts: 3 });
    const total = accountOf('total');
    for (let user = 0; user < 3; user += 1) {
      bench.reserve(`r${user}`, [userOf(total, user), 1]);
      bench.settle(`r${user}`);
    }
    expect(() => bench.reserve('r3', [userOf(total, 3), 1])).toThrow(SinkUnavailableError);
    expect(() => bench.reserve('r3', [userOf(total, 3), 1])).toThrow(
      /holds 3 accounts and takes no more \(asked for total\|user=3\). Raise `maxAccounts`/,
    );
    expect(bench.reserve('r4', [userOf(total, 0), 1]).admitted).toBe(true);
  });

  test('are not made by reading', async () => {
    const bench = new SinkBench({ maxAccounts: 1 });
    for (let user = 0; user < 10; user += 1) bench.read(userOf(a, user));
    expect((await bench.sink.verify()).accounts).toBe(0);
  });
});
