import { describe, expect, test } from 'vitest';
import { InvalidArgumentError, ReservationMismatchError } from '../src/index.ts';
import { MAX_CLAIMS, MAX_ID_LENGTH } from '../src/usage-sink.ts';
import { collect } from './support/guard.ts';
import { accountOf, claimsOf, refusalsIn, SinkBench, TTL } from './support/sink.ts';

const a = accountOf('a');
const b = accountOf('b', { limit: 50 });

describe('reserve', () => {
  test('holds on every account, and says until when', () => {
    const bench = new SinkBench();
    const answer = bench.reserve('r1', [a, 60], [b, 50]);
    const at = bench.clock.now();
    expect(answer).toEqual({ admitted: true, expiresAt: at + TTL, at, notices: [] });
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [0, 60],
      [0, 50],
    ]);
  });

  test('case C-01, C-04: parallel holds never pass the limit', () => {
    const bench = new SinkBench();
    const answers = Array.from({ length: 10 }, (_, index) => bench.reserve(`r${index}`, [a, 20]));
    expect(answers.map(({ admitted }) => admitted)).toEqual([
      ...Array<boolean>(5).fill(true),
      ...Array<boolean>(5).fill(false),
    ]);
    expect(bench.figures(a)).toEqual([0, 100]);
  });

  test('one account that refuses is enough, and then nothing is held anywhere', () => {
    const bench = new SinkBench();
    const answer = bench.reserve('r1', [a, 60], [b, 51]);
    expect(refusalsIn(answer).map(({ budget }) => budget)).toEqual(['b']);
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test('case C-20, C-47: a denial names all accounts that refuse, with S, R and the limit apart', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 30], [b, 20]);
    bench.settle('r1', { a: 30, b: 20 });
    bench.reserve('r2', [a, 40], [b, 20]);
    expect(refusalsIn(bench.reserve('r3', [a, 31], [b, 31]))).toEqual([
      {
        budget: 'a',
        account: 'a',
        unit: 'tokens',
        limit: 100,
        committed: 30,
        held: 40,
        requested: 31,
        kind: 'held',
        resetsAt: null,
        retryAfterMs: null,
      },
      {
        budget: 'b',
        account: 'b',
        unit: 'tokens',
        limit: 50,
        committed: 20,
        held: 20,
        requested: 31,
        kind: 'too-large',
        resetsAt: null,
        retryAfterMs: null,
      },
    ]);
  });

  test('an exhausted account refuses a request for nothing', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 100]);
    expect(refusalsIn(bench.reserve('r2', [a, 0]))[0]?.kind).toBe('held');
    bench.settle('r1');
    expect(refusalsIn(bench.reserve('r3', [a, 0]))[0]?.kind).toBe('spent');
  });

  test('an account without limit counts, and refuses nothing', () => {
    const bench = new SinkBench();
    const open = accountOf('open', { limit: null });
    expect(bench.reserve('r1', [open, 1e15]).admitted).toBe(true);
    bench.settle('r1');
    expect(bench.read(open)).toMatchObject({ limit: null, committed: 1e15, held: 0 });
  });

  test('no accounts are held on nothing', () => {
    const bench = new SinkBench();
    expect(bench.reserve('r1').admitted).toBe(true);
    expect(bench.settle('r1')).toMatchObject({ status: 'settled', charged: [] });
  });
});

describe('a denial', () => {
  test('writes nothing but the denial counter', async () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 100]);
    for (let index = 0; index < 3; index += 1) bench.reserve(`denied-${index}`, [a, 1], [b, 1]);
    expect(bench.read(a)).toMatchObject({ committed: 0, held: 100, denials: 3 });
    expect(bench.read(b)).toMatchObject({ committed: 0, held: 0, denials: 0 });
    expect(await collect(bench.sink.entries())).toEqual([]);
    expect(await bench.sink.verify()).toMatchObject({ reservations: 1, differences: [] });
  });

  test('case C-34: extends no expiry, however often it is asked', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 100]);
    for (let second = 0; second < TTL / 1_000; second += 1) {
      expect(bench.reserve(`denied-${second}`, [a, 1]).admitted).toBe(false);
      bench.clock.advance(1_000);
    }
    expect(bench.figures(a)).toEqual([100, 0]);
  });
});

describe('case C-14: the same id again', () => {
  test('gives the same answer and one hold', async () => {
    const bench = new SinkBench();
    const first = bench.reserve('r1', [a, 60], [b, 10]);
    bench.clock.advance(1_000);
    expect(bench.reserve('r1', [a, 60], [b, 10])).toMatchObject({
      admitted: true,
      expiresAt: 'expiresAt' in first ? first.expiresAt : null,
    });
    expect(bench.figures(a)).toEqual([0, 60]);
    expect((await bench.sink.verify()).reservations).toBe(1);
  });

  test('is still what was first asked for after the hold has grown', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    bench.extend('r1', [a, 80]);
    expect(bench.reserve('r1', [a, 60]).admitted).toBe(true);
    expect(() => bench.reserve('r1', [a, 80])).toThrow(ReservationMismatchError);
    expect(bench.figures(a)).toEqual([0, 80]);
  });

  test('with other accounts or amounts is an error that changes nothing', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 60]);
    for (const claims of [
      [[a, 61]],
      [[b, 60]],
      [
        [a, 60],
        [b, 1],
      ],
      [],
    ] as const) {
      expect(() => bench.reserve('r1', ...claims)).toThrow(ReservationMismatchError);
    }
    expect([bench.figures(a), bench.figures(b)]).toEqual([
      [0, 60],
      [0, 0],
    ]);
  });

  test('is an error once the reservation has ended', () => {
    const bench = new SinkBench();
    for (const id of ['settled', 'released', 'expired']) bench.reserve(id, [a, 10]);
    bench.settle('settled');
    bench.sink.release('released');
    bench.clock.advance(TTL);
    for (const id of ['settled', 'released', 'expired']) {
      expect(() => bench.reserve(id, [a, 10])).toThrow(`"${id}" has already ended (${id})`);
    }
  });

  test('after a denial is a new question', () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 100]);
    expect(bench.reserve('r2', [a, 50]).admitted).toBe(false);
    bench.sink.release('r1');
    expect(bench.reserve('r2', [a, 70]).admitted).toBe(true);
  });
});

describe('what is out of range is refused before anything is held', () => {
  const bench = new SinkBench();

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 9_000_000_000_000_001])(
    'case C-21: an amount of %d',
    (amount) => {
      expect(() => bench.reserve('r1', [b, 1], [a, amount])).toThrow(InvalidArgumentError);
      expect(bench.figures(b)).toEqual([0, 0]);
    },
  );

  test.each(['', 'x'.repeat(MAX_ID_LENGTH + 1), 5 as never])('the id %j', (id) => {
    expect(() => bench.reserve(id, [a, 1])).toThrow(/An id has 1 to 64 characters/);
  });

  test('too many accounts', () => {
    const accounts = Array.from({ length: MAX_CLAIMS + 1 }, (_, index) => accountOf(`a${index}`));
    const claims = accounts.map((account) => [account, 1] as const);
    expect(() => bench.reserve('r1', ...claims)).toThrow(/at most 32 accounts; this one binds 33/);
    expect(bench.reserve('r1', ...claims.slice(1)).admitted).toBe(true);
  });

  test('one account twice', () => {
    expect(() => bench.reserve('r2', [a, 1], [b, 1], [a, 1])).toThrow(/names the account a twice/);
  });

  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('a time to live of %d', (ttlMs) => {
    const { sink } = new SinkBench();
    const claims = claimsOf([[a, 1]]);
    expect(() => sink.reserve({ id: 'r1', claims, ttlMs })).toThrow(InvalidArgumentError);
    sink.reserve({ id: 'r1', claims, ttlMs: TTL });
    expect(() => sink.extend({ id: 'r1', claims, ttlMs })).toThrow(InvalidArgumentError);
  });
});
