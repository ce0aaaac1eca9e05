import { describe, expect, test } from 'vitest';
import { checkConfig } from '../src/config.ts';
import { loopGuards } from '../src/loop-guards.ts';
import { MINUTE, SECOND } from './support/clock.ts';
import { benchOf, callOf } from './support/guard.ts';
import { PRICES } from './support/prices.ts';

const run = { identity: { run: 'r1' } };

/** How many calls get through, one every so often, each settled at $0.0001. */
async function callsThrough(
  bench: ReturnType<typeof benchOf>,
  calls: number,
  everyMs: number,
  identity = run,
): Promise<number> {
  let through = 0;
  for (let call = 0; call < calls; call += 1) {
    const reservation = await bench.guard.reserve(callOf(10, identity));
    if (reservation.admitted) {
      await reservation.call.settle({ outcome: 'known', costNanoUsd: 100_000 });
      through += 1;
    }
    bench.clock.advance(everyMs);
  }
  return through;
}

describe('loop guards', () => {
  test('stop a loop that spins, and let it go on when it has cooled down', async () => {
    const bench = benchOf(loopGuards());
    expect(await callsThrough(bench, 100, 100)).toBe(30);
    bench.clock.advance(MINUTE + SECOND);
    expect(await callsThrough(bench, 1, 0)).toBe(1);
  });

  test('stop a loop that is slow', async () => {
    const bench = benchOf(loopGuards());
    // 20 in a minute, which no single minute minds.
    expect(await callsThrough(bench, 300, 3 * SECOND)).toBe(150);
  });

  test('stop a loop that is dear', async () => {
    const bench = benchOf(loopGuards({ usd: '0.0012' }));
    expect(await callsThrough(bench, 20, SECOND)).toBe(12);
  });

  test('let an agent at work do its work', async () => {
    const bench = benchOf(loopGuards({ usd: '0.50' }));
    expect(await callsThrough(bench, 100, 10 * SECOND)).toBe(100);
  });

  test('are of one run each, or of whom they are said to be', async () => {
    const bench = benchOf(loopGuards({ requests: 2 }));
    expect(await callsThrough(bench, 5, 0)).toBe(2);
    expect(await callsThrough(bench, 5, 0, { identity: { run: 'r2' } })).toBe(2);
    const budgets = loopGuards({ per: ['user'], name: 'user-loop', match: { model: 'small' } });
    expect(budgets).toMatchObject([
      { name: 'user-loop-burst', per: ['user'], match: { model: 'small' } },
      { name: 'user-loop-steady', per: ['user'], match: { model: 'small' } },
    ]);
  });

  test('are all of use: no one of them is out of reach of the others', () => {
    const budgets = loopGuards({ usd: '1.00' });
    const known = { prices: PRICES, models: ['acme/small'], dimensions: ['run'] };
    expect(checkConfig({ budgets }, known)).toEqual([]);
  });

  test.each([
    [{ requests: 0 }],
    [{ requests: 1.5 }],
    [{ usd: '0' }],
    [{ name: '' }],
    [{ per: ['a b'] }],
  ])('%j is refused', (options) => {
    expect(() => loopGuards(options)).toThrow();
  });
});
