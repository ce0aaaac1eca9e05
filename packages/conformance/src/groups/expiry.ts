import { accountOf, claimsOf } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';

const a = accountOf('a');
const lenient = accountOf('lenient', { onExpiry: 'release' });

const CHARGE = { account: 'a', budget: 'a', unit: 'tokens', window: 'total', slot: null };

async function lateSettlement(bench: ContractBench, actual: number): Promise<void> {
  await bench.reserveBriefly('r1', [a, 60]);
  await bench.expire();
  await bench.expectFigures(a, 60, 0);
  expectPart(await bench.settle('r1', { a: actual }), {
    status: 'late',
    charged: [{ ...CHARGE, amount: actual - 60, held: 0 }],
  });
  await bench.expectFigures(a, actual, 0);
  const entries = await bench.entries();
  const correction = { kind: 'correction', id: 'r1:late', reservation: 'r1', outcome: 'known' };
  expectPart(entries, [{ kind: 'expiry' }, { ...correction, charges: [{ amount: actual - 60 }] }]);
  expectEqual((await bench.sink.verify()).differences, [], 'differences');
}

const late: ContractTest[] = [
  ...[20, 60, 90, 0].map((actual) =>
    test(`a late settlement of ${actual} replaces the charge of 60`, (bench) =>
      lateSettlement(bench, actual)),
  ),

  test('a late settlement counts once', async (bench) => {
    await bench.reserveBriefly('r1', [a, 60]);
    await bench.expire();
    await bench.settle('r1', { a: 20 });
    const again = await bench.settle('r1', { a: 50 });
    expectPart(again, { status: 'already-resolved', first: 'settled' });
    await bench.expectFigures(a, 20, 0);
  }),

  test('a late settlement above the limit says by how much', async (bench) => {
    await bench.reserveBriefly('r1', [a, 60]);
    await bench.expire();
    expectPart(await bench.settle('r1', { a: 130 }), { overshoot: [{ account: 'a', amount: 30 }] });
  }),

  test('a late settlement of unknown outcome charges the hold, also where expiry released it', async (bench) => {
    await bench.reserveBriefly('r1', [a, 60], [lenient, 60]);
    await bench.expire();
    expectPart(await bench.settle('r1', {}, 'unknown'), {
      status: 'late',
      charged: [{ amount: 0 }, { amount: 60 }],
    });
    await bench.expectFigures(a, 60, 0);
    await bench.expectFigures(lenient, 60, 0);
  }),

  test('a release comes too late: the charge stays until the call is settled', async (bench) => {
    await bench.reserveBriefly('r1', [a, 60]);
    await bench.expire();
    expectPart(await bench.release('r1'), { status: 'already-resolved', first: 'expired' });
    await bench.expectFigures(a, 60, 0);
    expectPart(await bench.settle('r1', { a: 1 }), { status: 'late' });
    await bench.expectFigures(a, 1, 0);
  }),
];

const inTime: ContractTest[] = [
  test('case C-13, C-23: until its time is over it is held, then charged in full', async (bench) => {
    await bench.reserveBriefly('r1', [a, 60]);
    await bench.expectFigures(a, 0, 60);
    await bench.expire();
    await bench.expectFigures(a, 60, 0);
  }),

  test(
    'to the millisecond',
    async (bench) => {
      await bench.reserveBriefly('r1', [a, 60]);
      await bench.clock.pass(bench.clock.holdMs - 1);
      await bench.expectFigures(a, 0, 60);
      await bench.clock.pass(1);
      await bench.expectFigures(a, 60, 0);
    },
    'driven time',
  ),

  test('it is released where the rule says so', async (bench) => {
    await bench.reserveBriefly('r1', [lenient, 60], [a, 10]);
    await bench.expire();
    await bench.expectFigures(lenient, 0, 0);
    await bench.expectFigures(a, 10, 0);
  }),

  test('whoever calls next is told, once, and the ledger has an entry of its own', async (bench) => {
    await bench.reserveBriefly('r1', [a, 60]);
    await bench.expire();
    const { notices, at } = await bench.reserve('r2', [a, 1]);
    const charged = [{ ...CHARGE, amount: 60, held: 60 }];
    expectEqual(notices, [{ type: 'reservation-expired', id: 'r1', charged, at }], 'notices');
    expectEqual((await bench.reserve('r3', [a, 1])).notices, [], 'notices of the next call');
    const entry = { kind: 'expiry', id: 'r1:expiry', reservation: 'r1', at };
    expectEqual(await bench.entries(), [{ ...entry, charges: charged, details: {} }], 'ledger');
  }),

  test(
    'the details that came with the reservation are in its entry',
    async (bench) => {
      const details = () => ({ model: 'small', tags: ['x'], attempt: 2 });
      const ttlMs = bench.clock.holdMs;
      await bench.sink.reserve({ id: 'r1', claims: claimsOf([[a, 60]]), ttlMs, details });
      await bench.expire();
      await bench.release('any');
      expectPart(await bench.entries(), [{ kind: 'expiry', details: details() }], 'the ledger');
    },
    'keeps details',
  ),

  test('it makes room in the very call that finds it', async (bench) => {
    await bench.reserveBriefly('r1', [lenient, 100]);
    await bench.expire();
    expectPart(await bench.reserve('r2', [lenient, 100]), { admitted: true });
  }),

  test('each extension gives it a new life, and is what expiry charges', async (bench) => {
    const half = bench.clock.holdMs / 2;
    await bench.reserveBriefly('r1', [a, 10]);
    for (const amount of [20, 30, 40]) {
      await bench.clock.pass(half);
      const answer = await bench.extendBriefly('r1', [a, amount]);
      const expiresAt = answer.at + bench.clock.holdMs;
      expectPart(answer, { status: 'extended', expiresAt });
    }
    await bench.expire();
    const tooLate = await bench.extend('r1', [a, 60]);
    expectPart(tooLate, { status: 'already-resolved', first: 'expired' });
    await bench.expectFigures(a, 40, 0);
  }),

  test('holds of different lives expire in their own time', async (bench) => {
    const claims = claimsOf([[a, 10]]);
    const [short, long] = [bench.clock.holdMs, bench.clock.holdMs * 2];
    await bench.sink.reserve({ id: 'long', claims, ttlMs: long });
    await bench.sink.reserve({ id: 'short', claims, ttlMs: short });
    await bench.expectFigures(a, 0, 20);
    await bench.clock.pass(short);
    await bench.expectFigures(a, 10, 10);
    await bench.clock.pass(short);
    await bench.expectFigures(a, 20, 0);
  }),

  test('a short life after a long one, set by an extension', async (bench) => {
    await bench.reserve('r1', [a, 10]);
    const answer = await bench.extendBriefly('r1', [a, 10]);
    ensure(answer.status === 'extended', 'an open hold can be extended');
    await bench.expire();
    await bench.expectFigures(a, 10, 0);
  }),
];

export const expiry: ContractGroup = {
  title: '5. a hold that nobody settles is charged, until a late settlement replaces that',
  tests: [...inTime, ...late],
};
