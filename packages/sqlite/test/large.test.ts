import { InvalidArgumentError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { accountOf, DAY, SqliteBench } from './support/sqlite-bench.ts';

/** Two of them are beyond what a double counts in ones, and what the driver reads as an integer. */
const HUGE = 8e15;

// As when a cost is reported in the wrong unit.
describe('an account that was charged more than integers are exact for', () => {
  test.each([
    ['total', 'total'],
    ['rolling', { rolling: '24h' }],
  ] as const)('is read, proved, pruned, rebuilt and put right: %s', async (_, window) => {
    const bench = new SqliteBench();
    const account = accountOf('a', { limit: null, window });
    await bench.spend(account, HUGE);
    await bench.spend(account, HUGE);
    const read = async () => (await bench.sink.read([account]))[0];
    expect(await read()).toMatchObject({ committed: 2 * HUGE, held: 0 });
    expect((await bench.sink.verify()).differences).toEqual([]);
    expect((await bench.sink.rebuild()).differences).toEqual([]);
    expect(await read()).toMatchObject({ committed: 2 * HUGE });
    await bench.adjust(account, { type: 'reset' });
    await bench.spend(account, 5);
    expect(await read()).toMatchObject({ committed: 5 });
    const amounts = (await bench.entries()).flatMap(({ charges }) => charges);
    expect(amounts.map(({ amount }) => amount)).toContain(-2 * HUGE);
    bench.now += 2 * DAY;
    await bench.spend(account, 0);
    expect(await bench.sink.pruneLedger({ olderThan: bench.now })).toMatchObject({ kept: 0 });
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('is read while it holds as much', async () => {
    const bench = new SqliteBench();
    const kinds = {
      reserve: { limit: null },
      settle: { limit: null, attribute: 'settle' },
    } as const;
    for (const [key, terms] of Object.entries(kinds)) {
      const account = accountOf(key, terms);
      await bench.reserve(account, HUGE);
      await bench.reserve(account, HUGE);
      expect(await bench.sink.read([account])).toMatchObject([{ held: 2 * HUGE }]);
      expect((await bench.sink.verify()).differences).toEqual([]);
    }
  });
});

test('top-ups of a window come to no more than an amount may be', async () => {
  const bench = new SqliteBench();
  const account = accountOf('a');
  await bench.adjust(account, { type: 'top-up', amount: HUGE });
  const another = bench.adjust(account, { type: 'top-up', amount: HUGE });
  await expect(another).rejects.toThrow(InvalidArgumentError);
  expect(await bench.sink.read([account])).toMatchObject([{ limit: 1_000_000 + HUGE }]);
});
