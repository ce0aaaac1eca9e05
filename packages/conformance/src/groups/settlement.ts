import { accountOf } from '../accounts.ts';
import { expectEqual, expectPart } from '../check.ts';
import { refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');
const b = accountOf('b', { limit: 50 });

export const settlement: ContractGroup = {
  title: '4. above the hold a settlement is recorded whole, below it gives the rest back',
  tests: [
    test('below the hold', async (bench) => {
      await bench.reserve('r1', [a, 60], [b, 50]);
      const answer = await bench.settle('r1', { a: 25, b: 0 });
      const common = { unit: 'tokens', window: 'total', slot: null };
      const charged = [
        { account: 'a', budget: 'a', ...common, amount: 25, held: 60 },
        { account: 'b', budget: 'b', ...common, amount: 0, held: 50 },
      ];
      const { at } = answer;
      expectEqual(answer, { status: 'settled', charged, overshoot: [], at, notices: [] });
      await bench.expectFigures(a, 25, 0);
      await bench.expectFigures(b, 0, 0);
    }),

    test('above the hold, and the overshoot is said', async (bench) => {
      await bench.reserve('r1', [a, 60], [b, 20]);
      expectPart(await bench.settle('r1', { a: 130, b: 45 }), {
        status: 'settled',
        overshoot: [{ account: 'a', budget: 'a', unit: 'tokens', amount: 30 }],
      });
      await bench.expectFigures(a, 130, 0);
      await bench.expectFigures(b, 45, 0);
      expectPart(refusalsIn(await bench.reserve('r2', [a, 0])), [
        { kind: 'spent', committed: 130 },
      ]);
    }),

    test('an overshoot counts what others hold, and only what was not held itself', async (bench) => {
      await bench.reserve('r1', [a, 40]);
      await bench.reserve('r2', [a, 60]);
      expectPart(await bench.settle('r1', { a: 45 }), { overshoot: [{ amount: 5 }] });
      // The account is over its limit already, and this call adds nothing to that.
      expectPart(await bench.settle('r2', { a: 60 }), { overshoot: [] });
      await bench.expectFigures(a, 105, 0);
    }),

    test('without a limit nothing overshoots', async (bench) => {
      await bench.reserve('r1', [accountOf('open', { limit: null }), 60]);
      expectPart(await bench.settle('r1', { open: 1e12 }), { overshoot: [] });
    }),

    test('the overshoot is in the ledger', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      await bench.settle('r1', { a: 130 });
      const overshoot = [{ account: 'a', budget: 'a', unit: 'tokens', amount: 30 }];
      expectPart(await bench.entries(), [{ overshoot, charges: [{ amount: 130, held: 60 }] }]);
    }),

    test('`hold`, or saying nothing of an account, charges what it holds by now', async (bench) => {
      await bench.reserve('r1', [a, 10], [b, 10]);
      await bench.extend('r1', [a, 30]);
      expectPart(await bench.settle('r1', { a: 'hold' }, 'unknown'), {
        charged: [
          { amount: 30, held: 30 },
          { amount: 10, held: 10 },
        ],
      });
      await bench.expectFigures(a, 30, 0);
      await bench.expectFigures(b, 10, 0);
    }),

    test('accounts that are not held are not charged', async (bench) => {
      await bench.reserve('r1', [a, 10]);
      expectPart(await bench.settle('r1', { a: 5, b: 20 }), { charged: [{ account: 'a' }] });
      await bench.expectFigures(b, 0, 0);
    }),

    test('0 is an amount', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      expectPart(await bench.settle('r1', { a: 0 }, 'not-sent'), { charged: [{ amount: 0 }] });
      await bench.expectFigures(a, 0, 0);
    }),

    test('a hold of nothing may cost something', async (bench) => {
      await bench.reserve('r1', [a, 0]);
      await bench.settle('r1', { a: 20 });
      await bench.expectFigures(a, 20, 0);
    }),

    test('a release charges nothing and writes no entry', async (bench) => {
      await bench.reserve('r1', [a, 60], [b, 10]);
      await bench.release('r1');
      expectEqual(await bench.entries(), [], 'the ledger');
      await bench.expectFigures(a, 0, 0);
    }),
  ],
};
