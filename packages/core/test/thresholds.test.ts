import { describe, expect, test } from 'vitest';
import type { Budget, GuardEvent } from '../src/index.ts';
import { DAY } from './support/clock.ts';
import {
  admit,
  benchOf,
  callOf,
  eventsOf,
  type GuardBench,
  usageOf,
  usdBudget,
} from './support/guard.ts';

/** $0.001, which 100 output tokens cost. */
const DAILY: Budget = {
  name: 'daily',
  per: ['user'],
  limit: { usd: '0.001' },
  window: { calendar: 'day' },
  warnAt: [0.8, 0.5, 0.9],
};
const ann = { user: 'ann' };

async function spend({ guard }: GuardBench, output: number, identity = ann): Promise<void> {
  const call = await admit(guard, callOf(0, { estimate: 'none', identity }));
  await call.settle({ outcome: 'known', usage: usageOf({ output }) });
}

function crossed(events: readonly GuardEvent[]): string[] {
  return eventsOf(events, 'threshold-crossed').map(
    ({ account, threshold }) => `${account} ${threshold}`,
  );
}

describe('case C-97: a hundred calls that cross 80 % at once', () => {
  test('raise one event for each threshold, in order', async () => {
    const bench = benchOf([{ ...DAILY, limit: { usd: '0.1' } }]);
    await spend(bench, 4_900);
    const calls = await Promise.all(
      Array.from({ length: 100 }, () => admit(bench.guard, callOf(50, { identity: ann }))),
    );
    const usage = usageOf({ output: 40 });
    await Promise.all(calls.map((call) => call.settle({ outcome: 'known', usage })));
    expect(crossed(bench.events)).toEqual(['daily|user=ann 0.5', 'daily|user=ann 0.8']);
  });

  test('also where two guards share the sink', async () => {
    const one = benchOf([DAILY]);
    const other = benchOf([DAILY], { sink: one.sink, clock: one.clock });
    const guards = [one, other];
    const calls = await Promise.all(
      Array.from({ length: 100 }, (_, place) =>
        admit((guards[place % 2] as GuardBench).guard, callOf(1, { identity: ann })),
      ),
    );
    const usage = usageOf({ output: 1 });
    await Promise.all(calls.map((call) => call.settle({ outcome: 'known', usage })));
    const all = [...crossed(one.events), ...crossed(other.events)];
    expect(all.sort()).toEqual([0.5, 0.8, 0.9, 1].map((share) => `daily|user=ann ${share}`));
  });
});

describe('case C-99: several thresholds of a budget', () => {
  test('are all raised, in order, by one jump from 10 % to 120 %', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 10);
    expect(crossed(bench.events)).toEqual([]);
    await spend(bench, 110);
    expect(crossed(bench.events)).toEqual(
      [0.5, 0.8, 0.9, 1].map((share) => `daily|user=ann ${share}`),
    );
  });

  test('are each raised once for each window and account', async () => {
    const bench = benchOf([DAILY]);
    for (const user of ['ann', 'bob']) await spend(bench, 85, { user });
    await spend(bench, 3);
    bench.clock.advance(DAY);
    await spend(bench, 85);
    const names = ['ann', 'bob', 'ann'].flatMap((user) => [
      `daily|user=${user} 0.5`,
      `daily|user=${user} 0.8`,
    ]);
    expect(crossed(bench.events)).toEqual(names);
  });

  test('are not raised again after a reset, a top-up or a correction of the same window', async () => {
    const bench = benchOf([DAILY]);
    const selector = { budget: 'daily', identity: ann };
    await spend(bench, 60);
    const { id } = eventsOf(bench.events, 'settled')[0] as { id: string };
    await bench.guard.correct(id, { costNanoUsd: 100_000 });
    await bench.guard.correct(id, { costNanoUsd: 600_000 });
    await bench.guard.reset(selector);
    await spend(bench, 55);
    await bench.guard.topUp(selector, { usd: '0.001' });
    await spend(bench, 65);
    expect(crossed(bench.events)).toEqual(['daily|user=ann 0.5']);
  });

  test('say what was spent of what, and when it starts anew', async () => {
    const bench = benchOf([usdBudget('0.001', { warnAt: [0.8] })]);
    await spend(bench, 80);
    expect(eventsOf(bench.events, 'threshold-crossed')).toEqual([
      {
        type: 'threshold-crossed',
        budget: 'cap',
        account: 'cap',
        unit: 'usd',
        threshold: 0.8,
        committed: 800_000,
        limit: 1_000_000,
        window: { id: 'total', startsAt: null, endsAt: null },
        at: bench.clock.now(),
      },
    ]);
  });
});
