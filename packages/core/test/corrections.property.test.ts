import { expect, test } from 'vitest';
import type { Budget } from '../src/index.ts';
import { HOUR } from './support/clock.ts';
import { admit, benchOf, callOf, usageOf, usdBudget } from './support/guard.ts';

const ann = { user: 'ann' };

const WIDE: Budget[] = [
  { name: 'daily', per: ['user'], limit: { usd: '1' }, window: { calendar: 'day' } },
  usdBudget('1', { name: 'all', window: { rolling: '24h' } }),
  usdBudget('1', { name: 'output', limit: { tokens: 'unlimited', count: 'output' } }),
  usdBudget('1', { name: 'calls', limit: { requests: 'unlimited' } }),
];

test('any history of corrections leaves counters that equal the ledger, and none below 0', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 2 ** 31) * below);
  };
  const bench = benchOf(WIDE);
  const spend = async (output: number): Promise<string> => {
    const call = await admit(bench.guard, callOf(60, { identity: ann }));
    await call.settle({ outcome: 'known', usage: usageOf({ output }) });
    return call.id;
  };
  const ids: string[] = [];
  const where = `seed ${seed}`;
  for (let step = 0; step < 150; step += 1) {
    const id = ids[random(ids.length)];
    const kind = random(10);
    if (kind < 4 || id === undefined) ids.push(await spend(random(20)));
    else if (kind < 7) await bench.guard.correct(id, { costNanoUsd: random(400_000) });
    else if (kind < 8) await bench.guard.correct(id, { reverse: true });
    else if (kind < 9) await bench.guard.reset({ budget: 'all' });
    else bench.clock.advance(random(8) * HOUR);
    const status = await bench.guard.status(ann);
    for (const each of status) expect(each.committed, where).toBeGreaterThanOrEqual(0);
    expect((await bench.guard.verify()).differences, where).toEqual([]);
  }
});
