import type { Adjustment } from '@hardcap/core';
import { accountOf, withTerms } from '../accounts.ts';
import { ensure, expectEqual, expectError, expectPart } from '../check.ts';
import { refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';

const a = accountOf('a');
/** The largest amount there is. */
const LARGEST = 9e15;

const changed: ContractTest[] = [
  test('a limit that came with a call acts at once, and keeps the spend', async (bench) => {
    await bench.spend(a, 60);
    const refusals = refusalsIn(await bench.reserve('r1', [withTerms(a, { limit: 50 }), 1]));
    expectPart(refusals, [{ kind: 'spent', limit: 50, committed: 60 }]);
    ensure(
      (await bench.reserve('r2', [withTerms(a, { limit: 200 }), 140])).admitted,
      'room of 140',
    );
    expectPart(await bench.read(withTerms(a, { limit: 70 })), { limit: 70, committed: 60 });
  }),

  test('so does a block, and its end', async (bench) => {
    await bench.spend(a, 60);
    const blocked = withTerms(a, { blocked: true });
    expectPart(refusalsIn(await bench.reserve('r1', [blocked, 1])), [{ kind: 'blocked' }]);
    expectPart(await bench.reserve('r1', [a, 40]), { admitted: true });
    await bench.expectFigures(a, 60, 40);
  }),

  test('a block of the configuration is not lifted by hand', async (bench) => {
    const closed = accountOf('closed', { blocked: true });
    await bench.adjust(closed, { type: 'unblock' });
    expectPart(refusalsIn(await bench.reserve('r1', [closed, 1])), [{ kind: 'blocked' }]);
  }),
];

const byHand: ContractTest[] = [
  test('case C-93: a top-up lets the next call pass', async (bench) => {
    await bench.spend(a, 100);
    ensure(!(await bench.reserve('r1', [a, 20])).admitted, 'it is spent');
    const reading = { limit: 120, committed: 100, held: 0 };
    const answer = await bench.adjust(a, { type: 'top-up', amount: 20 });
    expectPart(answer, { status: 'adjusted', reading });
    ensure((await bench.reserve('r1', [a, 20])).admitted, 'it was topped up');
    ensure(!(await bench.reserve('r2', [a, 1])).admitted, 'by no more than that');
  }),

  test('top-ups add up, and are for their window alone', async (bench) => {
    const account = accountOf('a', { window: bench.clock.fixed });
    await bench.clock.enterWindow(account.rule.window, await bench.at());
    await bench.adjust(account, { type: 'top-up', amount: 20 });
    await bench.adjust(account, { type: 'top-up', amount: 30 });
    expectEqual((await bench.read(account)).limit, 150, 'limit');
    await bench.clock.passWindow(account.rule.window, await bench.at());
    expectEqual((await bench.read(account)).limit, 100, 'limit in the next window');
  }),

  test('a temporary limit ends by itself', async (bench) => {
    const until = (await bench.at()) + bench.clock.holdMs;
    await bench.adjust(a, { type: 'limit', limit: 10, until });
    expectPart(refusalsIn(await bench.reserve('r1', [a, 11])), [{ kind: 'too-large', limit: 10 }]);
    await bench.expire();
    ensure((await bench.reserve('r1', [a, 100])).admitted, 'the limit is 100 again');
  }),

  test(
    'it is in force to the millisecond, in every window on the way',
    async (bench) => {
      const hourly = accountOf('hourly', { window: { fixed: '1h' } });
      const until = bench.clock.now() + 7_200_000;
      await bench.adjust(hourly, { type: 'limit', limit: 10, until });
      await bench.clock.pass(7_200_000 - 1);
      expectEqual((await bench.read(hourly)).limit, 10, 'limit before its end');
      await bench.clock.pass(1);
      expectEqual((await bench.read(hourly)).limit, 100, 'limit at its end');
    },
    'driven time',
  ),

  test('without a time it is for good; null lifts the limit, 0 refuses everything', async (bench) => {
    await bench.spend(a, 50);
    await bench.adjust(a, { type: 'limit', limit: 40, until: null });
    expectPart(refusalsIn(await bench.reserve('r1', [a, 0])), [{ kind: 'spent', limit: 40 }]);
    await bench.adjust(a, { type: 'limit', limit: null, until: null });
    ensure((await bench.reserve('r1', [a, 1e6])).admitted, 'there is no limit');
    expectEqual((await bench.read(a)).limit, null, 'limit');
    await bench.adjust(a, { type: 'limit', limit: 0, until: null });
    expectPart(refusalsIn(await bench.reserve('r2', [a, 0])), [{ kind: 'spent', limit: 0 }]);
  }),

  test('a raise goes on top of what was set, and a later one takes its place', async (bench) => {
    const until = (await bench.at()) + bench.clock.holdMs;
    for (const limit of [500, 200]) await bench.adjust(a, { type: 'limit', limit, until: null });
    await bench.adjust(a, { type: 'limit-add', amount: 70, until: null });
    await bench.adjust(a, { type: 'limit-add', amount: 50, until });
    await bench.adjust(a, { type: 'top-up', amount: 5 });
    expectEqual((await bench.read(a)).limit, 255, 'limit');
    await bench.expire();
    expectEqual((await bench.read(a)).limit, 205, 'limit once the raise is over');
  }),

  test('a block refuses everything until it is lifted, and says that this is why', async (bench) => {
    await bench.adjust(a, { type: 'block' });
    expectEqual((await bench.read(a)).blocked, true, 'blocked');
    const refusals = refusalsIn(await bench.reserve('r1', [a, 0]));
    expectPart(refusals, [{ kind: 'blocked', retryAfterMs: null }]);
    await bench.adjust(a, { type: 'unblock' });
    ensure((await bench.reserve('r1', [a, 100])).admitted, 'the block was lifted');
  }),

  test('a block lets open calls stay alive and settle, and grow no more', async (bench) => {
    await bench.reserve('r1', [a, 10]);
    await bench.adjust(a, { type: 'block' });
    expectPart(await bench.extend('r1', [a, 10]), { status: 'extended' });
    expectPart(refusalsIn(await bench.extend('r1', [a, 11])), [{ kind: 'blocked' }]);
    expectPart(await bench.settle('r1', { a: 5 }), { status: 'settled' });
  }),

  test('an adjustment is of its account alone', async (bench) => {
    const [ann, bob] = [
      { ...a, key: 'a|user=ann' },
      { ...a, key: 'a|user=bob' },
    ];
    await bench.adjust(ann, { type: 'block' });
    await bench.adjust(ann, { type: 'top-up', amount: 5 });
    expectPart(await bench.read(bob), { blocked: false, limit: 100 }, 'reading of bob');
  }),
];

const EVERY: readonly Adjustment[] = [
  { type: 'top-up', amount: 20 },
  { type: 'limit', limit: 300, until: null },
  { type: 'limit-add', amount: 50, until: null },
  { type: 'block' },
  { type: 'unblock' },
  { type: 'reset' },
];

const BROKEN: readonly Adjustment[] = [
  { type: 'top-up', amount: -1 },
  { type: 'top-up', amount: Number.NaN },
  { type: 'limit', limit: -1, until: null },
  { type: 'limit', limit: 0.5, until: null },
  { type: 'limit', limit: 1, until: Number.NaN },
  { type: 'limit-add', amount: Number.POSITIVE_INFINITY, until: null },
];

const identity: ContractTest[] = [
  ...EVERY.map((change) =>
    test(`${change.type} is done once by its id, and ledgered once`, async (bench) => {
      await bench.spend(a, 60);
      const { status, reading } = await bench.adjust(a, change, 'the-id');
      expectEqual(status, 'adjusted', 'status');
      await bench.spend(accountOf('b'), 1);
      const again = await bench.adjust(a, change, 'the-id');
      expectPart(again, { status: 'already-adjusted', reading });
      const charges = change.type === 'reset' ? [{ account: 'a', amount: -60, held: 0 }] : [];
      const entry = {
        kind: 'adjustment',
        id: 'the-id',
        account: 'a',
        budget: 'a',
        change,
        charges,
      };
      const entries = (await bench.entries()).filter(({ kind }) => kind === 'adjustment');
      expectPart(entries, [{ ...entry, details: {} }], 'the ledger');
    }),
  ),

  test('twenty at once with one id are one', async (bench) => {
    const topUp = { type: 'top-up', amount: 10 } as const;
    await Promise.all(Array.from({ length: 20 }, () => bench.adjust(a, topUp, 'the-id')));
    expectEqual((await bench.read(a)).limit, 110, 'limit');
  }),

  test('an id of a reservation is no id of an adjustment', async (bench) => {
    await bench.reserve('same', [a, 10]);
    const answer = await bench.adjust(a, { type: 'top-up', amount: 10 }, 'same');
    expectPart(answer, { status: 'adjusted' });
    expectPart(await bench.settle('same'), { status: 'settled' });
    expectEqual((await bench.entries()).length, 2, 'entries');
  }),

  test('case C-22: what is out of range is refused, and changes nothing', async (bench) => {
    for (const change of BROKEN) {
      const what = JSON.stringify(change);
      await expectError('INVALID_ARGUMENT', () => bench.adjust(a, change), what);
    }
    expectEqual((await bench.read(a)).limit, 100, 'limit');
    expectEqual(await bench.entries(), [], 'the ledger');
  }),

  test('top-ups of a window come to no more than the largest amount', async (bench) => {
    const topUp = (amount: number) => ({ type: 'top-up', amount }) as const;
    await bench.adjust(a, topUp(LARGEST - 1), 'nearly-all');
    await expectError('INVALID_ARGUMENT', () => bench.adjust(a, topUp(2)), 'beyond it');
    await expectError('INVALID_ARGUMENT', () => bench.adjust(a, topUp(LARGEST)), 'far beyond it');
    const again = await bench.adjust(a, topUp(LARGEST - 1), 'nearly-all');
    expectPart(again, { status: 'already-adjusted' });
    await bench.adjust(a, topUp(1), 'the-rest');
    expectEqual((await bench.read(a)).limit, LARGEST + 100, 'limit');
    expectEqual((await bench.entries()).length, 2, 'entries');
  }),
];

export const limits: ContractGroup = {
  title: '10. limits come with each reservation; adjustments are ledgered and seen at once',
  tests: [...changed, ...byHand, ...identity],
};
