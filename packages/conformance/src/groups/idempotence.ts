import { accountOf, type Claims, withTerms } from '../accounts.ts';
import { ensure, expectEqual, expectError, expectPart } from '../check.ts';
import { TTL } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');
const b = accountOf('b', { limit: 50 });

export const idempotence: ContractGroup = {
  title: '2. reserve is idempotent by id, and an id is for one thing',
  tests: [
    test('case C-14: the same again gives the same answer and one hold', async (bench) => {
      const first = await bench.reserve('r1', [a, 30], [b, 10]);
      ensure(first.admitted, 'there is room');
      await bench.clock.pass(10);
      const { expiresAt } = first;
      expectPart(await bench.reserve('r1', [a, 30], [b, 10]), { admitted: true, expiresAt });
      await bench.expectFigures(a, 0, 30);
      await bench.expectFigures(b, 0, 10);
      expectEqual((await bench.sink.verify()).reservations, 1, 'open reservations');
    }),

    test('it is not asked anew whether it fits', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      await bench.reserve('r2', [a, 40]);
      expectPart(await bench.reserve('r1', [a, 60]), { admitted: true });
      const lowered = withTerms(a, { limit: 10 });
      expectPart(await bench.reserve('r1', [lowered, 60]), { admitted: true });
      await bench.expectFigures(a, 0, 100);
    }),

    test('fifty at once are one hold', async (bench) => {
      const all = Array.from({ length: 50 }, () => bench.reserve('r1', [a, 2]));
      for (const { admitted } of await Promise.all(all)) ensure(admitted, 'each is admitted');
      await bench.expectFigures(a, 0, 2);
    }),

    test('it is still what was first asked for, after the hold has grown', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      await bench.extend('r1', [a, 80]);
      expectPart(await bench.reserve('r1', [a, 60]), { admitted: true });
      await expectError('RESERVATION_MISMATCH', () => bench.reserve('r1', [a, 80]));
      await bench.expectFigures(a, 0, 80);
    }),

    test('other accounts or amounts are an error that changes nothing', async (bench) => {
      await bench.reserve('r1', [a, 60], [b, 5]);
      const others: Claims[] = [
        [
          [a, 61],
          [b, 5],
        ],
        [[a, 60]],
        [[b, 5]],
        [
          [a, 60],
          [b, 5],
          [accountOf('c'), 1],
        ],
        [
          [a, 60],
          [accountOf('c'), 5],
        ],
        [],
      ];
      for (const claims of others) {
        const reserve = () => bench.reserve('r1', ...claims);
        await expectError('RESERVATION_MISMATCH', reserve, 'the same id for other claims');
      }
      await bench.expectFigures(a, 0, 60);
      await bench.expectFigures(b, 0, 5);
      await bench.expectFigures(accountOf('c'), 0, 0);
    }),

    test('an extension by what is held changes nothing but the expiry', async (bench) => {
      await bench.reserve('r1', [a, 10], [b, 10]);
      for (let time = 0; time < 3; time += 1) {
        const answer = await bench.extend('r1', [a, 30]);
        expectPart(answer, { status: 'extended', expiresAt: answer.at + TTL });
        await bench.expectFigures(a, 0, 30);
        await bench.expectFigures(b, 0, 10);
      }
    }),

    test('an extension may shrink a hold, also one that is above a lowered limit', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      const lowered = withTerms(a, { limit: 20 });
      expectPart(await bench.extend('r1', [lowered, 60]), { status: 'extended' });
      expectPart(await bench.extend('r1', [lowered, 40]), { status: 'extended' });
      expectPart(await bench.extend('r1', [lowered, 41]), { status: 'refused' });
      await bench.expectFigures(a, 0, 40);
    }),

    test('an account that is not held cannot be extended', async (bench) => {
      await bench.reserve('r1', [a, 10]);
      const extend = () => bench.extend('r1', [a, 20], [b, 10]);
      await expectError('RESERVATION_MISMATCH', extend, 'extending what is not held');
      await bench.expectFigures(a, 0, 10);
      await bench.expectFigures(b, 0, 0);
    }),
  ],
};
