import { accountOf } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');
const b = accountOf('b', { limit: 50 });
const c = accountOf('c', { limit: 70 });

export const atomicity: ContractGroup = {
  title: 'all or nothing, over all accounts of a call',
  tests: [
    test('one account that refuses is enough, and nothing is held anywhere', async (bench) => {
      const answer = await bench.reserve('r1', [a, 60], [b, 51], [c, 10]);
      expectEqual(
        refusalsIn(answer).map(({ account }) => account),
        ['b'],
        'who refuses',
      );
      for (const account of [a, b, c]) await bench.expectFigures(account, 0, 0);
    }),

    test('case C-20, C-47: a denial names all that refuse, with S, R and the limit apart', async (bench) => {
      await bench.reserve('r1', [a, 30], [b, 20]);
      await bench.settle('r1');
      await bench.reserve('r2', [a, 40], [b, 20]);
      const figures = { unit: 'tokens', requested: 31, resetsAt: null, retryAfterMs: null };
      const ofA = { budget: 'a', account: 'a', limit: 100, committed: 30, held: 40, kind: 'held' };
      const ofB = {
        budget: 'b',
        account: 'b',
        limit: 50,
        committed: 20,
        held: 20,
        kind: 'too-large',
      };
      const refusals = refusalsIn(await bench.reserve('r3', [a, 31], [c, 1], [b, 31]));
      expectEqual(
        refusals,
        [
          { ...figures, ...ofA },
          { ...figures, ...ofB },
        ],
        'refusals',
      );
    }),

    test('an extension grows on all accounts or on none', async (bench) => {
      await bench.reserve('r1', [a, 10], [b, 10]);
      const refusals = refusalsIn(await bench.extend('r1', [a, 30], [b, 51]));
      expectEqual(
        refusals.map(({ account }) => account),
        ['b'],
        'who refuses',
      );
      await bench.expectFigures(a, 0, 10);
      await bench.expectFigures(b, 0, 10);
      expectPart(await bench.extend('r1', [a, 30], [b, 50]), { status: 'extended' });
      await bench.expectFigures(a, 0, 30);
      await bench.expectFigures(b, 0, 50);
    }),

    test('case C-17: a settlement charges all accounts, in whatever order they are named', async (bench) => {
      await bench.reserve('r1', [a, 10], [b, 10], [c, 10]);
      const answer = await bench.settle('r1', { c: 3, a: 1, b: 2 });
      ensure('charged' in answer, 'an open reservation settles');
      const amounts = answer.charged.map(({ account, amount }) => [account, amount]);
      expectEqual(
        amounts,
        [
          ['a', 1],
          ['b', 2],
          ['c', 3],
        ],
        'charges in the order of the claims',
      );
      await bench.expectFigures(a, 1, 0);
      await bench.expectFigures(b, 2, 0);
      await bench.expectFigures(c, 3, 0);
    }),

    test('a release frees all accounts', async (bench) => {
      await bench.reserve('r1', [a, 60], [b, 10], [c, 5]);
      expectPart(await bench.release('r1'), { status: 'released' });
      for (const account of [a, b, c]) await bench.expectFigures(account, 0, 0);
    }),

    test('under concurrency no account holds more than the others', async (bench) => {
      const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
      const reserve = (id: string) => bench.reserve(id, [a, 3], [b, 3], [c, 3]);
      const answers = await Promise.all(ids.map(reserve));
      // The narrowest of them decides: 16 times 3 is as far as 50 goes.
      expectEqual(answers.filter(({ admitted }) => admitted).length, 16, 'how many are admitted');
      for (const account of [a, b, c]) await bench.expectFigures(account, 0, 48);
    }),
  ],
};
