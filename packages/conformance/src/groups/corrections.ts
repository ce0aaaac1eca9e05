import type { Account, AdjustAnswer, Adjustment, CorrectionCharge } from '@hardcap/core';
import { accountOf } from '../accounts.ts';
import { expectBooks } from '../audit.ts';
import { ensure, expectEqual, expectError, expectPart } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';

const a = accountOf('a');
const b = accountOf('b', { unit: 'usd' });

type Amounts = readonly (readonly [account: Account, amount: number])[];

/** Adds to what a call was charged, where it was charged. */
async function correct(
  bench: ContractBench,
  reservation: string,
  amounts: Amounts,
  id?: string,
): Promise<AdjustAnswer> {
  const entries = await bench.entries();
  const made = entries.flatMap((entry) => {
    return 'reservation' in entry && entry.reservation === reservation ? entry.charges : [];
  });
  const charges = amounts.map(([{ key }, amount]): CorrectionCharge => {
    const found = made.find(({ account }) => account === key);
    ensure(found !== undefined, `${reservation} was charged to ${key}`);
    const { held: _, ...place } = found;
    return { ...place, amount };
  });
  const [first] = amounts;
  ensure(first !== undefined, 'a correction has an amount');
  return bench.adjust(first[0], { type: 'correction', reservation, charges }, id);
}

/** A call that was charged 60 on `a` and 40 on `b`. */
async function charged(bench: ContractBench): Promise<void> {
  await bench.reserve('call', [a, 60], [b, 40]);
  await bench.settle('call');
}

const amounts: ContractTest[] = [
  test('case C-56: takes back from all accounts of a call what it cost too much', async (bench) => {
    await charged(bench);
    const { status, reading } = await correct(bench, 'call', [
      [a, -60],
      [b, -15],
    ]);
    expectEqual([status, reading.committed], ['adjusted', 0], 'answer');
    await bench.expectFigures(a, 0, 0);
    await bench.expectFigures(b, 25, 0);
    await expectBooks(bench, [a, b], 'after the correction');
    ensure((await bench.reserve('next', [a, 100])).admitted, 'nothing is spent on a');
  }),

  test('case C-56: adds what it cost too little, above the limit where need be', async (bench) => {
    await charged(bench);
    await correct(bench, 'call', [[a, 70]]);
    await bench.expectFigures(a, 130, 0);
    ensure(!(await bench.reserve('next', [a, 0])).admitted, 'a is exhausted');
    await expectBooks(bench, [a, b], 'after the correction');
  }),

  test('writes an entry beside the one that it corrects, which stays as it was', async (bench) => {
    await charged(bench);
    const before = await bench.entries();
    await correct(bench, 'call', [[b, -40]], 'the-id');
    const [entry, ...others] = (await bench.entries()).toReversed();
    expectEqual(others.toReversed(), before, 'entries of before');
    const place = { account: 'b', budget: 'b', unit: 'usd', window: 'total', slot: null };
    const change = {
      type: 'correction',
      reservation: 'call',
      charges: [{ ...place, amount: -40 }],
    };
    expectPart(
      entry,
      {
        kind: 'adjustment',
        id: 'the-id',
        account: 'b',
        budget: 'b',
        change,
        charges: [{ ...place, amount: -40, held: 0 }],
        details: {},
      },
      'entry of the correction',
    );
  }),

  test('takes no counter below 0: the entry says what was applied', async (bench) => {
    await charged(bench);
    await correct(bench, 'call', [
      [a, -61],
      [b, -10],
    ]);
    await bench.expectFigures(a, 0, 0);
    await correct(bench, 'call', [
      [a, -5],
      [b, -100],
    ]);
    await bench.expectFigures(b, 0, 0);
    const applied = (await bench.entries()).map((entry) => entry.charges.map((it) => it.amount));
    expectEqual(applied, [[60, 40], [-60, -10], [-30]], 'amounts of the ledger');
    await expectBooks(bench, [a, b], 'after both');
  }),

  test('leaves open holds alone', async (bench) => {
    await charged(bench);
    await bench.reserve('open', [a, 30]);
    await correct(bench, 'call', [[a, -60]]);
    await bench.expectFigures(a, 0, 30);
    await bench.settle('open', { a: 20 });
    await bench.expectFigures(a, 20, 0);
    await expectBooks(bench, [a], 'after the settlement');
  }),

  test('is found in the ledger by each account that it changed', async (bench) => {
    await charged(bench);
    await correct(
      bench,
      'call',
      [
        [a, -1],
        [b, -1],
      ],
      'the-id',
    );
    for (const query of [{ account: 'a' }, { account: 'b' }, { budget: 'a' }, { budget: 'b' }]) {
      const ids = (await bench.entries(query)).map(({ id }) => id);
      expectEqual(ids, ['call', 'the-id'], `entries for ${JSON.stringify(query)}`);
    }
  }),
];

const windows: ContractTest[] = [
  test('reaches the window that paid, and no other', async (bench) => {
    const account = accountOf('a', { window: bench.clock.fixed });
    await bench.clock.enterWindow(account.rule.window, await bench.at());
    await bench.reserve('call', [account, 60]);
    await bench.settle('call');
    await bench.clock.passWindow(account.rule.window, await bench.at());
    await bench.spend(account, 50);
    await correct(bench, 'call', [[account, -60]], 'the-id');
    await bench.expectFigures(account, 50, 0);
    const entry = (await bench.entries()).find(({ id }) => id === 'the-id');
    expectEqual(entry?.charges, [], 'charges for a window that is over');
    await expectBooks(bench, [account], 'after the correction');
  }),

  test(
    'reaches the slot that paid, until it has left',
    async (bench) => {
      const rolling = accountOf('rolling', { window: { rolling: '1h', resolution: '10m' } });
      await bench.reserve('call', [rolling, 30]);
      await bench.settle('call');
      await bench.clock.pass(1_800_000);
      await bench.spend(rolling, 20);
      await correct(bench, 'call', [[rolling, -40]]);
      await bench.expectFigures(rolling, 20, 0);
      await correct(bench, 'call', [[rolling, 5]]);
      await bench.expectFigures(rolling, 25, 0);
      await bench.clock.pass(2_400_000);
      await correct(bench, 'call', [[rolling, -5]]);
      await bench.expectFigures(rolling, 20, 0);
      await expectBooks(bench, [rolling], 'once the slot has left');
    },
    'driven time',
  ),

  test('leaves out what is nowhere, and does the rest', async (bench) => {
    await charged(bench);
    const place = { budget: 'a', unit: 'tokens', slot: null, amount: -10 } as const;
    const charges: CorrectionCharge[] = [
      { ...place, account: 'nobody', window: 'total' },
      { ...place, account: 'a', window: 'day:1999-01-01T00:00:00Z' },
      { ...place, account: 'a', window: 'total', slot: 60_000 },
      { ...place, account: 'a', window: 'total' },
    ];
    await bench.adjust(a, { type: 'correction', reservation: 'call', charges });
    await bench.expectFigures(a, 50, 0);
    await expectBooks(bench, [a, b], 'after the correction');
  }),
];

const once: ContractTest[] = [
  test('is done once by its id, and ledgered once', async (bench) => {
    await charged(bench);
    await correct(bench, 'call', [[a, -10]], 'the-id');
    await bench.spend(b, 1);
    const again = await correct(bench, 'call', [[a, -10]], 'the-id');
    expectPart(again, { status: 'already-adjusted', reading: { committed: 50 } });
    const adjustments = (await bench.entries()).filter(({ kind }) => kind === 'adjustment');
    expectEqual(adjustments.length, 1, 'adjustments in the ledger');
  }),

  test('twenty at once with one id are one; with twenty ids, twenty', async (bench) => {
    await charged(bench);
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
    await Promise.all(ids.map(() => correct(bench, 'call', [[a, -2]], 'the-id')));
    await bench.expectFigures(a, 58, 0);
    await Promise.all(ids.map((id) => correct(bench, 'call', [[a, -2]], id)));
    await bench.expectFigures(a, 18, 0);
    await expectBooks(bench, [a, b], 'after all of them');
  }),

  test('is the last word on a call that expired: a late settlement changes nothing', async (bench) => {
    await bench.reserveBriefly('late', [a, 60]);
    await bench.expire();
    await bench.at();
    await correct(bench, 'late', [[a, -45]]);
    const answer = await bench.settle('late', { a: 20 });
    expectPart(answer, { status: 'already-resolved', first: 'expired' });
    await bench.expectFigures(a, 15, 0);
    await expectBooks(bench, [a], 'after the late settlement');
  }),

  test('notices the thresholds that it crosses, each once', async (bench) => {
    const warned = accountOf('a', { thresholds: [500_000, 800_000, 1_000_000] });
    await bench.reserve('call', [warned, 60]);
    await bench.settle('call');
    await correct(bench, 'call', [[warned, 40]]);
    expectEqual(bench.crossed(), ['a 0.5', 'a 0.8', 'a 1'], 'thresholds');
    await correct(bench, 'call', [[warned, -90]]);
    await correct(bench, 'call', [[warned, 90]]);
    expectEqual(bench.crossed().length, 3, 'thresholds noticed in all');
  }),

  test('case C-22: what is out of range is refused, and changes nothing', async (bench) => {
    await charged(bench);
    const place = {
      account: 'a',
      budget: 'a',
      unit: 'tokens',
      window: 'total',
      slot: null,
    } as const;
    const broken: [string, readonly number[]][] = [
      ['call', [Number.NaN]],
      ['call', [0.5]],
      ['call', [-1, 2 ** 60]],
      ['call', Array.from({ length: 33 }, () => -1)],
      ['', [-1]],
    ];
    for (const [reservation, all] of broken) {
      const charges = all.map((amount) => ({ ...place, amount }));
      const change: Adjustment = { type: 'correction', reservation, charges };
      const what = JSON.stringify([reservation, all]);
      await expectError('INVALID_ARGUMENT', () => bench.adjust(a, change), what);
    }
    await bench.expectFigures(a, 60, 0);
    expectEqual((await bench.entries()).length, 1, 'entries');
  }),
];

const elsewhere: ContractTest[] = [
  test(
    'is seen by every process, and done by one of them',
    async (bench) => {
      const other = await bench.connect();
      await charged(bench);
      await Promise.all([bench, other].map((each) => correct(each, 'call', [[a, -20]], 'the-id')));
      for (const each of [bench, other]) await each.expectFigures(a, 40, 0);
      ensure((await other.reserve('next', [a, 60])).admitted, 'room of 60');
      await expectBooks(bench, [a, b], 'after the correction');
    },
    'shared',
  ),

  test(
    'is there after a restart, and is the last word still',
    async (bench) => {
      await bench.reserveBriefly('late', [a, 60]);
      await bench.expire();
      await bench.at();
      await correct(bench, 'late', [[a, -45]], 'the-id');
      await bench.reopen();
      expectPart(await correct(bench, 'late', [[a, -45]], 'the-id'), {
        status: 'already-adjusted',
      });
      expectPart(await bench.settle('late', { a: 20 }), { status: 'already-resolved' });
      await bench.expectFigures(a, 15, 0);
      await expectBooks(bench, [a], 'after the restart');
    },
    'durable',
  ),
];

export const corrections: ContractGroup = {
  title: '10. a correction changes what a call was charged, and no entry',
  tests: [...amounts, ...windows, ...once, ...elsewhere],
};
