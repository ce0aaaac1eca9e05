import { describe, expect, test } from 'vitest';
import {
  type Budget,
  type Correction,
  InvalidArgumentError,
  MemoryUsageSink,
  type PriceBook,
  UnpricedModelError,
} from '../src/index.ts';
import { HOUR, NOON, testClock } from './support/clock.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  type GuardBench,
  usageOf,
  usdBudget,
} from './support/guard.ts';
import { bookOf, PRICES, quoteOf, ratesOf } from './support/prices.ts';

const BUDGETS: Budget[] = [
  { name: 'daily', per: ['user'], limit: { usd: '0.01' }, window: { calendar: 'day' } },
  usdBudget('0.02', { name: 'all' }),
  usdBudget('1', { name: 'output', limit: { tokens: 5_000, count: 'output' } }),
  usdBudget('1', { name: 'calls', limit: { requests: 10 } }),
];
const ann = { user: 'ann' };

/** Settles a call with so much output; $0.00001 each. The id of its entry. */
async function spend({ guard }: GuardBench, output: number, model = 'small'): Promise<string> {
  const call = await admit(guard, callOf(60, { identity: ann, operationId: 'op', model }));
  await call.settle({ outcome: 'known', usage: usageOf({ output }) });
  return call.id;
}

async function committed({ guard }: GuardBench): Promise<Record<string, number>> {
  const status = await guard.status(ann);
  return Object.fromEntries(status.map((each) => [each.budget, each.committed]));
}

/** What the ledger adds up to, by budget. */
async function ledgered({ guard }: GuardBench): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for await (const { charges } of guard.ledger()) {
    for (const { budget, amount } of charges) sums[budget] = (sums[budget] ?? 0) + amount;
  }
  return sums;
}

async function costOfAll({ guard }: GuardBench): Promise<number> {
  const entries = await collect(guard.ledger());
  return entries.reduce((sum, { costChangeNanoUsd }) => sum + (costChangeNanoUsd ?? 0), 0);
}

describe('case C-56: a call that was priced far too high', () => {
  test('is corrected on all its accounts, by an entry beside its own', async () => {
    const bench = benchOf(BUDGETS);
    await spend(bench, 10);
    const id = await spend(bench, 50);
    const before = await collect(bench.guard.ledger());
    const note = { reason: 'price was wrong', by: 'ops' };
    const entry = await bench.guard.correct(id, { costNanoUsd: 5 }, note);
    expect(await committed(bench)).toEqual({ daily: 100_005, all: 100_005, output: 60, calls: 2 });
    expect(entry).toMatchObject({
      kind: 'adjustment',
      at: NOON,
      change: { type: 'correction', reservation: id },
      charges: [
        { budget: 'daily', unit: 'usd', amount: -499_995, held: 0 },
        { budget: 'all', amount: -499_995 },
      ],
      costNanoUsd: 5,
      costChangeNanoUsd: -499_995,
      identity: ann,
      model: 'small',
      operationId: 'op',
      ...note,
    });
    expect(await collect(bench.guard.ledger())).toEqual([...before, entry]);
    expect(await ledgered(bench)).toEqual(await committed(bench));
    expect(await costOfAll(bench)).toBe(100_005);
    expect((await bench.guard.verify()).differences).toEqual([]);
  });

  test('is priced anew by a price book that was put right', async () => {
    const clock = testClock();
    const sink = new MemoryUsageSink({ now: clock.now });
    const dear: PriceBook = bookOf({ small: quoteOf(ratesOf(1e3, 1e4), { maxOutputTokens: 100 }) });
    const budgets = [usdBudget('1000')];
    const id = await spend(benchOf(budgets, { sink, clock, prices: dear }), 50);
    const bench = benchOf(budgets, { sink, clock, prices: PRICES });
    const entry = await bench.guard.correct(id, { usage: usageOf({ output: 50 }) });
    expect(entry).toMatchObject({ costNanoUsd: 500_000, price: { rates: ratesOf(1, 10) } });
    expect(await committed(bench)).toEqual({ cap: 500_000 });
  });

  test('makes room for the next call', async () => {
    const bench = benchOf([usdBudget('0.001')]);
    const id = await spend(bench, 100);
    expect((await bench.guard.reserve(callOf(10))).admitted).toBe(false);
    await bench.guard.correct(id, { costNanoUsd: 0 });
    await admit(bench.guard, callOf(10));
  });
});

describe('a correction', () => {
  test('of the usage sets tokens and cost', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    const usage = usageOf({ input: 7, output: 30 });
    const entry = await bench.guard.correct(id, { usage });
    expect(await committed(bench)).toEqual({ daily: 307_000, all: 307_000, output: 30, calls: 1 });
    expect(entry).toMatchObject({ usage, usageChange: usageOf({ input: 7, output: -20 }) });
  });

  test('of usage and cost takes the cost as it is', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    await bench.guard.correct(id, { usage: usageOf({ output: 9 }), costNanoUsd: 123 });
    expect(await committed(bench)).toEqual({ daily: 123, all: 123, output: 9, calls: 1 });
  });

  test('to nothing at all reverses it', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    const entry = await bench.guard.correct(id, { reverse: true });
    expect(await committed(bench)).toEqual({ daily: 0, all: 0, output: 0, calls: 0 });
    expect(entry.charges.map(({ amount }) => amount)).toEqual([-500_000, -500_000, -50, -1]);
    expect(await costOfAll(bench)).toBe(0);
  });

  test('says what the call should have cost, so the latest counts, and a repeated one adds nothing', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    for (const costNanoUsd of [100, 900, 900, 400]) await bench.guard.correct(id, { costNanoUsd });
    expect(await committed(bench)).toMatchObject({ daily: 400, all: 400 });
    expect(await ledgered(bench)).toEqual(await committed(bench));
    expect(await costOfAll(bench)).toBe(400);
  });

  test('is done once by its id, whatever it says the second time', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    const first = await bench.guard.correct(id, { costNanoUsd: 100 }, { id: 'ticket-1' });
    expect(first.correctionId).toBe('ticket-1');
    expect(await bench.guard.correct(id, { costNanoUsd: 7 }, { id: 'ticket-1' })).toEqual(first);
    expect(await committed(bench)).toMatchObject({ daily: 100 });
  });

  test('one of five at once is the last, and none is lost or doubled', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    const costs = Array.from({ length: 5 }, (_, place) => place + 1);
    const entries = await Promise.all(
      costs.map((costNanoUsd) => bench.guard.correct(id, { costNanoUsd })),
    );
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(5);
    const last = (await collect(bench.guard.ledger())).at(-1);
    expect(await committed(bench)).toMatchObject({ daily: last?.costNanoUsd });
    expect(await costOfAll(bench)).toBe(last?.costNanoUsd);
  });

  test('of an expired call is the last word on it', async () => {
    const bench = benchOf(BUDGETS);
    const call = await admit(bench.guard, callOf(60, { identity: ann }));
    bench.clock.advance(120_000);
    await bench.guard.status(ann);
    await bench.guard.correct(`${call.id}:expiry`, { costNanoUsd: 1_000 });
    const late = await call.settle({ outcome: 'known', usage: usageOf({ output: 9 }) });
    expect(late.status).toBe('already-resolved');
    expect(await committed(bench)).toMatchObject({ daily: 1_000 });
    expect(await ledgered(bench)).toMatchObject({ daily: 1_000 });
  });

  test.each(['expiry', 'late'])(
    'of a call that settled late goes by what it cost: %s',
    async (line) => {
      const bench = benchOf(BUDGETS);
      const call = await admit(bench.guard, callOf(60, { identity: ann }));
      bench.clock.advance(120_000);
      await call.settle({ outcome: 'known', usage: usageOf({ output: 9 }) });
      const entry = await bench.guard.correct(`${call.id}:${line}`, { costNanoUsd: 1_000 });
      expect(entry).toMatchObject({ costChangeNanoUsd: 1_000 - 90_000 });
      expect(await committed(bench)).toMatchObject({ daily: 1_000, output: 9 });
      expect(await costOfAll(bench)).toBe(1_000);
    },
  );

  test('of a window that is over changes what it cost, and no counter', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    bench.clock.advance(24 * HOUR);
    await spend(bench, 20);
    const entry = await bench.guard.correct(id, { reverse: true });
    expect(entry.charges.map(({ budget }) => budget)).toEqual(['all', 'output', 'calls']);
    expect(await committed(bench)).toEqual({ daily: 200_000, all: 200_000, output: 20, calls: 1 });
    expect(await costOfAll(bench)).toBe(200_000);
    expect((await bench.guard.verify()).differences).toEqual([]);
  });

  test('case C-94: gives nothing back that a reset has given back', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    await bench.guard.reset({ budget: 'daily', identity: ann });
    await spend(bench, 30);
    await bench.guard.correct(id, { reverse: true });
    expect(await committed(bench)).toMatchObject({ daily: 300_000, all: 300_000 });
    await bench.guard.correct(id, { costNanoUsd: 510_000 });
    expect(await committed(bench)).toMatchObject({ daily: 310_000, all: 810_000 });
    expect(await ledgered(bench)).toMatchObject(await committed(bench));
  });

  test('crosses thresholds as every charge does', async () => {
    const bench = benchOf([usdBudget('0.001', { warnAt: [0.8] })]);
    const id = await spend(bench, 50);
    await bench.guard.correct(id, { costNanoUsd: 900_000 });
    expect(bench.events).toContainEqual(
      expect.objectContaining({ type: 'threshold-crossed', threshold: 0.8, committed: 900_000 }),
    );
  });
});

describe('a correction is refused', () => {
  const rejects = async (
    correction: unknown,
    error: { isInstance(error: unknown): boolean },
    message: RegExp,
    budgets = BUDGETS,
  ) => {
    const bench = benchOf(budgets);
    const id = await spend(bench, 50);
    const correct = () => bench.guard.correct(id, correction as Correction);
    await expect(correct()).rejects.toThrow(message);
    await expect(correct()).rejects.toSatisfy(error.isInstance);
    expect(await collect(bench.guard.ledger())).toHaveLength(1);
  };

  test.each<[unknown, RegExp]>([
    [undefined, /should have been charged. Write/],
    [{}, /Write \{ costNanoUsd/],
    [{ reverse: false }, /Write/],
    [{ reverse: true, costNanoUsd: 5 }, /Write/],
    [{ costNanoUsd: -1 }, /is -1: no cost/],
    [{ costNanoUsd: 0.5 }, /no cost/],
    [{ costNanoUsd: Number.NaN }, /no cost/],
    [{ usage: { input: 1 } }, /has a whole number of tokens for input/],
  ])('for %j', (correction, message) => rejects(correction, InvalidArgumentError, message));

  test('for usage of a class that has no price', () =>
    rejects({ usage: { ...usageOf({}), audioInput: 5 } }, UnpricedModelError, /has no price/));

  test('for an entry that there is not, and for an adjustment', async () => {
    const bench = benchOf(BUDGETS);
    await bench.guard.block({ budget: 'all' }, { id: 'the-block' });
    for (const id of ['nothing', 'the-block']) {
      await expect(bench.guard.correct(id, { reverse: true })).rejects.toThrow(
        `The ledger has no entry "${id}" of a call.`,
      );
    }
  });

  test('for a call of budgets that there are no more', async () => {
    const bench = benchOf(BUDGETS);
    const id = await spend(bench, 50);
    const { sink, clock } = bench;
    const { guard } = benchOf([usdBudget('1', { name: 'new' })], { sink, clock });
    await expect(guard.correct(id, { reverse: true })).rejects.toThrow(
      'no budget that there still',
    );
    const other = benchOf([usdBudget('1', { name: 'all' })], { sink, clock });
    await expect(other.guard.correct(id, { usage: usageOf({}) })).rejects.toThrow(
      'no budget "output" in tokens any more',
    );
    await other.guard.correct(id, { reverse: true });
    expect(await committed(bench)).toEqual({ daily: 0, all: 0, output: 0, calls: 0 });
  });
});
