import { accountOf } from '../accounts.ts';
import { expectBooks } from '../audit.ts';
import { ensure, expectEqual } from '../check.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');
const RESET = { type: 'reset' } as const;

export const resets: ContractGroup = {
  title: '10. a reset neither loses nor doubles what is in flight',
  tests: [
    test('case C-34, C-37: settled spend is 0 in the very next call', async (bench) => {
      await bench.spend(a, 100);
      await bench.adjust(a, RESET);
      await bench.expectFigures(a, 0, 0);
      ensure((await bench.reserve('r1', [a, 100])).admitted, 'nothing is spent');
      await expectBooks(bench, [a], 'after the reset');
    }),

    test('open holds stay, and are charged in full when they settle', async (bench) => {
      await bench.spend(a, 40);
      await bench.reserve('open', [a, 60]);
      await bench.adjust(a, RESET);
      await bench.expectFigures(a, 0, 60);
      await bench.settle('open', { a: 50 });
      await bench.expectFigures(a, 50, 0);
      await expectBooks(bench, [a], 'after the settlement');
    }),

    test('case C-94: a late settlement gives nothing back a second time', async (bench) => {
      await bench.reserveBriefly('late', [a, 60]);
      await bench.expire();
      await bench.adjust(a, RESET);
      await bench.settle('late', { a: 20 });
      await bench.expectFigures(a, 0, 0);
      ensure(!(await bench.reserve('r1', [a, 101])).admitted, 'the limit is still 100');
      await expectBooks(bench, [a], 'after the late settlement');
    }),

    test('case C-94: one that is dearer than its hold charges the difference', async (bench) => {
      await bench.reserveBriefly('late', [a, 60]);
      await bench.expire();
      await bench.adjust(a, RESET);
      await bench.settle('late', { a: 75 });
      await bench.expectFigures(a, 15, 0);
      await expectBooks(bench, [a], 'after the late settlement');
    }),

    test('calls that run while it happens are counted once', async (bench) => {
      const account = accountOf('a', { limit: 1_000_000 });
      const ids = Array.from({ length: 30 }, (_, index) => `r${index}`);
      const call = async (id: string) => {
        await bench.reserve(id, [account, 10]);
        await bench.settle(id, { a: 7 });
      };
      await Promise.all([...ids.map(call), bench.adjust(account, RESET)]);
      await expectBooks(bench, [account], 'after all of them');
      await bench.adjust(account, RESET);
      await bench.expectFigures(account, 0, 0);
    }),

    test('a repeated one does not undo what was spent since', async (bench) => {
      await bench.spend(a, 60);
      await bench.adjust(a, RESET, 'the-id');
      await bench.spend(a, 30);
      await bench.adjust(a, RESET, 'the-id');
      await bench.expectFigures(a, 30, 0);
    }),

    test(
      'it is of one account, rolling slots included',
      async (bench) => {
        const rolling = accountOf('rolling', { window: { rolling: '1h', resolution: '10m' } });
        await bench.spend(rolling, 30);
        await bench.clock.pass(1_800_000);
        await bench.reserve('more', [rolling, 20], [a, 20]);
        await bench.settle('more');
        await bench.adjust(rolling, RESET);
        await bench.expectFigures(rolling, 0, 0);
        await bench.expectFigures(a, 20, 0);
        await expectBooks(bench, [rolling, a], 'after the reset');
        await bench.clock.pass(3_600_000);
        await bench.expectFigures(rolling, 0, 0);
        await expectBooks(bench, [rolling, a], 'once the slots have gone');
      },
      'driven time',
    ),

    test('of an account with nothing spent, an entry without charges', async (bench) => {
      await bench.adjust(a, RESET);
      const charges = (await bench.entries()).map((entry) => entry.charges);
      expectEqual(charges, [[]], 'charges of the ledger');
    }),

    test('top-ups and limits are as they were', async (bench) => {
      await bench.adjust(a, { type: 'top-up', amount: 20 });
      await bench.adjust(a, { type: 'limit-add', amount: 3, until: null });
      await bench.spend(a, 10);
      await bench.adjust(a, RESET);
      expectEqual((await bench.read(a)).limit, 123, 'limit');
    }),
  ],
};
