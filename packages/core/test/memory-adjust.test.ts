import { describe, expect, test } from 'vitest';
import { type Adjustment, InvalidArgumentError } from '../src/index.ts';
import { HOUR } from './support/clock.ts';
import { collect } from './support/guard.ts';
import { accountOf, refusalsIn, SinkBench, TTL } from './support/sink.ts';

const a = accountOf('a');
const hourly = accountOf('hourly', { window: { fixed: '1h' } });

/** A bench whose account `a` has settled so much. */
function spent(amount: number, account = a): SinkBench {
  const bench = new SinkBench();
  bench.reserve('spent', [account, 0]);
  bench.settle('spent', { [account.key]: amount });
  return bench;
}

describe('case C-93: a top-up', () => {
  test('lets the next call pass', async () => {
    const bench = spent(100);
    expect(bench.reserve('r1', [a, 20]).admitted).toBe(false);
    const answer = await bench.adjust(a, { type: 'top-up', amount: 20 });
    expect(answer).toMatchObject({ status: 'adjusted', reading: { limit: 120, committed: 100 } });
    expect(bench.reserve('r1', [a, 20]).admitted).toBe(true);
    expect(bench.reserve('r2', [a, 1]).admitted).toBe(false);
  });

  test('adds to others, and is for its window alone', async () => {
    const bench = new SinkBench();
    await bench.adjust(hourly, { type: 'top-up', amount: 20 });
    await bench.adjust(hourly, { type: 'top-up', amount: 30 });
    expect(bench.read(hourly).limit).toBe(150);
    bench.clock.advance(HOUR);
    expect(bench.read(hourly).limit).toBe(100);
  });
});

test('top-ups of a window come to no more than an amount may be, and one refused changes nothing', async () => {
  const bench = new SinkBench();
  await bench.adjust(a, { type: 'top-up', amount: 8e15 });
  const another = bench.adjust(a, { type: 'top-up', amount: 8e15 });
  await expect(another).rejects.toThrow(InvalidArgumentError);
  expect(bench.read(a).limit).toBe(100 + 8e15);
});

describe('a changed limit', () => {
  test('is in force until its time, in every window on the way', async () => {
    const bench = new SinkBench();
    const until = bench.clock.now() + 2 * HOUR;
    await bench.adjust(hourly, { type: 'limit', limit: 10, until });
    expect(bench.reserve('r1', [hourly, 11]).admitted).toBe(false);
    bench.clock.advance(2 * HOUR - 1);
    expect(bench.read(hourly).limit).toBe(10);
    bench.clock.advance(1);
    expect(bench.read(hourly).limit).toBe(100);
  });

  test('without a time is for good; null lifts the limit', async () => {
    const bench = spent(50);
    await bench.adjust(a, { type: 'limit', limit: 40, until: null });
    expect(refusalsIn(bench.reserve('r1', [a, 0]))[0]).toMatchObject({ kind: 'spent', limit: 40 });
    await bench.adjust(a, { type: 'limit', limit: null, until: null });
    expect(bench.reserve('r1', [a, 1e6])).toMatchObject({ admitted: true });
    expect(bench.read(a).limit).toBeNull();
  });

  test('to 0 refuses everything', async () => {
    const bench = new SinkBench();
    await bench.adjust(a, { type: 'limit', limit: 0, until: null });
    expect(refusalsIn(bench.reserve('r1', [a, 0]))[0]).toMatchObject({ kind: 'spent', limit: 0 });
  });

  test('to 0 promises no time at which it opens, whatever its window', async () => {
    const bench = new SinkBench();
    await bench.adjust(hourly, { type: 'limit', limit: 0, until: null });
    const [refusal] = refusalsIn(bench.reserve('r1', [hourly, 0]));
    expect(refusal).toMatchObject({ kind: 'spent', retryAfterMs: null });
  });

  test('can be raised for a while, on top of what was set for good', async () => {
    const bench = new SinkBench();
    const until = bench.clock.now() + HOUR;
    await bench.adjust(a, { type: 'limit', limit: 200, until: null });
    await bench.adjust(a, { type: 'limit-add', amount: 50, until });
    await bench.adjust(a, { type: 'top-up', amount: 5 });
    expect(bench.read(a).limit).toBe(255);
    bench.clock.advance(HOUR);
    expect(bench.read(a).limit).toBe(205);
  });

  test('a later one takes the place of an earlier one', async () => {
    const bench = new SinkBench();
    for (const amount of [50, 30])
      await bench.adjust(a, { type: 'limit-add', amount, until: null });
    for (const limit of [500, 300]) await bench.adjust(a, { type: 'limit', limit, until: null });
    expect(bench.read(a).limit).toBe(330);
  });
});

describe('a block', () => {
  test('refuses everything until it is lifted, and says that this is why', async () => {
    const bench = new SinkBench();
    await bench.adjust(a, { type: 'block' });
    expect(bench.read(a).blocked).toBe(true);
    expect(refusalsIn(bench.reserve('r1', [a, 0]))[0]).toMatchObject({
      kind: 'blocked',
      retryAfterMs: null,
    });
    await bench.adjust(a, { type: 'unblock' });
    expect(bench.reserve('r1', [a, 100]).admitted).toBe(true);
  });

  test('lets open calls settle and stay alive, and grow no more', async () => {
    const bench = new SinkBench();
    bench.reserve('r1', [a, 10]);
    await bench.adjust(a, { type: 'block' });
    expect(bench.extend('r1', [a, 10])).toMatchObject({ status: 'extended' });
    expect(refusalsIn(bench.extend('r1', [a, 11]))[0]?.kind).toBe('blocked');
    expect(bench.settle('r1', { a: 5 })).toMatchObject({ status: 'settled' });
  });

  test('of the configuration is not lifted by hand', async () => {
    const bench = new SinkBench();
    const closed = accountOf('closed', { blocked: true, limit: null });
    await bench.adjust(closed, { type: 'unblock' });
    expect(refusalsIn(bench.reserve('r1', [closed, 1]))[0]?.kind).toBe('blocked');
  });
});

describe('case C-34, C-37: a reset', () => {
  test('brings settled spend to 0 in the very next call', async () => {
    const bench = spent(100);
    await bench.adjust(a, { type: 'reset' });
    expect(bench.figures(a)).toEqual([0, 0]);
    expect(bench.reserve('r1', [a, 100]).admitted).toBe(true);
  });

  test('leaves open holds, which are charged in full when they settle', async () => {
    const bench = spent(40);
    bench.reserve('open', [a, 60]);
    await bench.adjust(a, { type: 'reset' });
    expect(bench.figures(a)).toEqual([0, 60]);
    bench.settle('open', { a: 50 });
    expect(bench.figures(a)).toEqual([50, 0]);
  });

  test('case C-94: a settlement that comes late gives nothing back a second time', async () => {
    const bench = new SinkBench();
    bench.reserve('late', [a, 60]);
    bench.clock.advance(TTL);
    await bench.adjust(a, { type: 'reset' });
    bench.settle('late', { a: 20 });
    expect(bench.figures(a)).toEqual([0, 0]);
    expect(bench.reserve('r1', [a, 101]).admitted).toBe(false);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('case C-94: one that is dearer than its hold charges the difference', async () => {
    const bench = new SinkBench();
    bench.reserve('late', [a, 60]);
    bench.clock.advance(TTL);
    await bench.adjust(a, { type: 'reset' });
    bench.settle('late', { a: 75 });
    expect(bench.figures(a)).toEqual([15, 0]);
  });

  test('is of the current window of its account, rolling slots included', async () => {
    const rolling = accountOf('rolling', { window: { rolling: '1h', resolution: '10m' } });
    const bench = spent(30, rolling);
    bench.clock.advance(HOUR / 2);
    bench.reserve('more', [rolling, 20], [a, 20]);
    bench.settle('more');
    await bench.adjust(rolling, { type: 'reset' });
    expect([bench.figures(rolling), bench.figures(a)]).toEqual([
      [0, 0],
      [20, 0],
    ]);
    expect((await bench.sink.verify()).differences).toEqual([]);
    bench.clock.advance(HOUR);
    expect(bench.figures(rolling)).toEqual([0, 0]);
    expect((await bench.sink.verify()).differences).toEqual([]);
  });

  test('of an account with nothing spent writes an entry without charges', async () => {
    const bench = new SinkBench();
    await bench.adjust(a, { type: 'reset' });
    expect(await collect(bench.sink.entries())).toMatchObject([
      { kind: 'adjustment', account: 'a', change: { type: 'reset' }, charges: [] },
    ]);
  });
});

describe('every adjustment', () => {
  const changes: Adjustment[] = [
    { type: 'top-up', amount: 20 },
    { type: 'limit', limit: 300, until: null },
    { type: 'limit-add', amount: 50, until: null },
    { type: 'block' },
    { type: 'unblock' },
    { type: 'reset' },
  ];

  test.each(changes)('$type is done once by its id, and ledgered once', async (change) => {
    const bench = spent(60);
    const { reading } = await bench.adjust(a, change, 'the-id');
    bench.reserve('later', [accountOf('b'), 1]);
    bench.settle('later');
    expect(await bench.adjust(a, change, 'the-id')).toMatchObject({
      status: 'already-adjusted',
      reading,
    });
    const entries = (await collect(bench.sink.entries())).filter(
      ({ kind }) => kind === 'adjustment',
    );
    expect(entries).toMatchObject([
      { id: 'the-id', account: 'a', budget: 'a', change, details: {} },
    ]);
  });

  test('a reset that is repeated does not undo what was spent since', async () => {
    const bench = spent(60);
    await bench.adjust(a, { type: 'reset' }, 'the-id');
    bench.reserve('r1', [a, 30]);
    bench.settle('r1');
    await bench.adjust(a, { type: 'reset' }, 'the-id');
    expect(bench.figures(a)).toEqual([30, 0]);
  });

  test.each<Adjustment>([
    { type: 'top-up', amount: -1 },
    { type: 'top-up', amount: Number.NaN },
    { type: 'limit', limit: -1, until: null },
    { type: 'limit', limit: 0.5, until: null },
    { type: 'limit', limit: 1, until: Number.NaN },
    { type: 'limit-add', amount: Number.POSITIVE_INFINITY, until: null },
  ])('case C-22: %j is refused', async (change) => {
    const bench = new SinkBench();
    await expect(bench.adjust(a, change)).rejects.toThrow(InvalidArgumentError);
    expect(bench.read(a).limit).toBe(100);
  });
});
