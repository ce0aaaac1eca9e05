import { describe, expect, test } from 'vitest';
import {
  BudgetExceededError,
  createSpendGuard,
  InvalidArgumentError,
  type SpendCall,
  UnpricedModelError,
} from '../src/index.ts';
import { MINUTE, testClock } from './support/clock.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  eventsOf,
  usageOf,
  usdBudget,
} from './support/guard.ts';
import { bookOf, quoteOf, ratesOf } from './support/prices.ts';

/** A call that may cost $0.18, and does. */
const EIGHTEEN_CENTS = callOf(18_000);
const USAGE = usageOf({ output: 18_000 });

describe('case C-01, C-09, C-11: a loop that runs away under a cap of $1.00', () => {
  test('one call after the other: exactly five of a hundred are made', async () => {
    const { guard } = benchOf([usdBudget('1.00')]);
    let made = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      const reservation = await guard.reserve(EIGHTEEN_CENTS);
      if (!reservation.admitted) continue;
      made += 1;
      await reservation.call.settle({ outcome: 'known', usage: USAGE });
    }
    expect(made).toBe(5);
    expect(await guard.status()).toMatchObject([{ committed: 900_000_000, held: 0, denials: 95 }]);
  });

  test('a hundred at once: exactly five are made', async () => {
    const { guard } = benchOf([usdBudget('1.00')]);
    const calls: SpendCall[] = [];
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const reservation = await guard.reserve(EIGHTEEN_CENTS);
        if (reservation.admitted) calls.push(reservation.call);
      }),
    );
    expect(calls).toHaveLength(5);
    expect(await guard.status()).toMatchObject([{ committed: 0, held: 900_000_000 }]);
    await Promise.all(calls.map((call) => call.settle({ outcome: 'known', usage: USAGE })));
    expect(await guard.status()).toMatchObject([{ committed: 900_000_000, held: 0 }]);
    expect((await guard.verify()).differences).toEqual([]);
  });

  test('calls that cannot be paid for are not made even once', async () => {
    const { guard } = benchOf([usdBudget('0.10')]);
    expect(await denialFor(guard, EIGHTEEN_CENTS)).toMatchObject({
      refusals: [{ kind: 'too-large', requested: 180_000_000, limit: 100_000_000 }],
      retryable: false,
    });
  });
});

describe('run', () => {
  test('hands on what the function gives, and leaves what it settled', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    const result = await guard.run(EIGHTEEN_CENTS, async (call) => {
      await call.settle({ outcome: 'known', usage: usageOf({ output: 10 }) });
      return 'the answer';
    });
    expect(result).toBe('the answer');
    expect(await guard.status()).toMatchObject([{ committed: 100_000, held: 0 }]);
  });

  test('case C-13: charges the hold when the function throws', async () => {
    const { guard, events } = benchOf([usdBudget('1')]);
    const failure = new Error('the connection broke');
    const run = guard.run(EIGHTEEN_CENTS, () => Promise.reject(failure));
    await expect(run).rejects.toBe(failure);
    expect(await guard.status()).toMatchObject([{ committed: 180_000_000, held: 0 }]);
    expect(eventsOf(events, 'settled')).toMatchObject([{ outcome: 'unknown' }]);
  });

  test('charges the hold when the function forgets to settle', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    await guard.run(EIGHTEEN_CENTS, () => Promise.resolve());
    expect(await guard.status()).toMatchObject([{ committed: 180_000_000 }]);
  });

  test('keeps the result although a price book has rates that are none', async () => {
    const prices = bookOf({ small: quoteOf(ratesOf(Number.NaN, 10)) });
    const { guard } = benchOf([usdBudget('1')], { prices, estimate: 'none' });
    expect(await guard.run(callOf(1), async () => 'paid for')).toBe('paid for');
  });

  test('refuses with an error, and does not call the function', async () => {
    const { guard } = benchOf([usdBudget('0.10')]);
    let isCalled = false;
    const run = guard.run(EIGHTEEN_CENTS, async () => {
      isCalled = true;
    });
    await expect(run).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(isCalled).toBe(false);
  });
});

test('the sink of a guard without one goes by the time of each operation', async () => {
  const clock = testClock();
  const { now } = clock;
  const budget = { name: 'n', per: [], limit: { requests: 1 }, window: { fixed: '1m' } } as const;
  const guard = createSpendGuard({ budgets: [budget], now });
  await (await admit(guard, callOf(1))).settle({ outcome: 'unknown' });
  await denialFor(guard, callOf(1));
  clock.advance(MINUTE);
  expect(await guard.status()).toMatchObject([{ committed: 0, window: { startsAt: now() } }]);
  const open = await admit(guard, callOf(1));
  clock.advance(120_000);
  expect(await open.settle({ outcome: 'not-sent' })).toMatchObject({ status: 'late' });
});

describe('settling once', () => {
  test('case C-15, C-82: of many at once, the first counts', async () => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    const call = await admit(guard, EIGHTEEN_CENTS);
    const results = await Promise.all([
      call.settle({ outcome: 'known', usage: usageOf({ output: 10 }) }),
      call.settle({ outcome: 'known', usage: USAGE }),
      call.settle({ outcome: 'unknown' }),
      call.release(),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'settled',
      'already-resolved',
      'already-resolved',
      'already-resolved',
    ]);
    expect(results.map(({ costNanoUsd }) => costNanoUsd)).toEqual(Array(4).fill(100_000));
    expect(await guard.status()).toMatchObject([{ committed: 100_000, held: 0 }]);
    expect(await collect(sink.entries())).toHaveLength(1);
  });

  test('a released call costs nothing, and cannot be settled any more', async () => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    const call = await admit(guard, EIGHTEEN_CENTS);
    expect(await call.release()).toEqual({ status: 'settled', costNanoUsd: 0, overshoot: [] });
    expect(await call.settle({ outcome: 'known', usage: USAGE })).toMatchObject({
      status: 'already-resolved',
    });
    expect(await guard.status()).toMatchObject([{ committed: 0, held: 0 }]);
    expect(await collect(sink.entries())).toEqual([]);
  });
});

describe('ids', () => {
  test('are unique across guards, and short', async () => {
    const ids = new Set<string>();
    for (let made = 0; made < 200; made += 1) {
      const guard = createSpendGuard({
        budgets: [{ name: 'n', per: [], limit: { requests: 5 }, window: 'total' }],
      });
      for (let call = 0; call < 3; call += 1) ids.add((await admit(guard, callOf(1))).id);
    }
    expect(ids.size).toBe(600);
    for (const id of ids) expect(id).toMatch(/^[\w.]{8}[0-9a-z]+$/);
  });
});

describe('case C-49, C-50, C-51: a model without a price', () => {
  const unknown = callOf(10, { model: 'newest' });

  test('is refused before the first call where money counts', async () => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    await expect(guard.reserve(unknown)).rejects.toSatisfy(UnpricedModelError.isInstance);
    await expect(guard.reserve(unknown)).rejects.toThrow(
      /"newest" of provider "acme".*`overrides`/,
    );
    expect(await sink.verify()).toMatchObject({ reservations: 0, accounts: 0 });
  });

  test('case C-101, C-102: is counted where only tokens, requests or calls do', async () => {
    const budgets = [
      usdBudget('1', { name: 'usd', per: ['user'] }),
      usdBudget('1', { name: 'tokens', limit: { tokens: 100 } }),
    ];
    const { guard } = benchOf(budgets);
    const call = await admit(guard, unknown);
    const settled = await call.settle({
      outcome: 'known',
      usage: usageOf({ input: 1, output: 3 }),
    });
    expect(settled).toEqual({ status: 'settled', costNanoUsd: null, overshoot: [] });
    expect(await guard.status()).toMatchObject([{ budget: 'tokens', committed: 4 }]);
  });

  test('a price book that breaks is not taken for "free"', async () => {
    const prices = {
      quote: () => {
        throw new Error('the table is gone');
      },
    };
    const { guard } = benchOf([usdBudget('1')], { prices });
    await expect(guard.reserve(callOf(1))).rejects.toThrow('the table is gone');
  });
});

describe('case C-55: a model that is declared free', () => {
  const free = callOf(10, { model: 'gratis' });

  test('is not stopped by budgets in USD, and is by the others', async () => {
    const budgets = [
      usdBudget('0.000001', { name: 'usd' }),
      usdBudget('1', { name: 'requests', limit: { requests: 2 } }),
    ];
    const { guard } = benchOf(budgets);
    const paid = await admit(guard, callOf(0, { inputTokens: 1 }));
    await paid.settle({ outcome: 'known', costNanoUsd: 1_000 });
    await expect(denialFor(guard, callOf(1))).resolves.toMatchObject({
      refusals: [{ budget: 'usd' }],
    });
    await (await admit(guard, free)).settle({ outcome: 'known', usage: usageOf({ output: 5 }) });
    expect((await denialFor(guard, free)).refusals.map(({ budget }) => budget)).toEqual([
      'requests',
    ]);
    expect(await collect(guard.ledger({ model: 'gratis' }))).toMatchObject([{ costNanoUsd: 0 }]);
  });

  test('is stopped by a budget in USD that is blocked', async () => {
    const { guard } = benchOf([usdBudget('1', { block: true })]);
    expect(await denialFor(guard, free)).toMatchObject({ refusals: [{ kind: 'blocked' }] });
  });
});

describe('a request that is out of range', () => {
  test.each([
    [{ provider: '' }, '`provider` of a call is a non-empty string'],
    [{ model: undefined }, '`model` of a call is a non-empty string'],
    [
      { inputTokens: undefined },
      '`inputTokens` is a whole number of tokens; this one is undefined',
    ],
    [{ inputTokens: -1 }, '`inputTokens` is a whole number'],
    [{ maxOutputTokens: Number.NaN }, '`maxOutputTokens` is a whole number'],
    [{ minOutputTokens: 1.5 }, '`minOutputTokens` is a whole number'],
    [{ estimate: 'most' }, '`estimate` of a call: write "ceiling", "none" or'],
    [{ estimate: { fixed: { usd: 'x' } } }, '`estimate` of a call'],
    [{ maxOutputTokens: Number.MAX_SAFE_INTEGER }, 'An amount is a whole number from 0 to'],
  ])('%j', async (fields, problem) => {
    const { guard, events } = benchOf([usdBudget('1')]);
    const reserved = guard.reserve(callOf(1, fields as never));
    await expect(reserved).rejects.toSatisfy(InvalidArgumentError.isInstance);
    await expect(reserved).rejects.toThrow(problem);
    expect(events).toEqual([]);
  });
});
