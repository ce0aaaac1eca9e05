import { accountOf, claimsOf } from '../accounts.ts';
import { ensure, expectEqual, expectError, expectPart } from '../check.ts';
import { refusalsIn, TTL } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';

const a = accountOf('a');
const b = accountOf('b');

/** As documented with the protocol. */
const MAX_CLAIMS = 32;
const MAX_ID_LENGTH = 64;
const MAX_SWEPT = 64;
const MAX_AMOUNT = 9e15;

const NO_AMOUNTS: readonly number[] = [
  -1,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  MAX_AMOUNT + 1,
];

const requests: ContractTest[] = [
  test('case C-21: what is no amount is refused before anything is held', async (bench) => {
    await bench.reserve('open', [a, 10]);
    for (const amount of NO_AMOUNTS) {
      const what = `an amount of ${amount}`;
      await expectError('INVALID_ARGUMENT', () => bench.reserve('r1', [b, 1], [a, amount]), what);
      await expectError('INVALID_ARGUMENT', () => bench.extend('open', [a, amount]), what);
      await expectError('INVALID_ARGUMENT', () => bench.settle('open', { a: amount }), what);
    }
    await bench.expectFigures(a, 0, 10);
    await bench.expectFigures(b, 0, 0);
    expectPart(await bench.settle('open', { a: 3 }), { status: 'settled' });
  }),

  test('an id has 1 to 64 characters, whatever they are', async (bench) => {
    for (const id of ['', 'x'.repeat(MAX_ID_LENGTH + 1)]) {
      await expectError('INVALID_ARGUMENT', () => bench.reserve(id, [a, 1]), `the id "${id}"`);
      const topUp = () =>
        bench.sink.adjust({
          id,
          account: a,
          change: { type: 'top-up', amount: 1 },
          details: {},
        });
      await expectError('INVALID_ARGUMENT', topUp, `an adjustment with the id "${id}"`);
    }
    const longest = `${'é'.repeat(MAX_ID_LENGTH - 1)}:`;
    await bench.reserve(longest, [a, 7]);
    expectPart(await bench.settle(longest), { status: 'settled' });
    await bench.expectFigures(a, 7, 0);
  }),

  test('a call binds at most 32 accounts, and each once', async (bench) => {
    const accounts = Array.from({ length: MAX_CLAIMS + 1 }, (_, index) => accountOf(`a${index}`));
    const claims = accounts.map((account) => [account, 1] as const);
    await expectError('INVALID_ARGUMENT', () => bench.reserve('r1', ...claims), '33 accounts');
    await bench.expectFigures(accounts[0] ?? a, 0, 0);
    expectPart(await bench.reserve('r1', ...claims.slice(1)), { admitted: true });
    const settled = await bench.settle('r1');
    ensure(
      'charged' in settled && settled.charged.length === MAX_CLAIMS,
      '32 accounts are charged',
    );
    const twice = () => bench.reserve('r2', [a, 1], [b, 1], [a, 1]);
    await expectError('INVALID_ARGUMENT', twice, 'one account twice');
  }),

  test('a time to live is a whole number of ms from 1', async (bench) => {
    const claims = claimsOf([[a, 1]]);
    await bench.reserve('open', [a, 1]);
    for (const ttlMs of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const reserve = () => bench.sink.reserve({ id: 'r1', claims, ttlMs });
      await expectError('INVALID_ARGUMENT', reserve, `reserve for ${ttlMs} ms`);
      const extend = () => bench.sink.extend({ id: 'open', claims, ttlMs });
      await expectError('INVALID_ARGUMENT', extend, `extend by ${ttlMs} ms`);
    }
    await bench.expectFigures(a, 0, 1);
  }),
];

const figures: ContractTest[] = [
  test('case C-66: amounts up to 9e15 are exact to the unit', async (bench) => {
    const vast = accountOf('vast', { limit: MAX_AMOUNT });
    await bench.reserve('r1', [vast, 4_500_000_000_000_001]);
    await bench.reserve('r2', [vast, 4_499_999_999_999_998]);
    const held = MAX_AMOUNT - 1;
    expectPart(refusalsIn(await bench.reserve('r3', [vast, 2])), [{ held, limit: MAX_AMOUNT }]);
    await bench.settle('r1');
    await bench.settle('r2');
    await bench.expectFigures(vast, held, 0);
    expectPart(await bench.reserve('r3', [vast, 1]), { admitted: true });
    const charges = (await bench.entries()).map((entry) => entry.charges[0]?.amount);
    expectEqual(charges, [4_500_000_000_000_001, 4_499_999_999_999_998], 'amounts of the ledger');
    expectEqual((await bench.sink.verify()).differences, [], 'differences');
  }),

  test('case C-65: a thousand small charges add up to the unit', async (bench) => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
    const account = accountOf('a', { limit: 1_001 });
    for (const id of ids) {
      await bench.reserve(id, [account, 1]);
      await bench.settle(id);
    }
    await bench.expectFigures(account, 1_000, 0);
    ensure((await bench.reserve('last', [account, 1])).admitted, 'one is left');
    ensure(!(await bench.reserve('one-more', [account, 1])).admitted, 'none is left');
  }),
];

const sweeps: ContractTest[] = [
  test('no call sweeps more than 64 expired holds; all are swept, and told once', async (bench) => {
    const open = accountOf('open', { limit: null });
    const ids = Array.from({ length: 150 }, (_, index) => `r${index}`);
    await Promise.all(ids.map((id) => bench.reserveBriefly(id, [open, 1])));
    await bench.expire();
    for (let call = 0; call < ids.length; call += 1) {
      const { notices } = await bench.release('any');
      ensure(notices.length <= MAX_SWEPT, `one call swept ${notices.length} holds`);
      if (notices.length === 0) break;
    }
    await bench.expectFigures(open, 150, 0);
    const told = bench.notices.map((notice) => ('id' in notice ? notice.id : notice.type));
    expectEqual(told.toSorted(), ids.toSorted(), 'the expiries that were told');
  }),

  test(
    'until they are swept they are held, so that nothing is admitted on their account',
    async (bench) => {
      const lenient = accountOf('lenient', { onExpiry: 'release' });
      for (let index = 0; index < 100; index += 1) {
        await bench.sink.reserve({
          id: `r${index}`,
          claims: claimsOf([[lenient, 1]]),
          ttlMs: TTL,
        });
      }
      await bench.clock.pass(TTL);
      const [refusal] = refusalsIn(await bench.reserve('big', [lenient, 100]));
      ensure(refusal !== undefined, 'a hundred cannot be swept in one call');
      expectPart(refusal, { kind: 'held', committed: 0 });
      ensure(refusal.held >= 100 - MAX_SWEPT, 'what was not swept is held');
      ensure(
        (await bench.reserve('big', [lenient, 100])).admitted,
        'the next call sweeps the rest',
      );
    },
    'driven time',
  ),
];

export const bounds: ContractGroup = {
  title: '11. everything is bounded',
  tests: [...requests, ...figures, ...sweeps],
};
