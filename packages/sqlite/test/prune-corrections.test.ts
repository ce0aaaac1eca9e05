import { createSpendGuard, type SpendGuard } from '@hardcap/core';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteUsageSink } from '../src/index.ts';
import { MINUTE, NOON, testFile } from './support/sqlite-bench.ts';

const WINDOWS = { all: 'total', monthly: { calendar: 'month' } } as const;

function usageOf(output: number) {
  return { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 };
}

/** A guard with a budget that never ends, and one whose window is open; and its sink. */
function bench() {
  const clock = { now: NOON };
  const now = () => clock.now;
  const sink = new SqliteUsageSink(testFile(), { now });
  const budgets = Object.entries(WINDOWS).map(([name, window]) => {
    return { name, per: [], limit: { tokens: 1_000 }, window };
  });
  const guard = createSpendGuard({ budgets, sink, now });
  onTestFinished(() => guard.close());
  const prune = async () => {
    clock.now += MINUTE;
    await sink.pruneLedger({ olderThan: clock.now });
  };
  return { guard, prune };
}

async function spend(guard: SpendGuard, output: number): Promise<string> {
  const request = { provider: 'acme', model: 'm', inputTokens: 0, maxOutputTokens: 100 };
  return guard.run(request, async (call) => {
    await call.settle({ outcome: 'known', usage: usageOf(output) });
    return call.id;
  });
}

async function committed(guard: SpendGuard): Promise<Record<string, number>> {
  const status = await guard.status();
  return Object.fromEntries(status.map((each) => [each.budget, each.committed]));
}

test('a correction gives nothing back that a reset of before the pruning has', async () => {
  const { guard, prune } = bench();
  const id = await spend(guard, 60);
  await guard.reset({ budget: 'all' });
  await spend(guard, 50);
  await prune();
  await guard.correct(id, { reverse: true });
  expect(await committed(guard)).toEqual({ all: 50, monthly: 50 });
  expect((await guard.verify()).differences).toEqual([]);
});

test('a correction knows of another of before the pruning', async () => {
  const { guard, prune } = bench();
  const id = await spend(guard, 60);
  await guard.reset({ budget: 'monthly' });
  // Gives back what there is, which is nothing any more in the budget that was reset.
  await guard.correct(id, { usage: usageOf(40) });
  await spend(guard, 50);
  await prune();
  await guard.correct(id, { usage: usageOf(30) });
  expect(await committed(guard)).toEqual({ all: 80, monthly: 50 });
  expect((await guard.verify()).differences).toEqual([]);
});
