import { accountOf } from '../accounts.ts';
import { expectBooks } from '../audit.ts';
import { ensure, expectEqual, expectError, expectPart } from '../check.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const WARN = { thresholds: [500_000, 800_000, 1_000_000] };
const a = accountOf('a', WARN);

export const restart: ContractGroup = {
  title: 'a durable sink goes on where it was',
  tests: [
    test(
      'with its counters, holds and ledger',
      async (bench) => {
        await bench.spend(a, 20);
        await bench.reserve('open', [a, 30]);
        await bench.reserve('denied', [a, 90]);
        const [before, ledger] = [await bench.read(a), await bench.entries()];
        await bench.reopen();
        expectEqual(await bench.read(a), before, 'reading');
        expectEqual(await bench.entries(), ledger, 'the ledger');
        ensure(!(await bench.reserve('r1', [a, 51])).admitted, '20 are spent and 30 held');
        expectPart(await bench.settle('open', { a: 25 }), { charged: [{ amount: 25, held: 30 }] });
        await bench.expectFigures(a, 45, 0);
        await expectBooks(bench, [a], 'after the restart');
      },
      'durable',
    ),

    test(
      'case C-82: and what was done is not done again',
      async (bench) => {
        await bench.reserve('settled', [a, 10]);
        await bench.settle('settled');
        await bench.reserve('released', [a, 10]);
        await bench.release('released');
        await bench.reserve('open', [a, 10]);
        await bench.adjust(a, { type: 'top-up', amount: 5 }, 'the-id');
        await bench.reopen();
        for (const first of ['settled', 'released']) {
          expectPart(await bench.settle(first), { status: 'already-resolved', first });
          await expectError('RESERVATION_MISMATCH', () => bench.reserve(first, [a, 10]), first);
        }
        expectPart(await bench.reserve('open', [a, 10]), { admitted: true });
        const again = await bench.adjust(a, { type: 'top-up', amount: 5 }, 'the-id');
        expectPart(again, { status: 'already-adjusted' });
        expectPart(await bench.read(a), { limit: 105, committed: 10, held: 10 }, 'reading');
      },
      'durable',
    ),

    test(
      'holds whose time was over meanwhile have expired',
      async (bench) => {
        await bench.reserveBriefly('r1', [a, 60]);
        await bench.reopen();
        await bench.expire();
        await bench.reopen();
        await bench.expectFigures(a, 60, 0);
        expectPart(await bench.settle('r1', { a: 20 }), { status: 'late' });
        await bench.expectFigures(a, 20, 0);
        await expectBooks(bench, [a], 'after the late settlement');
      },
      'durable',
    ),

    test(
      'what had expired before can still be settled late',
      async (bench) => {
        await bench.reserveBriefly('r1', [a, 60]);
        await bench.expire();
        await bench.release('any');
        await bench.reopen();
        expectPart(await bench.settle('r1', { a: 20 }), {
          status: 'late',
          charged: [{ amount: -40 }],
        });
        await bench.expectFigures(a, 20, 0);
      },
      'durable',
    ),

    test(
      'thresholds that were noticed are not noticed again',
      async (bench) => {
        await bench.spend(a, 60);
        await bench.reopen();
        await bench.spend(a, 25);
        expectEqual(bench.crossed(), ['a 0.5', 'a 0.8'], 'crossed');
      },
      'durable',
    ),

    test(
      'adjustments are in force',
      async (bench) => {
        const until = (await bench.at()) + 3_600_000;
        await bench.adjust(a, { type: 'limit', limit: 40, until });
        await bench.adjust(a, { type: 'limit-add', amount: 4, until: null });
        await bench.adjust(a, { type: 'block' });
        await bench.reopen();
        expectPart(await bench.read(a), { limit: 44, blocked: true }, 'reading');
      },
      'durable',
    ),

    test(
      'the clock does not run backwards',
      async (bench) => {
        const hourly = accountOf('hourly', { window: { fixed: '1h' } });
        await bench.clock.pass(3_600_000);
        await bench.spend(hourly, 100);
        const at = bench.clock.now();
        await bench.clock.pass(-3_600_000);
        await bench.reopen();
        expectPart(await bench.reserve('r1', [hourly, 1]), { admitted: false, at });
      },
      'durable',
      'driven time',
    ),
  ],
};
