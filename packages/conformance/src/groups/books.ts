import type { Account } from '@hardcap/core';
import { accountOf } from '../accounts.ts';
import { expectBooks } from '../audit.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';

function accountsOf({ clock }: ContractBench): [Account, Account, Account, Account, Account] {
  return [
    accountOf('total'),
    accountOf('window', { window: clock.fixed }),
    accountOf('carried', { window: clock.fixed, attribute: 'settle' }),
    accountOf('rolling', { window: clock.rolling }),
    accountOf('lenient', { onExpiry: 'release' }),
  ];
}

/** A bit of everything that can be done, in steps. */
async function history(
  bench: ContractBench,
  after: (step: string) => Promise<void>,
): Promise<void> {
  const accounts = accountsOf(bench);
  const all = (amount: number) => accounts.map((account) => [account, amount] as const);
  const steps: [string, () => Promise<unknown>][] = [
    ['a hold', () => bench.reserve('r1', ...all(20))],
    ['a larger hold', () => bench.extend('r1', ...all(30))],
    ['a settlement below', () => bench.settle('r1', { total: 5, window: 6, rolling: 7 })],
    ['a denial', () => bench.reserve('denied', ...all(90))],
    [
      'a settlement above',
      async () => {
        await bench.reserve('r2', ...all(10));
        await bench.settle('r2', { total: 120, window: 20, carried: 30, rolling: 0 });
      },
    ],
    ['a repeated settlement', () => bench.settle('r2', { total: 1 })],
    ['a reset', () => bench.adjust(accounts[0], { type: 'reset' })],
    ['a reset of what has slots', () => bench.adjust(accounts[3], { type: 'reset' })],
    ['a top-up', () => bench.adjust(accounts[1], { type: 'top-up', amount: 50 })],
    [
      'a release',
      async () => {
        await bench.reserve('r3', ...all(5));
        await bench.release('r3');
      },
    ],
    ['a hold that is to expire', () => bench.reserveBriefly('r4', ...all(9))],
    ['its expiry', () => bench.expire()],
    ['a late settlement', () => bench.settle('r4', { total: 3, window: 11, lenient: 2 })],
    ['a hold across a boundary', () => bench.reserve('r5', ...all(8))],
    ['the boundary', async () => bench.clock.passWindow(accounts[1].rule.window, await bench.at())],
    ['its settlement', () => bench.settle('r5', { window: 4, carried: 3 })],
    ['all else', () => bench.reserve('open', ...all(1))],
  ];
  for (const [step, take] of steps) {
    await take();
    await after(step);
  }
}

export const books: ContractGroup = {
  title: '8. counters equal the ledger at every instant',
  tests: [
    test('case C-20: after every step of a history with a bit of everything', async (bench) => {
      await history(bench, (step) => expectBooks(bench, accountsOf(bench), `after ${step}`));
    }),

    test('every charge is in the ledger once, under an id of its own', async (bench) => {
      await history(bench, async () => {});
      const entries = await bench.entries();
      expectEqual(
        entries.map(({ kind, id }) => `${kind} ${id}`),
        [
          'settlement r1',
          'settlement r2',
          ...['adjustment-1', 'adjustment-2', 'adjustment-3'].map((id) => `adjustment ${id}`),
          'expiry r4:expiry',
          'correction r4:late',
          'settlement r5',
        ],
        'the ledger',
      );
    }),

    test('verify says what it looked at, and changes nothing', async (bench) => {
      const a = accountOf('a');
      await bench.reserve('r1', [a, 20], [accountOf('b'), 1]);
      await bench.settle('r1');
      await bench.reserve('r2', [a, 30]);
      for (let time = 0; time < 2; time += 1) {
        const looked = { accounts: 2, entries: 1, reservations: 1, differences: [] };
        expectPart(await bench.sink.verify(), looked, 'report');
      }
      await bench.expectFigures(a, 20, 30);
    }),

    test('rebuilding right counters changes nothing, open holds included', async (bench) => {
      const accounts = accountsOf(bench);
      await history(bench, async () => {});
      const before = await bench.sink.read(accounts);
      expectEqual((await bench.sink.rebuild()).differences, [], 'differences');
      const after = await bench.sink.read(accounts);
      const figures = (reading: (typeof before)[number]) => [reading.committed, reading.held];
      expectEqual(after.map(figures), before.map(figures), 'readings');
      expectPart(await bench.settle('open'), { status: 'settled' });
      await expectBooks(bench, accounts, 'after the rebuild');
    }),

    test('case C-20: after a thousand mixed operations there is no drift', async (bench) => {
      const accounts = accountsOf(bench).map((account) => ({
        ...account,
        rule: { ...account.rule, limit: 1e9 },
      }));
      for (let step = 0; step < 300; step += 1) {
        const amount = (step * 7_919) % 97;
        await bench.reserve(`r${step}`, ...accounts.map((account) => [account, amount] as const));
        if (step % 3 === 0) await bench.settle(`r${step - 2}`, { total: step % 89, window: 5 });
        if (step % 11 === 0) await bench.release(`r${step - 5}`);
        if (step % 13 === 0) await bench.extend(`r${step - 1}`, [accounts[0] as Account, 120]);
      }
      await expectBooks(bench, accounts, 'at the end');
    }),

    test('verify and rebuild run while traffic goes on', async (bench) => {
      const account = accountOf('a', { limit: 1e9 });
      const ids = Array.from({ length: 40 }, (_, index) => `r${index}`);
      const call = async (id: string) => {
        await bench.reserve(id, [account, 10]);
        await bench.settle(id, { a: 7 });
      };
      const [reports] = await Promise.all([
        Promise.all([bench.sink.verify(), bench.sink.rebuild(), bench.sink.verify()]),
        ...ids.map(call),
      ]);
      for (const { differences } of reports) expectEqual(differences, [], 'differences');
      await bench.expectFigures(account, 280, 0);
    }),

    test(
      'a counter that was tampered with is found, and restored',
      async (bench) => {
        const [a, b] = [accountOf('a'), accountOf('b')];
        await bench.reserve('r1', [a, 20], [b, 20]);
        await bench.settle('r1');
        await bench.reserve('r2', [a, 30]);
        await bench.tamper(a, 7);
        const difference = { account: 'a', window: 'total', field: 'committed' };
        const found = [{ ...difference, counter: 27, expected: 20 }];
        expectEqual((await bench.sink.verify()).differences, found, 'what verify finds');
        expectEqual((await bench.sink.rebuild()).differences, found, 'what rebuild changes');
        expectEqual((await bench.sink.verify()).differences, [], 'what is left');
        await bench.expectFigures(a, 20, 30);
        ensure(!(await bench.reserve('r3', [a, 51])).admitted, 'the restored counter decides');
      },
      'tampers',
    ),

    test('what is over, or was never used, is not rebuilt', async (bench) => {
      const accounts = accountsOf(bench);
      await history(bench, async () => {});
      await bench.settle('open');
      const { rule } = accounts[1] as Account;
      for (let window = 0; window < 2; window += 1) {
        await bench.clock.passWindow(rule.window, await bench.at());
      }
      const before = await bench.sink.verify();
      const after = await bench.sink.rebuild();
      expectEqual(after.differences, [], 'differences');
      expectEqual(after.accounts, before.accounts, 'accounts');
      await expectBooks(bench, accounts, 'after the rebuild');
    }),

    ...deletions(),
  ],
};

/** Whose counters are deleted: a total, and a window that is not over. */
function deletions(): ContractTest[] {
  const windows = [
    ['without end', () => accountOf('a')],
    ['that ends', ({ clock }: ContractBench) => accountOf('a', { window: clock.fixed })],
    ['that rolls', ({ clock }: ContractBench) => accountOf('a', { window: clock.rolling })],
  ] as const;
  return windows.map(([window, make]) =>
    test(
      `case C-03: counters of a window ${window} that were deleted are found, and restored`,
      async (bench) => {
        const [a, b] = [make(bench), accountOf('b')];
        await bench.reserve('r1', [a, 20], [b, 20]);
        await bench.settle('r1');
        await bench.reserve('r2', [a, 30], [b, 5]);
        await bench.deleteCounters(a);
        const { differences } = await bench.sink.verify();
        const [found] = differences.filter(({ field }) => field === 'committed');
        expectPart(found, { account: 'a', counter: 0, expected: 20 }, 'what verify finds');
        // A sink may count holds elsewhere.
        const others = differences.filter((each) => each !== found);
        const held = { account: 'a', field: 'held', counter: 0, expected: 30 };
        for (const other of others) expectPart(other, held, 'what else verify finds');
        const changes = (await bench.sink.rebuild()).differences.length;
        expectEqual(changes, differences.length, 'what rebuild changes');
        expectEqual((await bench.sink.verify()).differences, [], 'what is left');
        await bench.expectFigures(a, 20, 30);
        await bench.expectFigures(b, 20, 5);
        ensure(!(await bench.reserve('r3', [a, 51])).admitted, 'the restored counters decide');
        expectPart(await bench.settle('r2', { a: 10 }), { status: 'settled' });
        await bench.expectFigures(a, 30, 0);
        await expectBooks(bench, [a, b], 'at the end');
      },
      'deletes',
    ),
  );
}
