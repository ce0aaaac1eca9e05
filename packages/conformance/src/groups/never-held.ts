import { accountOf } from '../accounts.ts';
import { expectEqual, expectPart } from '../check.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');

export const neverHeld: ContractGroup = {
  title: '6. settling or releasing an id that was never held changes nothing',
  tests: [
    test('case C-18: whatever is asked of it', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      for (let time = 0; time < 2; time += 1) {
        expectPart(await bench.settle('nobody', { a: 60 }), { status: 'never-held', notices: [] });
        expectPart(await bench.release('nobody'), { status: 'never-held', notices: [] });
        expectPart(await bench.extend('nobody', [a, 60]), { status: 'never-held', notices: [] });
      }
      await bench.expectFigures(a, 0, 60);
      expectEqual(await bench.entries(), [], 'the ledger');
      expectPart(await bench.sink.verify(), { reservations: 1, differences: [] });
    }),

    test('a release before the reservation does not undo it, nor stop it', async (bench) => {
      await bench.release('r1');
      expectPart(await bench.reserve('r1', [a, 60]), { admitted: true });
      await bench.expectFigures(a, 0, 60);
      expectPart(await bench.release('r1'), { status: 'released' });
    }),

    test('ids are apart from each other, also those that look alike', async (bench) => {
      const ids = ['r', 'R', 'r:late', 'r:expiry', ' r', 'r%', "r'", 'ř', '__proto__'];
      for (const id of ids) await bench.reserve(id, [a, 1]);
      await bench.expectFigures(a, 0, ids.length);
      expectPart(await bench.release('r'), { status: 'released' });
      await bench.expectFigures(a, 0, ids.length - 1);
      for (const id of ids.slice(1)) expectPart(await bench.settle(id), { status: 'settled' });
      await bench.expectFigures(a, ids.length - 1, 0);
    }),
  ],
};
