import { accountOf, withTerms } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const watched = accountOf('watched', { shadow: true });
const a = accountOf('a');

export const shadow: ContractGroup = {
  title: '12. a shadow account decides and counts, and refuses nothing',
  tests: [
    test('a call above its limit is held, and the answer says who would have refused', async (bench) => {
      await bench.spend(watched, 70);
      const { at, ...answer } = await bench.reserve('r1', [watched, 50]);
      ensure(answer.admitted, 'a shadow account refuses nothing');
      expectPart(answer.refusals, [
        { account: 'watched', kind: 'too-large', shadow: true, limit: 100, committed: 70, held: 0 },
      ]);
      await bench.expectFigures(watched, 70, 50);
      ensure((await bench.reserve('r2', [watched, 0])).admitted, 'nor when it is full');
      await bench.settle('r1', { watched: 50 });
      expectEqual(bench.crossed(), ['watched 1'], 'thresholds of what was spent all the same');
      await bench.expectFigures(watched, 120, 0);
    }),

    test('within its limit nothing is said', async (bench) => {
      const answer = await bench.reserve('r1', [watched, 100]);
      ensure(!('refusals' in answer), `nobody would have refused: ${JSON.stringify(answer)}`);
    }),

    test('each refusal is counted as a denial', async (bench) => {
      await bench.spend(watched, 100);
      await bench.reserve('r1', [watched, 1]);
      await bench.reserve('r2', [watched, 1]);
      expectPart(await bench.read(watched), { denials: 2, held: 2 });
    }),

    test('another account still refuses, and then nothing is held', async (bench) => {
      await bench.spend(watched, 100);
      const refusals = refusalsIn(await bench.reserve('r1', [a, 101], [watched, 1]));
      expectPart(refusals, [{ account: 'a' }, { account: 'watched', shadow: true }]);
      ensure(!('shadow' in (refusals[0] ?? {})), 'the other refuses in earnest');
      await bench.expectFigures(watched, 100, 0);
      await bench.expectFigures(a, 0, 0);
    }),

    test('a hold grows above its limit', async (bench) => {
      await bench.reserve('r1', [a, 10], [watched, 10]);
      const answer = await bench.extend('r1', [a, 50], [watched, 150]);
      expectEqual(answer.status, 'extended', 'status');
      const requested = { account: 'watched', requested: 150, shadow: true };
      expectPart('refusals' in answer && answer.refusals, [requested]);
      await bench.expectFigures(watched, 0, 150);
      expectEqual((await bench.extend('r1', [a, 101], [watched, 151])).status, 'refused', 'by a');
    }),

    test('blocked, it refuses nothing either', async (bench) => {
      await bench.adjust(watched, { type: 'block' });
      const answer = await bench.reserve('r1', [watched, 1]);
      ensure(answer.admitted, 'a shadow account refuses nothing');
      expectPart(answer.refusals, [{ kind: 'blocked', shadow: true }]);
    }),

    test('whether it refuses comes with each call', async (bench) => {
      await bench.spend(watched, 100);
      const enforced = withTerms(watched, { shadow: false });
      expectPart(refusalsIn(await bench.reserve('r1', [enforced, 1])), [{ kind: 'spent' }]);
      ensure((await bench.reserve('r2', [watched, 1])).admitted, 'in the shadow again');
    }),
  ],
};
