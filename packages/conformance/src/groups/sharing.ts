import { accountOf } from '../accounts.ts';
import { expectBooks } from '../audit.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a', { thresholds: [500_000, 800_000, 1_000_000] });
const HOUR = 3_600_000;

async function fourOf(bench: ContractBench): Promise<ContractBench[]> {
  return [bench, await bench.connect(), await bench.connect(), await bench.connect()];
}

export const sharing: ContractGroup = {
  title: 'sinks over one store share everything',
  tests: [
    test(
      'what one holds, the others see',
      async (bench) => {
        const other = await bench.connect();
        await bench.reserve('r1', [a, 60]);
        await other.expectFigures(a, 0, 60);
        ensure(!(await other.reserve('r2', [a, 41])).admitted, '60 are held');
        expectPart(await other.extend('r1', [a, 70]), { status: 'extended' });
        expectPart(await other.settle('r1', { a: 50 }), { status: 'settled' });
        const again = await bench.settle('r1', { a: 50 });
        expectPart(again, { status: 'already-resolved', first: 'settled' });
        await bench.expectFigures(a, 50, 0);
      },
      'shared',
    ),

    test(
      'case C-01: together they admit what fits, and no more',
      async (bench) => {
        const benches = await fourOf(bench);
        const ids = Array.from({ length: 40 }, (_, index) => `r${index}`);
        const reserve = (id: string, index: number) =>
          (benches[index % benches.length] ?? bench).reserve(id, [a, 7]);
        const answers = await Promise.all(ids.map(reserve));
        expectEqual(answers.filter(({ admitted }) => admitted).length, 14, 'how many are admitted');
        await bench.expectFigures(a, 0, 98);
      },
      'shared',
    ),

    test(
      'one id at once from all of them is one hold, and one charge',
      async (bench) => {
        const benches = await fourOf(bench);
        await Promise.all(benches.map((each) => each.reserve('r1', [a, 30])));
        await bench.expectFigures(a, 0, 30);
        const settled = await Promise.all(benches.map((each) => each.settle('r1', { a: 20 })));
        const statuses = settled.map(({ status }) => status).toSorted();
        const resolved = Array<string>(3).fill('already-resolved');
        expectEqual(statuses, [...resolved, 'settled'], 'statuses');
        await expectBooks(bench, [a], 'after them');
      },
      'shared',
    ),

    test(
      'case C-97: each threshold is noticed by one of them',
      async (bench) => {
        const benches = await fourOf(bench);
        const at = (index: number) => benches[index % benches.length] ?? bench;
        const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
        await Promise.all(ids.map((id, index) => at(index).reserve(id, [a, 1])));
        await Promise.all(ids.map((id, index) => at(index + 1).settle(id)));
        const crossed = benches.flatMap((each) => each.crossed()).toSorted();
        expectEqual(crossed, ['a 0.5', 'a 0.8', 'a 1'], 'crossed');
      },
      'shared',
    ),

    test(
      'an expiry is told to one of them, whoever comes upon it',
      async (bench) => {
        const benches = await fourOf(bench);
        await bench.reserveBriefly('r1', [a, 90]);
        await bench.expire();
        await benches[1]?.read(a);
        await benches[1]?.disconnect();
        for (const each of [bench, ...benches.slice(2)]) await each.release('any');
        const told = benches.flatMap(({ notices }) => notices.map(({ type }) => type)).toSorted();
        const crossed = 'threshold-crossed';
        expectEqual(told, ['reservation-expired', crossed, crossed], 'notices');
      },
      'shared',
    ),

    test(
      'case C-93: an adjustment by one is seen by the next call of another',
      async (bench) => {
        const other = await bench.connect();
        await bench.spend(a, 100);
        ensure(!(await bench.reserve('r1', [a, 1])).admitted, 'it is spent');
        await other.adjust(a, { type: 'top-up', amount: 20 }, 'the-id');
        ensure((await bench.reserve('r1', [a, 20])).admitted, 'it was topped up');
        const again = await bench.adjust(a, { type: 'top-up', amount: 20 }, 'the-id');
        expectPart(again, { status: 'already-adjusted', reading: { limit: 120 } });
        await other.adjust(a, { type: 'block' });
        ensure(!(await bench.reserve('r2', [a, 0])).admitted, 'it was blocked');
      },
      'shared',
    ),

    test(
      'traffic from all of them leaves the books right',
      async (bench) => {
        const benches = await fourOf(bench);
        const accounts = [a, accountOf('b', { limit: 60, window: bench.clock.rolling })];
        const work = benches.map(async (each, worker) => {
          for (let call = 0; call < 25; call += 1) {
            const id = `w${worker}-${call}`;
            const claims = accounts.map((account) => [account, (call * 7) % 5] as const);
            const { admitted } = await each.reserve(id, ...claims);
            if (admitted && call % 4 === 0) await each.release(id);
            else if (admitted) await each.settle(id, { a: 1, b: 1 });
            const { committed, held } = await each.read(a);
            ensure(committed + held <= 100, `${committed} + ${held} is above the limit`);
          }
        });
        await Promise.all(work);
        await expectBooks(bench, accounts, 'after the traffic');
        expectPart(await bench.sink.verify(), { reservations: 0 }, 'report');
      },
      'shared',
    ),

    test(
      'a sink whose clock is behind goes by the time that the store has seen',
      async (bench) => {
        const hourly = accountOf('hourly', { window: { fixed: '1h' } });
        const behind = await bench.connect(-2 * HOUR);
        await bench.spend(hourly, 100);
        const at = bench.clock.now();
        expectPart(await behind.reserve('r1', [hourly, 1]), { admitted: false, at });
      },
      'shared',
      'driven time',
    ),
  ],
};
