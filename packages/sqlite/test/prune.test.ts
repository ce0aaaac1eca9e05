import { InvalidArgumentError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { accountOf, DAY, MINUTE, NOON, SqliteBench } from './support/sqlite-bench.ts';

const total = accountOf('total');
const day = accountOf('day', { window: { calendar: 'day' } });
const month = accountOf('month', { window: { calendar: 'month' } });
const rolling = accountOf('rolling', { window: { rolling: '24h' } });

/** Spends on all four accounts. */
async function spend(bench: SqliteBench, amount: number): Promise<void> {
  for (const account of [total, day, month, rolling]) await bench.spend(account, amount);
}

async function accountsLeft(bench: SqliteBench): Promise<(string | undefined)[]> {
  return (await bench.entries()).map(({ charges }) => charges[0]?.account);
}

describe('pruneLedger', () => {
  test('drops entries of windows that are over, and of totals; the counters stay proved', async () => {
    const bench = new SqliteBench();
    await spend(bench, 10);
    await spend(bench, 20);
    bench.now += 2 * DAY;
    await spend(bench, 5);
    const readings = () => bench.sink.read([total, day, month, rolling]);
    const before = await readings();
    expect(before.map(({ committed }) => committed)).toEqual([35, 5, 5, 5]);

    // The month began the day after: the two of November are over.
    expect(await bench.sink.pruneLedger({ olderThan: bench.now })).toEqual({ dropped: 8, kept: 0 });
    expect(await accountsLeft(bench)).toEqual(['total', 'day', 'month', 'rolling']);
    expect(await readings()).toEqual(before);
    expect(await bench.sink.verify()).toMatchObject({ entries: 12, differences: [] });
    expect(await bench.sink.rebuild()).toMatchObject({ differences: [] });
    expect(await readings()).toEqual(before);
  });

  test('case C-32: keeps what an open window needs, however old', async () => {
    const bench = new SqliteBench();
    bench.now = NOON + 2 * DAY;
    await spend(bench, 10);
    await bench.spend(total, 1);
    bench.now += DAY / 4;
    // All windows of noon are open at six.
    expect(await bench.sink.pruneLedger({ olderThan: bench.now })).toEqual({ dropped: 1, kept: 3 });
    bench.now += DAY;
    expect(await bench.sink.pruneLedger({ olderThan: bench.now })).toEqual({ dropped: 2, kept: 1 });
    expect(await accountsLeft(bench)).toEqual(['month', 'total']);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('keeps what is not older, and the last entry, whose place is the count', async () => {
    const bench = new SqliteBench();
    await bench.spend(total, 1);
    bench.now += MINUTE;
    await bench.spend(total, 2);
    await bench.spend(total, 3);
    expect(await bench.sink.pruneLedger({ olderThan: NOON })).toEqual({ dropped: 0, kept: 0 });
    expect(await bench.sink.pruneLedger({ olderThan: bench.now })).toEqual({ dropped: 1, kept: 0 });
    expect(await bench.sink.pruneLedger({ olderThan: NOON + DAY })).toEqual({
      dropped: 1,
      kept: 0,
    });
    expect(await bench.sink.verify()).toMatchObject({ entries: 3, differences: [] });
    await bench.spend(total, 4);
    expect(await bench.sink.verify()).toMatchObject({ entries: 4, differences: [] });
    expect((await bench.entries()).map(({ charges }) => charges[0]?.amount)).toEqual([3, 4]);
  });

  test('an adjustment stays for as long as the window in which it was made', async () => {
    const bench = new SqliteBench();
    await bench.adjust(day, { type: 'top-up', amount: 5 });
    await bench.spend(day, 7);
    await bench.adjust(day, { type: 'reset' });
    await bench.spend(total, 1);
    bench.now += MINUTE;
    const { now } = bench;
    expect(await bench.sink.pruneLedger({ olderThan: now })).toEqual({ dropped: 0, kept: 3 });
    bench.now += DAY;
    expect(await bench.sink.pruneLedger({ olderThan: now })).toEqual({ dropped: 3, kept: 0 });
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('a late settlement finds what it needs, though the expiry was dropped', async () => {
    const bench = new SqliteBench();
    await bench.reserve(total, 60, MINUTE);
    bench.now += MINUTE;
    await bench.spend(total, 1);
    bench.now += MINUTE;
    expect(await bench.sink.pruneLedger({ olderThan: bench.now })).toMatchObject({ dropped: 1 });
    const charges = [{ account: 'total', amount: 20 }];
    const settled = bench.sink.settle({ id: 'r1', outcome: 'known', charges, details: {} });
    expect(await settled).toMatchObject({ status: 'late' });
    expect(await bench.committed(total)).toBe(21);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('many are dropped while calls go on, and while somebody verifies', async () => {
    const bench = new SqliteBench();
    for (let batch = 0; batch < 10; batch += 1) {
      await Promise.all(Array.from({ length: 100 }, () => bench.spend(total, 1)));
    }
    bench.now += MINUTE;
    let isPruned = false;
    let [calls, turns] = [0, 0];
    const traffic = async () => {
      for (; !isPruned; calls += 1) await bench.spend(total, 1);
    };
    const turn = () => {
      turns += 1;
      if (!isPruned) setImmediate(turn);
    };
    turn();
    const pruned = bench.sink.pruneLedger({ olderThan: bench.now }).finally(() => {
      isPruned = true;
    });
    const [report, verified] = await Promise.all([pruned, bench.sink.verify(), traffic()]);
    expect(report).toEqual({ dropped: 1_000, kept: 0 });
    expect(verified.differences).toEqual([]);
    // A transaction drops 300 at most; in between others have their turn.
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(calls).toBeGreaterThanOrEqual(4);
    expect(await bench.committed(total)).toBe(1_000 + calls);
    expect(await bench.sink.verify()).toMatchObject({ entries: 1_000 + calls, differences: [] });
  });

  test('a time that is none is refused', async () => {
    const bench = new SqliteBench();
    const olderThan = Number.NaN;
    await expect(bench.sink.pruneLedger({ olderThan })).rejects.toThrow(InvalidArgumentError);
  });
});
