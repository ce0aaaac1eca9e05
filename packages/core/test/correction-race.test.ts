import { expect, test } from 'vitest';
import { type Budget, MemoryUsageSink } from '../src/index.ts';
import { testClock } from './support/clock.ts';
import { admit, benchOf, callOf, type GuardBench, usageOf, usdBudget } from './support/guard.ts';

const BUDGETS: Budget[] = [
  usdBudget('0.01', { name: 'daily' }),
  usdBudget('0.02', { name: 'all' }),
];

/** Settles a call that has nothing to do with the others, with so much output; $0.00001 each. */
async function spend({ guard }: GuardBench, output: number): Promise<void> {
  const call = await admit(guard, callOf(60));
  await call.settle({ outcome: 'known', usage: usageOf({ output }) });
}

async function committed({ guard }: GuardBench): Promise<number[]> {
  return (await guard.status()).map((status) => status.committed);
}

test.each([
  ['settles late', [1_101_000, 1_101_000]],
  ['is reset', [600_000, 1_101_000]],
])(
  'a correction of a call that %s in the same moment is put right by another',
  async (way, right) => {
    const clock = testClock();
    const sink = new MemoryUsageSink({ now: clock.now });
    const bench = benchOf(BUDGETS, { clock, sink });
    const call = await admit(bench.guard, callOf(60));
    clock.advance(120_000);
    await spend(bench, 50);
    const adjust = sink.adjust.bind(sink);
    // What comes between the reading of the ledger and the correction.
    sink.adjust = async (request) => {
      sink.adjust = adjust;
      if (way === 'is reset') await bench.guard.reset({ budget: 'daily' });
      else await call.settle({ outcome: 'known', usage: usageOf({ output: 9 }) });
      await spend(bench, 60);
      return adjust(request);
    };
    const correct = () => bench.guard.correct(`${call.id}:expiry`, { costNanoUsd: 1_000 });
    await correct();
    expect(await committed(bench)).not.toEqual(right);
    await correct();
    expect(await committed(bench)).toEqual(right);
    await correct();
    expect(await committed(bench)).toEqual(right);
    expect((await bench.guard.verify()).differences).toEqual([]);
  },
);
