import { accountOf } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const MINUTE = 60_000;
const SLOT: number = 10 * MINUTE;

/** An hour in slots of ten minutes: what tests with driven time are about. */
const hour = accountOf('a', { window: { rolling: '1h', resolution: '10m' } });

export const rolling: ContractGroup = {
  title: 'a rolling window never counts too little',
  tests: [
    test('spend counts at once, and has gone when the window is over', async (bench) => {
      const account = accountOf('a', { window: bench.clock.rolling });
      const { lengthMs, resolutionMs } = account.rule.window;
      await bench.spend(account, 60);
      await bench.expectFigures(account, 60, 0);
      await bench.clock.pass((lengthMs ?? 0) + (resolutionMs ?? 0));
      await bench.expectFigures(account, 0, 0);
      ensure((await bench.reserve('r1', [account, 100])).admitted, 'it is empty again');
    }),

    test(
      'spend goes slot by slot, never too early',
      async (bench) => {
        await bench.spend(hour, 40);
        await bench.clock.pass(9 * MINUTE);
        await bench.spend(hour, 10);
        await bench.clock.pass(MINUTE);
        await bench.spend(hour, 50);
        const seen: number[] = [];
        for (const minutes of [59, 1, 9, 1]) {
          await bench.clock.pass(minutes * MINUTE);
          seen.push((await bench.read(hour)).committed);
        }
        expectEqual(seen, [100, 50, 50, 0], 'settled spend after 59, 60, 69 and 70 minutes');
      },
      'driven time',
    ),

    test(
      'a refusal says when enough will have gone',
      async (bench) => {
        for (let spends = 0; spends < 3; spends += 1) {
          await bench.spend(hour, 30);
          await bench.clock.pass(SLOT);
        }
        const waits: unknown[] = [];
        for (const asked of [11, 40, 41, 70, 71, 100, 101]) {
          waits.push(
            refusalsIn(await bench.reserve(`ask-${asked}`, [hour, asked]))[0]?.retryAfterMs,
          );
        }
        const minutes = [40, 40, 50, 50, 60, 60].map((count) => count * MINUTE);
        expectEqual(waits, [...minutes, null], 'waits for 11, 40, 41, 70, 71, 100 and 101');
        const resetsAt = bench.clock.now() + 50 * MINUTE;
        expectPart(refusalsIn(await bench.reserve('ask', [hour, 41])), [{ resetsAt }]);
        await bench.clock.pass(50 * MINUTE - 1);
        ensure(!(await bench.reserve('again', [hour, 41])).admitted, 'not a millisecond before');
        await bench.clock.pass(1);
        ensure((await bench.reserve('again', [hour, 41])).admitted, 'when it was said');
      },
      'driven time',
    ),

    ...(['reserve', 'settle'] as const).map((attribute) =>
      test(
        `attribute ${attribute}: which slot pays`,
        async (bench) => {
          const account = accountOf('a', {
            window: { rolling: '1h', resolution: '10m' },
            attribute,
          });
          const isCarried = attribute === 'settle';
          await bench.clock.pass(9 * MINUTE);
          const { at } = await bench.reserve('open', [account, 60]);
          await bench.clock.pass(MINUTE);
          await bench.expectFigures(account, 0, 60);
          const slot = Math.floor((isCarried ? at + MINUTE : at) / SLOT) * SLOT;
          expectPart(await bench.settle('open', { a: 30 }), { charged: [{ slot, amount: 30 }] });
          await bench.expectFigures(account, 30, 0);
          await bench.clock.pass(60 * MINUTE);
          await bench.expectFigures(account, isCarried ? 30 : 0, 0);
          await bench.clock.pass(SLOT);
          await bench.expectFigures(account, 0, 0);
        },
        'driven time',
      ),
    ),

    test(
      'a charge whose slot has gone counts no more',
      async (bench) => {
        await bench.reserve('open', [hour, 60]);
        for (let beat = 0; beat < 80; beat += 1) {
          await bench.clock.pass(MINUTE);
          await bench.extend('open', [hour, 60]);
        }
        await bench.expectFigures(hour, 0, 60);
        expectPart(await bench.settle('open'), { charged: [{ amount: 60 }], notices: [] });
        await bench.expectFigures(hour, 0, 0);
        expectEqual((await bench.sink.verify()).differences, [], 'differences');
      },
      'driven time',
    ),

    test(
      'spend that has gone comes back from nowhere: not by reading, not by rebuilding',
      async (bench) => {
        await bench.spend(hour, 60);
        await bench.clock.pass(SLOT);
        await bench.spend(hour, 7);
        await bench.clock.pass(60 * MINUTE);
        await bench.expectFigures(hour, 7, 0);
        expectEqual((await bench.sink.rebuild()).differences, [], 'differences');
        await bench.expectFigures(hour, 7, 0);
      },
      'driven time',
    ),
  ],
};
