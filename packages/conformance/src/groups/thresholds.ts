import { accountOf } from '../accounts.ts';
import { ensure, expectEqual, expectError } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';

const WARN = { thresholds: [500_000, 800_000, 1_000_000] };
const a = accountOf('a', WARN);
const ALL = ['a 0.5', 'a 0.8', 'a 1'];

/** Spends the amounts one after another; what each of them crossed. */
async function crossings(
  bench: ContractBench,
  amounts: readonly number[],
  account = a,
): Promise<string[][]> {
  const crossed: string[][] = [];
  for (const amount of amounts) {
    const before = bench.crossed().length;
    await bench.spend(account, amount);
    crossed.push(bench.crossed().slice(before));
  }
  return crossed;
}

const once: ContractTest[] = [
  test('case C-99: each is noticed once, when settled spend reaches it', async (bench) => {
    const crossed = await crossings(bench, [49, 1, 29, 1, 19, 1]);
    expectEqual(crossed, [[], ['a 0.5'], [], ['a 0.8'], [], ['a 1']], 'crossed');
  }),

  test('one charge from 10 % to 120 % notices all that it jumps, in order', async (bench) => {
    expectEqual(await crossings(bench, [10, 110]), [[], ALL], 'crossed');
    await bench.expectFigures(a, 120, 0);
  }),

  test('case C-97: of a hundred calls that end at once, one crosses each', async (bench) => {
    const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
    await Promise.all(ids.map((id) => bench.reserve(id, [a, 1])));
    await Promise.all(ids.map((id) => bench.settle(id)));
    expectEqual(bench.crossed().toSorted(), ALL, 'crossed');
    const committed = bench.notices.map((notice) => 'committed' in notice && notice.committed);
    expectEqual(committed.toSorted(), [100, 50, 80], 'settled spend of the notices');
  }),

  test('a hundred charges at once that would each cross are one crossing', async (bench) => {
    await bench.spend(a, 79);
    const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
    const before = bench.crossed().length;
    await Promise.all(ids.map((id) => bench.reserve(id, [a, 0])));
    await Promise.all(ids.map((id) => bench.settle(id, { a: 2 })));
    expectEqual(bench.crossed().slice(before).toSorted(), ['a 0.8', 'a 1'], 'crossed');
  }),

  test('a notice says what was reached, where and when', async (bench) => {
    await bench.reserve('r1', [a, 60]);
    const { notices, at } = await bench.settle('r1');
    const names = { account: 'a', budget: 'a', unit: 'tokens' };
    const figures = { threshold: 0.5, committed: 60, limit: 100 };
    const window = { id: 'total', startsAt: null, endsAt: null };
    expectEqual(notices, [{ type: 'threshold-crossed', ...names, ...figures, window, at }]);
  }),

  test('settled spend counts, not holds', async (bench) => {
    await bench.reserve('r1', [a, 100]);
    await bench.settle('r1', { a: 10 });
    expectEqual(bench.crossed(), [], 'crossed');
  }),

  test('a repeated settlement crosses nothing again', async (bench) => {
    await bench.reserve('r1', [a, 100]);
    await bench.settle('r1');
    await bench.settle('r1');
    await bench.reserve('r2', [a, 0]);
    expectEqual(bench.crossed(), ALL, 'crossed');
  }),

  test('accounts of one budget cross their own, and all accounts of a call', async (bench) => {
    const [ann, bob] = [
      { ...a, key: 'a|user=ann' },
      { ...a, key: 'a|user=bob' },
    ];
    await bench.reserve('r1', [ann, 50], [bob, 80]);
    const { notices } = await bench.settle('r1');
    const crossed = notices.map((notice) =>
      notice.type === 'threshold-crossed' ? [notice.account, notice.threshold] : notice.type,
    );
    expectEqual(
      crossed,
      [
        [ann.key, 0.5],
        [bob.key, 0.5],
        [bob.key, 0.8],
      ],
      'crossed',
    );
  }),
];

const expiries: ContractTest[] = [
  test('an expired hold crosses, too, and tells whoever calls next', async (bench) => {
    await bench.reserveBriefly('r1', [a, 90]);
    await bench.expire();
    await bench.reserve('r2', [a, 1]);
    expectEqual(bench.crossed(), ['a 0.5', 'a 0.8'], 'crossed');
    await bench.reserve('r3', [a, 1]);
    expectEqual(bench.crossed(), ['a 0.5', 'a 0.8'], 'crossed');
  }),

  test('a late settlement crosses what the expiry did not', async (bench) => {
    await bench.reserveBriefly('r1', [a, 60]);
    await bench.expire();
    await bench.settle('r1', { a: 85 });
    expectEqual(bench.crossed(), ['a 0.5', 'a 0.8'], 'crossed');
  }),

  test('one that somebody came upon who cannot be told is told to the next who can', async (bench) => {
    await bench.reserveBriefly('r1', [a, 90]);
    await bench.expire();
    await bench.read(a);
    await bench.entries();
    await bench.sink.verify();
    await expectError('RESERVATION_MISMATCH', () => bench.reserve('r1', [a, 90]));
    await bench.release('any');
    expectEqual(bench.crossed(), ['a 0.5', 'a 0.8'], 'crossed');
    const expired = bench.notices.filter(({ type }) => type === 'reservation-expired');
    expectEqual(expired.length, 1, 'expiries told');
  }),
];

const limits: ContractTest[] = [
  test('not again in the window after a reset or a raised limit', async (bench) => {
    await bench.spend(a, 60);
    await bench.adjust(a, { type: 'reset' });
    expectEqual(await crossings(bench, [60]), [[]], 'crossed after the reset');
    await bench.adjust(a, { type: 'top-up', amount: 100 });
    expectEqual(await crossings(bench, [100]), [['a 0.8']], 'crossed after the top-up');
  }),

  test('they are shares of the limit in force', async (bench) => {
    await bench.adjust(a, { type: 'limit', limit: 1_000, until: null });
    expectEqual(await crossings(bench, [499, 1]), [[], ['a 0.5']], 'crossed');
    const open = accountOf('open', { ...WARN, limit: null });
    expectEqual(await crossings(bench, [1e6], open), [[]], 'crossed without a limit');
  }),

  test('they round up where a share is no whole number', async (bench) => {
    const odd = accountOf('odd', { limit: 3, thresholds: [500_000, 1_000_000] });
    const crossed = await crossings(bench, [1, 1, 1], odd);
    expectEqual(crossed, [[], ['odd 0.5'], ['odd 1']], 'crossed');
    const vast = accountOf('vast', { limit: 9e15, thresholds: [333_333, 1_000_000] });
    const third = 2_999_997_000_000_000;
    const ofVast = await crossings(bench, [third - 1, 1], vast);
    expectEqual(ofVast, [[], ['vast 0.333333']], 'crossed');
  }),
];

const windowed: ContractTest[] = [
  test('once in each window', async (bench) => {
    const account = accountOf('a', { ...WARN, window: bench.clock.fixed });
    for (let window = 0; window < 2; window += 1) {
      await bench.clock.enterWindow(account.rule.window, await bench.at());
      expectEqual(await crossings(bench, [60, 10], account), [['a 0.5'], []], 'crossed');
      if (window === 0) await bench.clock.passWindow(account.rule.window, await bench.at());
    }
  }),

  test(
    'of a rolling window again, once spend has fallen below them',
    async (bench) => {
      const account = accountOf('a', { ...WARN, window: { rolling: '1h', resolution: '1m' } });
      const crossed = await crossings(bench, [60], account);
      for (const [minutes, amount] of [
        [30, 10],
        [31, 30],
        [0, 10],
      ] as const) {
        await bench.clock.pass(minutes * 60_000);
        crossed.push(...(await crossings(bench, [amount], account)));
      }
      expectEqual(crossed, [['a 0.5'], [], [], ['a 0.5']], 'crossed');
    },
    'driven time',
  ),

  test('of the window that pays, also when it is over', async (bench) => {
    const account = accountOf('a', { ...WARN, window: bench.clock.fixed });
    await bench.clock.enterWindow(account.rule.window, await bench.at());
    const { at } = await bench.reserve('late', [account, 40]);
    await bench.spend(account, 30);
    await bench.clock.passWindow(account.rule.window, at);
    expectEqual(await crossings(bench, [20], account), [[]], 'crossed');
    await bench.settle('late');
    expectEqual(bench.crossed(), ['a 0.5'], 'crossed');
    const last = bench.notices.at(-1);
    ensure(last?.type === 'threshold-crossed', 'the notice is the last');
    expectEqual(last.window, account.rule.window.at(at), 'window of the notice');
  }),
];

export const thresholds: ContractGroup = {
  title: '7. each threshold is noticed once per account and window',
  tests: [...once, ...expiries, ...limits, ...windowed],
};
