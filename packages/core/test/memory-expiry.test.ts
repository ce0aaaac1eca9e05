import { describe, expect, test } from 'vitest';
import type { SinkEntry } from '../src/index.ts';
import { HOUR } from './support/clock.ts';
import { collect } from './support/guard.ts';
import { accountOf, claimsOf, refusalsIn, SinkBench, TTL } from './support/sink.ts';

const a = accountOf('a');
const lenient = accountOf('lenient', { onExpiry: 'release' });

async function entriesOf(bench: SinkBench): Promise<SinkEntry[]> {
  return collect(bench.sink.entries());
}

describe('case C-13, C-23: a hold that nobody settles', () => {
  test('is held until its time is over, then charged in full', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    bench.clock.advance(TTL - 1);
    expect(bench.figures(a)).toEqual([0, 60]);
    bench.clock.advance(1);
    expect(bench.figures(a)).toEqual([60, 0]);
  });

  test('is released where the rule says so', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [lenient, 60], [a, 10]);
    bench.clock.advance(TTL);
    expect([bench.figures(lenient), bench.figures(a)]).toEqual([
      [0, 0],
      [10, 0],
    ]);
  });

  test('is told to whoever calls next, once, with an entry of its own', async () => {
    const bench = new SinkBench();
    const details = () => ({ model: 'small' });
    bench.sink.reserve({ id: 'r1', claims: claimsOf([[a, 60]]), ttlMs: TTL, details });
    bench.clock.advance(TTL);
    const at = bench.clock.now();
    const charged = [
      {
        account: 'a',
        budget: 'a',
        unit: 'tokens',
        window: 'total',
        slot: null,
        amount: 60,
        held: 60,
      },
    ];
    const expired = { type: 'reservation-expired', id: 'r1', charged, at };
    expect(bench.reserve('r2', [a, 1]).notices).toEqual([expired]);
    expect(bench.reserve('r3', [a, 1]).notices).toEqual([]);
    expect(await entriesOf(bench)).toEqual([
      {
        kind: 'expiry',
        id: 'r1:expiry',
        reservation: 'r1',
        at,
        charges: charged,
        details: { model: 'small' },
      },
    ]);
  });

  test('makes room in the very call that finds it', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [lenient, 100]);
    bench.clock.advance(TTL);
    expect(bench.reserve('r2', [lenient, 100]).admitted).toBe(true);
  });

  test('lives on from each extension', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    for (let beat = 0; beat < 10; beat += 1) {
      bench.clock.advance(TTL - 1);
      expect(bench.extend('r1', [a, 60])).toMatchObject({ status: 'extended' });
    }
    bench.clock.advance(TTL);
    expect(bench.extend('r1', [a, 60])).toMatchObject({
      status: 'already-resolved',
      first: 'expired',
    });
  });

  const lifetimes = [1_000, 2_000, 3_000];
  const orders = lifetimes.flatMap((first) =>
    lifetimes
      .filter((other) => other !== first)
      .map((second) => [first, second, 6_000 - first - second]),
  );
  test.each(orders)('holds that live %i, %i and %i ms expire in their own time', (...order) => {
    const bench = new SinkBench();
    for (const ttlMs of order) {
      bench.sink.reserve({ id: `r${ttlMs}`, claims: claimsOf([[a, 10]]), ttlMs });
    }
    const seen = lifetimes.map(() => {
      bench.clock.advance(1_000);
      return bench.figures(a);
    });
    expect(seen).toEqual([
      [10, 20],
      [20, 10],
      [30, 0],
    ]);
  });
});

describe('a late settlement', () => {
  test.each([
    [20, -40],
    [60, 0],
    [90, 30],
    [0, -60],
  ])('of %i replaces what expiry charged', async (actual, difference) => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    bench.clock.advance(HOUR);
    expect(bench.settle('r1', { a: actual })).toMatchObject({
      status: 'late',
      charged: [{ account: 'a', amount: difference, held: 0 }],
    });
    expect(bench.figures(a)).toEqual([actual, 0]);
    const [, correction] = await entriesOf(bench);
    expect(correction).toMatchObject({ kind: 'correction', id: 'r1:late', reservation: 'r1' });
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('counts once, and says how the reservation ended after that', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    bench.clock.advance(TTL);
    bench.settle('r1', { a: 20 });
    expect(bench.settle('r1', { a: 50 })).toMatchObject({
      status: 'already-resolved',
      first: 'settled',
    });
    expect(bench.figures(a)).toEqual([20, 0]);
  });

  test('above the limit says by how much', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    bench.clock.advance(TTL);
    expect(bench.settle('r1', { a: 130 })).toMatchObject({
      overshoot: [{ account: 'a', amount: 30 }],
    });
  });

  test('of an unknown outcome charges the hold, also where expiry had released it', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60], [lenient, 60]);
    bench.clock.advance(TTL);
    expect(bench.settle('r1', {}, 'unknown')).toMatchObject({ status: 'late' });
    expect([bench.figures(a), bench.figures(lenient)]).toEqual([
      [60, 0],
      [60, 0],
    ]);
  });

  test('a release comes too late: the charge stays until the call is settled', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    bench.clock.advance(TTL);
    expect(bench.sink.release('r1')).toMatchObject({
      status: 'already-resolved',
      first: 'expired',
    });
    expect(bench.figures(a)).toEqual([60, 0]);
    expect(bench.settle('r1', { a: 1 })).toMatchObject({ status: 'late' });
  });
});

describe('many expired holds', () => {
  test('are swept 64 at a time, so that no call pays for all of them', () => {
    const bench = new SinkBench();
    const open = accountOf('open', { limit: null });
    for (let index = 0; index < 150; index += 1) bench.reserve(`r${index}`, [open, 1]);
    bench.clock.advance(TTL);
    expect(bench.figures(open)).toEqual([64, 86]);
    expect(bench.figures(open)).toEqual([128, 22]);
    expect(bench.figures(open)).toEqual([150, 0]);
  });

  test('until they are swept they are held, so that nothing is admitted on their account', () => {
    const bench = new SinkBench();
    for (let index = 0; index < 100; index += 1) bench.reserve(`r${index}`, [lenient, 1]);
    bench.clock.advance(TTL);
    expect(refusalsIn(bench.reserve('big', [lenient, 100]))[0]).toMatchObject({
      kind: 'held',
      held: 36,
    });
    expect(bench.reserve('big', [lenient, 100]).admitted).toBe(true);
  });
});
