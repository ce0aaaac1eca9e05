import type { WindowSpec } from '@hardcap/core';
import { accountOf } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');
const b = accountOf('b', { limit: 50 });

const HOUR_MS = 3_600_000;

/** In how many steps the tests below let the life of a hold pass. */
const STEPS = 10;

export const denial: ContractGroup = {
  title: '1. a denial writes nothing but the denial counter, and extends no expiry',
  tests: [
    test('counters, ledger and reservations are as they were', async (bench) => {
      await bench.reserve('r1', [a, 100]);
      for (let index = 0; index < 3; index += 1) {
        ensure(!(await bench.reserve(`denied-${index}`, [a, 1], [b, 1])).admitted, 'a is full');
      }
      expectPart(await bench.read(a), { committed: 0, held: 100 }, 'reading of a');
      expectPart(await bench.read(b), { committed: 0, held: 0 }, 'reading of b');
      expectEqual(await bench.entries(), [], 'the ledger');
      expectPart(await bench.sink.verify(), { entries: 0, reservations: 1, differences: [] });
    }),

    test('denials are counted for the accounts that refused, and for no others', async (bench) => {
      await bench.reserve('r1', [a, 100]);
      for (let index = 0; index < 3; index += 1) await bench.reserve(`x${index}`, [a, 1], [b, 1]);
      await bench.reserve('y', [b, 51]);
      expectEqual((await bench.read(a)).denials, 3, 'denials of a');
      expectEqual((await bench.read(b)).denials, 1, 'denials of b');
    }),

    test(
      'denials are counted by the day in UTC, whatever the window',
      async (bench) => {
        const specs: WindowSpec[] = [{ fixed: '1m' }, { rolling: '7d' }, 'total'];
        const accounts = specs.map((window) =>
          accountOf(`per ${JSON.stringify(window)}`, { window }),
        );
        const denials = async () => {
          const readings = await Promise.all(accounts.map((account) => bench.read(account)));
          return readings.map((reading) => reading.denials);
        };
        const refuse = async () => {
          for (const account of accounts) await bench.reserve('too large', [account, 101]);
        };
        await refuse();
        await bench.clock.pass(6 * HOUR_MS);
        await refuse();
        expectEqual(await denials(), [2, 2, 2], 'in the evening');
        await bench.clock.pass(6 * HOUR_MS - 1);
        expectEqual(await denials(), [2, 2, 2], 'at the end of the day');
        await bench.clock.pass(1);
        expectEqual(await denials(), [0, 0, 0], 'on the next day');
        await refuse();
        expectEqual(await denials(), [1, 1, 1], 'after one more');
      },
      'driven time',
    ),

    test('a denied id was never held, and may ask again for something else', async (bench) => {
      await bench.reserve('r1', [a, 100]);
      await bench.reserve('r2', [a, 50]);
      expectPart(await bench.settle('r2', { a: 50 }), { status: 'never-held' });
      expectPart(await bench.release('r2'), { status: 'never-held' });
      expectPart(await bench.extend('r2', [a, 50]), { status: 'never-held' });
      await bench.release('r1');
      expectPart(await bench.reserve('r2', [a, 70]), { admitted: true });
      await bench.expectFigures(a, 0, 70);
    }),

    test('no threshold is crossed by asking', async (bench) => {
      const warned = accountOf('warned', { thresholds: [500_000, 1_000_000] });
      await bench.spend(warned, 40);
      expectPart(await bench.reserve('r1', [warned, 61]), { admitted: false, notices: [] });
      expectPart(await bench.reserve('r2', [warned, 60]), { admitted: true, notices: [] });
      expectEqual(bench.crossed(), [], 'thresholds');
    }),

    test('case C-34: however often a full account is asked, its hold expires in time', async (bench) => {
      await bench.reserveBriefly('r1', [a, 100]);
      for (let step = 0; step < STEPS; step += 1) {
        await bench.reserveBriefly(`denied-${step}`, [a, 1]);
        await bench.clock.pass(bench.clock.holdMs / STEPS);
      }
      await bench.expectFigures(a, 100, 0);
    }),

    test('a refused extension leaves the hold as it is, and does not keep it alive', async (bench) => {
      await bench.reserveBriefly('r1', [a, 10], [b, 10]);
      for (let step = 0; step < STEPS; step += 1) {
        const answer = await bench.extendBriefly('r1', [a, 20], [b, 51]);
        if (step === 0) expectPart(answer, { status: 'refused' });
        await bench.clock.pass(bench.clock.holdMs / STEPS);
      }
      await bench.expectFigures(a, 10, 0);
      await bench.expectFigures(b, 10, 0);
    }),

    test('a refused extension tells the own hold from those of others', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      expectPart(refusalsIn(await bench.extend('r1', [a, 101])), [
        { kind: 'too-large', requested: 101, held: 0 },
      ]);
      await bench.reserve('r2', [a, 40]);
      expectPart(refusalsIn(await bench.extend('r1', [a, 61])), [
        { kind: 'held', requested: 61, held: 40 },
      ]);
    }),
  ],
};
