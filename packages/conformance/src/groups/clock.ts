import { accountOf } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const HOUR = 3_600_000;
const hourly = accountOf('hourly', { window: { fixed: '1h' } });
const total = accountOf('total');

export const clock: ContractGroup = {
  title: "the sink's clock decides, and never runs backwards",
  tests: [
    test('every answer says the time on it', async (bench) => {
      const before = await bench.at();
      const answers = [
        await bench.reserve('r1', [total, 60]),
        await bench.extend('r1', [total, 70]),
        await bench.settle('r1'),
        await bench.release('r1'),
        await bench.adjust(total, { type: 'top-up', amount: 5 }),
        await bench.sink.verify(),
      ];
      const after = await bench.at();
      for (const { at } of answers) {
        ensure(before <= at && at <= after, `${at} should be from ${before} to ${after}`);
      }
      for (const entry of await bench.entries()) {
        ensure(before <= entry.at && entry.at <= after, `the entry's time, too: ${entry.at}`);
      }
    }),

    test(
      'it is the clock that the sink was given',
      async (bench) => {
        expectEqual(await bench.at(), bench.clock.now(), 'time');
        await bench.clock.pass(12_345);
        expectEqual(await bench.at(), bench.clock.now(), 'time');
      },
      'driven time',
    ),

    test(
      'a clock that is set back stands still, and returns to no window',
      async (bench) => {
        await bench.clock.pass(HOUR);
        await bench.spend(hourly, 100);
        const at = bench.clock.now();
        await bench.clock.pass(-2 * HOUR);
        expectPart(await bench.reserve('r1', [hourly, 1]), { admitted: false, at });
        await bench.clock.pass(2 * HOUR - 1);
        expectPart(await bench.reserve('r2', [hourly, 1]), { admitted: false, at });
      },
      'driven time',
    ),

    test(
      'a clock that is set back expires nothing early',
      async (bench) => {
        await bench.reserveBriefly('r1', [total, 60]);
        await bench.clock.pass(-HOUR);
        await bench.expectFigures(total, 0, 60);
        await bench.clock.pass(HOUR + bench.clock.holdMs - 1);
        await bench.expectFigures(total, 0, 60);
        await bench.clock.pass(1);
        await bench.expectFigures(total, 60, 0);
      },
      'driven time',
    ),
  ],
};
