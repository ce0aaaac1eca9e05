import { accountOf, withTerms } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';
import { expectLimit, expectRoom, nextWindow, saving } from '../saving-account.ts';

const amounts: ContractTest[] = [
  test('case C-44: 60 of 100 are spent, so 140 are there, shown with the 40', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 60);
    await expectLimit(bench, account, 100, 0, 'the first window');
    await nextWindow(bench, account);
    await expectLimit(bench, account, 140, 40, 'the next window');
    const refusals = refusalsIn(await bench.reserve('r1', [account, 141]));
    expectPart(refusals, [{ kind: 'too-large', limit: 140, rollover: 40, committed: 0 }]);
    ensure((await bench.reserve('r2', [account, 140])).admitted, '140 are there');
    const others = refusalsIn(await bench.reserve('r3', [account, 0]));
    expectPart(others, [{ kind: 'held', limit: 140, rollover: 40, held: 140 }]);
  }),

  test('case C-44: no more than the cap is rolled over', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 20);
    await nextWindow(bench, account);
    await expectLimit(bench, account, 150, 50, 'the next window');
  }),

  test('of a window that has spent its limit, or more, nothing is left', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 130);
    await nextWindow(bench, account);
    await expectLimit(bench, account, 100, 0, 'the next window');
  }),

  test('what was rolled over is spent last, and is not rolled over again', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 60);
    await nextWindow(bench, account);
    await bench.spend(account, 90);
    await nextWindow(bench, account);
    await expectLimit(bench, account, 110, 10, 'the third window');
  }),

  test('a budget that does not roll over shows none', async (bench) => {
    const account = accountOf('a', { window: bench.clock.fixed });
    await bench.clock.enterWindow(account.rule.window, await bench.at());
    await bench.spend(account, 60);
    await nextWindow(bench, account);
    const reading = await bench.read(account);
    expectEqual([reading.limit, reading.rollover], [100, undefined], 'limit and rollover');
  }),

  test('thresholds are shares of the limit in force', async (bench) => {
    const account = await saving(bench, { thresholds: [500_000, 1_000_000] });
    await bench.spend(account, 20);
    await nextWindow(bench, account);
    await bench.spend(account, 74);
    expectEqual(bench.crossed(), [], 'thresholds at 74 of 150');
    await bench.spend(account, 1);
    expectEqual(bench.crossed(), ['a 0.5'], 'thresholds at 75 of 150');
    await bench.spend(account, 75);
    expectEqual(bench.crossed(), ['a 0.5', 'a 1'], 'thresholds at 150 of 150');
  }),
];

const known: ContractTest[] = [
  test('an account that is new is left nothing', async (bench) => {
    const account = await saving(bench);
    await expectLimit(bench, account, 100, 0, 'before its first call');
    ensure(!(await bench.reserve('r1', [account, 101])).admitted, '100 are there');
    await expectLimit(bench, account, 100, 0, 'after its first call');
  }),

  test(
    'one that was idle for a window is left all of it; for two, it is new',
    async (bench) => {
      const account = await saving(bench);
      await bench.spend(account, 60);
      await nextWindow(bench, account);
      await nextWindow(bench, account);
      await expectLimit(bench, account, 150, 50, 'after a window without a call');
      await nextWindow(bench, account);
      await expectLimit(bench, account, 100, 0, 'after two of them');
      ensure(!(await bench.reserve('r1', [account, 101])).admitted, '100 are there');
    },
    'driven time',
  ),

  test('it is remembered for so long, whatever comes in between', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 60);
    await nextWindow(bench, account);
    for (let other = 0; other < 8; other += 1) await bench.spend(accountOf(`b${other}`), 1);
    await nextWindow(bench, account);
    for (let other = 0; other < 8; other += 1) await bench.spend(accountOf(`c${other}`), 1);
    ensure((await bench.reserve('r1', [account, 150])).admitted, '150 are there');
  }),

  test('a refused call makes a window used, and a look at it does not', async (bench) => {
    const account = await saving(bench);
    await bench.read(account);
    const other = accountOf('other', { limit: 1 });
    await bench.reserve('r1', [account, 1], [other, 2]);
    await nextWindow(bench, account);
    await expectLimit(bench, account, 100, 0, 'after a look, and a call that another refused');
    await bench.reserve('r2', [account, 101]);
    await nextWindow(bench, account);
    await expectLimit(bench, account, 150, 50, 'after a call that it refused');
  }),
];

const late: ContractTest[] = [
  test('an open call counts as spent; what it did not cost is there once it ends', async (bench) => {
    const account = await saving(bench, { rollover: 100 });
    await bench.reserve('settled', [account, 50]);
    await bench.reserve('released', [account, 40]);
    await nextWindow(bench, account);
    await bench.spend(account, 5);
    await expectLimit(bench, account, 110, 10, 'with 90 held');
    await expectRoom(bench, account, 105);
    await bench.settle('settled', { a: 20 });
    await expectLimit(bench, account, 140, 40, 'with 20 spent and 40 held');
    await expectRoom(bench, account, 135);
    await bench.release('released');
    await expectLimit(bench, account, 180, 80, 'with 20 spent');
    await expectRoom(bench, account, 175);
    expectEqual((await bench.sink.verify()).differences, [], 'differences');
  }),

  test(
    'a late settlement changes what was left',
    async (bench) => {
      const account = await saving(bench, { rollover: 100 });
      await bench.reserveBriefly('late', [account, 60]);
      await nextWindow(bench, account);
      await bench.spend(account, 5);
      await bench.expire();
      await expectLimit(bench, account, 140, 40, 'once it has expired');
      await expectRoom(bench, account, 135);
      await bench.settle('late', { a: 30 });
      await expectLimit(bench, account, 170, 70, 'after the late settlement');
      await expectRoom(bench, account, 165);
    },
    'driven time',
  ),

  test('an open call of the window before may not grow into what was used since', async (bench) => {
    const account = await saving(bench);
    await bench.reserve('open', [account, 60]);
    await nextWindow(bench, account);
    await bench.spend(account, 130);
    expectPart(refusalsIn(await bench.extend('open', [account, 71])), [{ limit: 70, held: 0 }]);
    expectPart(await bench.extend('open', [account, 70]), { status: 'extended' });
    await expectLimit(bench, account, 130, 30, 'the limit then');
    expectPart(await bench.extend('open', [account, 40]), { status: 'extended' });
    await expectLimit(bench, account, 150, 50, 'the limit once it has shrunk');
    await expectRoom(bench, account, 20);
  }),

  test('nor when that is over, too, whatever was asked just before', async (bench) => {
    const account = await saving(bench, { rollover: 100 });
    await bench.reserve('open', [account, 10]);
    await nextWindow(bench, account);
    await bench.spend(account, 190);
    await nextWindow(bench, account);
    // At the same time, so that a sink may take both in one step.
    const asked = bench.reserve('other', [account, 1]);
    const extended = bench.extend('open', [account, 11]);
    expectPart([await asked, await extended], [{ admitted: true }, { status: 'refused' }]);
    expectPart(refusalsIn(await bench.extend('open', [account, 11])), [{ limit: 10, held: 0 }]);
    await expectLimit(bench, account, 100, 0, 'the third window');
  }),

  test('what that has used of top-ups is not taken from it', async (bench) => {
    const account = await saving(bench);
    await bench.adjust(account, { type: 'top-up', amount: 20 });
    await bench.reserve('open', [account, 60]);
    await nextWindow(bench, account);
    await bench.adjust(account, { type: 'top-up', amount: 30 });
    await bench.spend(account, 130);
    expectPart(refusalsIn(await bench.extend('open', [account, 121])), [{ limit: 120 }]);
    await bench.spend(account, 10);
    expectPart(refusalsIn(await bench.extend('open', [account, 91])), [{ limit: 90 }]);
  }),

  test('nor into what was rolled over into its own', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 60);
    await nextWindow(bench, account);
    await bench.reserve('open', [account, 120]);
    expectPart(await bench.extend('open', [account, 130]), { status: 'extended' });
    await nextWindow(bench, account);
    const refusals = refusalsIn(await bench.extend('open', [account, 131]));
    expectPart(refusals, [{ limit: 100, rollover: 0, committed: 0, requested: 131 }]);
    await expectLimit(bench, account, 100, 0, 'the third window');
  }),

  test('a settlement above its hold is an overshoot where the next window has used the rest', async (bench) => {
    const account = await saving(bench);
    await bench.reserve('open', [account, 60]);
    await nextWindow(bench, account);
    await bench.spend(account, 130);
    const overshoot = [{ account: 'a', amount: 5 }];
    expectPart(await bench.settle('open', { a: 75 }), { status: 'settled', overshoot });
  }),
];

const changes: ContractTest[] = [
  test('a top-up stays in its window, and a raise goes on top', async (bench) => {
    const account = await saving(bench);
    await bench.adjust(account, { type: 'top-up', amount: 30 });
    await bench.spend(account, 80);
    await nextWindow(bench, account);
    await expectLimit(bench, account, 120, 20, 'with a top-up in the window before');
    const { reading } = await bench.adjust(account, { type: 'top-up', amount: 5 });
    expectPart(reading, { limit: 125, rollover: 20 }, 'with one in this');
    await bench.adjust(account, { type: 'limit-add', amount: 7, until: null });
    await expectLimit(bench, account, 132, 20, 'with a raise');
  }),

  test('a limit set by hand is the measure of both windows', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 60);
    await nextWindow(bench, account);
    await bench.adjust(account, { type: 'limit', limit: 70, until: null });
    await expectLimit(bench, account, 80, 10, 'with a lower limit');
    await bench.adjust(account, { type: 'limit', limit: null, until: null });
    expectPart(await bench.read(account), { limit: null, rollover: 0 }, 'without a limit');
  }),

  test('so is one of the configuration, and a cap acts at once', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 60);
    await nextWindow(bench, account);
    await bench.spend(account, 10);
    await expectLimit(bench, withTerms(account, { limit: 80 }), 100, 20, 'with a lower limit');
    const capped = withTerms(account, { rollover: 15 });
    await expectLimit(bench, capped, 115, 15, 'with a lower cap');
    ensure(!(await bench.reserve('r1', [capped, 106])).admitted, '105 are left');
    ensure((await bench.reserve('r2', [account, 130])).admitted, '130 are left');
  }),

  test('what a reset has given back is left to the next window', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 90);
    await bench.adjust(account, { type: 'reset' });
    await nextWindow(bench, account);
    await expectLimit(bench, account, 150, 50, 'the next window');
  }),

  test(
    'a wrong counter of the window before is found, and restored with what it leaves',
    async (bench) => {
      const account = await saving(bench);
      await bench.spend(account, 60);
      await bench.tamper(account, 10);
      await nextWindow(bench, account);
      await bench.spend(account, 5);
      const { differences } = await bench.sink.verify();
      expectPart(differences, [{ account: 'a', field: 'committed' }], 'differences');
      await bench.sink.rebuild();
      await expectLimit(bench, account, 140, 40, 'after the rebuild');
      await expectRoom(bench, account, 135);
    },
    'tampers',
  ),

  test('the window before is proved with the current one', async (bench) => {
    const account = await saving(bench);
    await bench.spend(account, 60);
    await bench.reserve('open', [account, 10]);
    await nextWindow(bench, account);
    await bench.spend(account, 5);
    for (const report of [await bench.sink.verify(), await bench.sink.rebuild()]) {
      expectEqual(report.differences, [], 'differences');
    }
    await expectLimit(bench, account, 130, 30, 'after a rebuild');
  }),
];

export const rollover: ContractGroup = {
  title: '13. what a window leaves of its limit is rolled over where the rule says so',
  tests: [...amounts, ...known, ...late, ...changes],
};
