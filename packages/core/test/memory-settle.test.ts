import { describe, expect, test } from 'vitest';
import { InvalidArgumentError, ReservationMismatchError } from '../src/index.ts';
import { collect } from './support/guard.ts';
import { accountOf, refusalsIn, SinkBench, TTL } from './support/sink.ts';

const a = accountOf('a');
const b = accountOf('b', { limit: 50 });

describe('settle', () => {
  test('below the hold gives the rest back', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60], [b, 50]);
    const answer = bench.settle('r1', { a: 25, b: 0 });
    expect(answer).toMatchObject({
      status: 'settled',
      overshoot: [],
      charged: [
        {
          account: 'a',
          budget: 'a',
          unit: 'tokens',
          window: 'total',
          slot: null,
          amount: 25,
          held: 60,
        },
        { account: 'b', amount: 0, held: 50 },
      ],
    });
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [25, 0],
      [0, 0],
    ]);
  });

  test('above the hold is recorded whole, and the overshoot is said', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60], [b, 20]);
    const answer = bench.settle('r1', { a: 130, b: 45 });
    expect(answer).toMatchObject({
      overshoot: [{ account: 'a', budget: 'a', unit: 'tokens', amount: 30 }],
    });
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [130, 0],
      [45, 0],
    ]);
    expect(refusalsIn(bench.reserve('r2', [a, 0]))[0]).toMatchObject({
      kind: 'spent',
      committed: 130,
    });
  });

  test('an overshoot counts what others hold, and only what was not held itself', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 40]);
    bench.reserve('r2', [a, 60]);
    expect(bench.settle('r1', { a: 45 })).toMatchObject({ overshoot: [{ amount: 5 }] });
    // The account is over its limit already, and this call adds nothing to that.
    expect(bench.settle('r2', { a: 60 })).toMatchObject({ overshoot: [] });
    expect(bench.figures(a)).toEqual([105, 0]);
  });

  test('`hold`, or saying nothing of an account, charges what it holds, however that has grown', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 10], [b, 10]);
    bench.extend('r1', [a, 30]);
    const charges = [{ account: 'a', amount: 'hold' as const }];
    bench.sink.settle({ id: 'r1', outcome: 'unknown', charges, details: {} });
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [30, 0],
      [10, 0],
    ]);
  });

  test('charges go to their accounts in whatever order they are named', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 10], [b, 10]);
    bench.settle('r1', { b: 2, a: 1 });
    expect([bench.figures(a)[0], bench.figures(b)[0]]).toEqual([1, 2]);
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'case C-21: %d is no charge, and the reservation stays open',
    (amount) => {
      const bench = new SinkBench();
      bench.reserve('r1', [a, 10]);
      expect(() => bench.settle('r1', { a: amount })).toThrow(InvalidArgumentError);
      expect(bench.figures(a)).toEqual([0, 10]);
    },
  );
});

describe('case C-15, C-17: a reservation ends once, on all of its accounts', () => {
  test('a second settlement changes nothing and says what the first did', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60], [b, 10]);
    bench.settle('r1', { a: 25, b: 5 });
    expect(bench.settle('r1', { a: 60 })).toMatchObject({
      status: 'already-resolved',
      first: 'settled',
    });
    expect(bench.sink.release('r1')).toMatchObject({
      status: 'already-resolved',
      first: 'settled',
    });
    expect(bench.extend('r1', [a, 80])).toMatchObject({
      status: 'already-resolved',
      first: 'settled',
    });
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [25, 0],
      [5, 0],
    ]);
  });

  test('so does a settlement after a release', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    expect(bench.sink.release('r1')).toMatchObject({ status: 'released' });
    expect(bench.settle('r1', { a: 60 })).toMatchObject({
      status: 'already-resolved',
      first: 'released',
    });
    expect(bench.sink.release('r1')).toMatchObject({
      status: 'already-resolved',
      first: 'released',
    });
    expect(bench.figures(a)).toEqual([0, 0]);
  });
});

describe('case C-18: an id that was never held', () => {
  test('changes nothing, whatever is asked of it', async () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    expect(bench.settle('nobody', { a: 60 })).toMatchObject({ status: 'never-held' });
    expect(bench.sink.release('nobody')).toMatchObject({ status: 'never-held' });
    expect(bench.extend('nobody', [a, 60])).toMatchObject({ status: 'never-held' });
    expect(bench.figures(a)).toEqual([0, 60]);
    expect(await collect(bench.sink.entries())).toEqual([]);
  });
});

describe('release', () => {
  test('frees the holds, charges nothing and writes no entry', async () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60], [b, 10]);
    bench.sink.release('r1');
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(await collect(bench.sink.entries())).toEqual([]);
  });
});

describe('extend', () => {
  test('sets new totals, so that a repeated request changes nothing', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 10], [b, 10]);
    bench.clock.advance(1_000);
    const expiresAt = bench.clock.now() + TTL;
    expect(bench.extend('r1', [a, 30])).toMatchObject({ status: 'extended', expiresAt });
    expect(bench.extend('r1', [a, 30])).toMatchObject({ status: 'extended', expiresAt });
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [0, 30],
      [0, 10],
    ]);
  });

  test('is all or nothing, and a refusal extends no expiry', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 10], [b, 10]);
    bench.clock.advance(TTL - 1);
    const answer = bench.extend('r1', [a, 30], [b, 51]);
    expect(refusalsIn(answer).map(({ budget }) => budget)).toEqual(['b']);
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [0, 10],
      [0, 10],
    ]);
    bench.clock.advance(1);
    expect(bench.figures(a)).toEqual([10, 0]);
  });

  test('goes to the last unit', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    expect(bench.extend('r1', [a, 100])).toMatchObject({ status: 'extended' });
    expect(bench.extend('r1', [a, 101])).toMatchObject({ status: 'refused' });
  });

  test('may shrink, and is renewed as it is even where the limit was lowered below it', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    const lowered = accountOf('a', { limit: 20 });
    expect(bench.extend('r1', [lowered, 60])).toMatchObject({ status: 'extended' });
    expect(bench.extend('r1', [lowered, 40])).toMatchObject({ status: 'extended' });
    expect(bench.extend('r1', [lowered, 41])).toMatchObject({ status: 'refused' });
    expect(bench.figures(a)).toEqual([0, 40]);
  });

  test('a refusal is about the new total, and tells the own hold from those of others', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    expect(refusalsIn(bench.extend('r1', [a, 101]))[0]).toMatchObject({
      kind: 'too-large',
      requested: 101,
      held: 0,
    });
    bench.reserve('r2', [a, 40]);
    expect(refusalsIn(bench.extend('r1', [a, 61]))[0]).toMatchObject({
      kind: 'held',
      requested: 61,
      held: 40,
    });
  });

  test('an account that is not held cannot be extended', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 10]);
    expect(() => bench.extend('r1', [a, 20], [b, 10])).toThrow(ReservationMismatchError);
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [0, 10],
      [0, 0],
    ]);
  });
});
