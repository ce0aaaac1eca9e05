import type { Account } from '@hardcap/core';
import { SinkUnavailableError } from '@hardcap/core';
import { accountOf } from '../accounts.ts';
import { ensure, expectEqual } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');

/** How a call ends: `refused` is an error of the sink, `told` an answer with the notice. */
async function fate(bench: ContractBench, id: string): Promise<'refused' | 'told' | 'silent'> {
  try {
    const { notices } = await bench.reserve(id, [a, 1]);
    return notices.some(({ type }) => type === 'store-reset') ? 'told' : 'silent';
  } catch (error) {
    if (SinkUnavailableError.isInstance(error)) return 'refused';
    throw error;
  }
}

async function readOrRefuse(bench: ContractBench, account: Account): Promise<number | 'refused'> {
  try {
    return (await bench.read(account)).committed;
  } catch (error) {
    if (SinkUnavailableError.isInstance(error)) return 'refused';
    throw error;
  }
}

export const lostStore: ContractGroup = {
  title: '9. a store that lost its data is noticed, and never silently 0',
  tests: [
    test(
      'case C-46: the next call is refused, or told',
      async (bench) => {
        await bench.spend(a, 100);
        await bench.loseData();
        const fates = [await fate(bench, 'r1'), await fate(bench, 'r2')];
        ensure(
          fates[0] !== 'silent',
          'the first call should be refused, or told of the store-reset',
        );
        const told = bench.notices.filter(({ type }) => type === 'store-reset').length;
        ensure(told <= 1, `a store-reset is told once, and not ${told} times`);
      },
      'loses',
    ),

    test(
      'a reading of it is refused, until somebody was told',
      async (bench) => {
        await bench.spend(a, 100);
        await bench.loseData();
        const reading = await readOrRefuse(bench, a);
        if (reading === 'refused' || reading === 100) return;
        expectEqual(await fate(bench, 'r1'), 'told', 'a call after a reading of what was lost');
      },
      'loses',
    ),

    test(
      'once it is rebuilt, calls go on',
      async (bench) => {
        await bench.spend(a, 100);
        await bench.loseData();
        await fate(bench, 'r1');
        await bench.sink.rebuild();
        await bench.reserve('r2', [accountOf('b'), 1]);
        await bench.settle('r2');
        await bench.expectFigures(accountOf('b'), 1, 0);
      },
      'loses',
    ),

    test(
      'what was held in it is not held any more, and says so',
      async (bench) => {
        await bench.reserve('open', [a, 60]);
        await bench.loseData();
        await fate(bench, 'r1');
        await bench.sink.rebuild();
        const { status } = await bench.settle('open', { a: 20 });
        ensure(status === 'never-held' || status === 'settled', `${status} is not what it is`);
        const committed = status === 'settled' ? 20 : 0;
        expectEqual((await bench.read(a)).committed, committed, 'settled spend');
      },
      'loses',
    ),
  ],
};
