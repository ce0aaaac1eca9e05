import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Budget, type CallRequest, formatUsd } from '../src/index.ts';
import {
  admit,
  benchOf,
  callOf,
  denialFor,
  eventsOf,
  usageOf,
  usdBudget,
} from './support/guard.ts';
import { bookOf, quoteOf, ratesOf } from './support/prices.ts';

const tokens = (limit: number, others: Partial<Budget> = {}): Budget =>
  usdBudget('1', { name: 'tokens', limit: { tokens: limit }, ...others });

/** What a call holds on each of these budgets. */
async function holdsOf(budgets: readonly Budget[], request: CallRequest): Promise<number[]> {
  const { guard } = benchOf(budgets);
  await admit(guard, request);
  return (await guard.status()).map(({ held }) => held);
}

describe('the ceiling', () => {
  test('is the input bound and the largest output, in each unit', async () => {
    const count = (what: 'input' | 'output' | 'uncached') =>
      tokens(1_000, { name: what, limit: { tokens: 1_000, count: what } });
    const budgets = [
      usdBudget('1'),
      tokens(1_000),
      count('input'),
      count('output'),
      count('uncached'),
      usdBudget('1', { name: 'requests', limit: { requests: 5 } }),
      usdBudget('1', { name: 'parallel', limit: { concurrent: 5 } }),
    ];
    const request = callOf(20, { inputTokens: 100 });
    expect(await holdsOf(budgets, request)).toEqual([300_000, 120, 100, 20, 120, 1, 1]);
  });

  test('without an output limit is what the model can give, or its context, or the most there is', async () => {
    const held = async (details: Partial<Parameters<typeof quoteOf>[1]>) => {
      const prices = bookOf({ m: quoteOf(ratesOf(1, 10), details) });
      const { guard } = benchOf([usdBudget('1000')], { prices });
      const call = await admit(guard, { provider: 'acme', model: 'm', inputTokens: 0 });
      return [call.admittedOutputTokens, (await guard.status())[0]?.held];
    };
    const known = { maxOutputTokens: 4_096, contextTokens: 200_000 };
    expect(await held(known)).toEqual([4_096, 40_960_000]);
    expect(await held({ ...known, maxOutputTokens: null })).toEqual([200_000, 2_000_000_000]);
    expect(await held({})).toEqual([10_000_000, 100_000_000_000]);
  });

  test('is priced at the dearest rate that the call can reach', async () => {
    const dear = ratesOf(1, 10, {
      cacheWrite5m: 2_000_000,
      cacheWrite1h: 5_000_000,
      reasoning: 20_000_000,
    });
    const prices = bookOf({ m: quoteOf(ratesOf(1, 10), { dearest: { rates: dear } }) });
    const held = async (traits: Partial<CallRequest>) => {
      const { guard } = benchOf([usdBudget('1')], { prices });
      await admit(guard, {
        provider: 'acme',
        model: 'm',
        inputTokens: 100,
        maxOutputTokens: 10,
        ...traits,
      });
      return (await guard.status())[0]?.held;
    };
    expect(await held({})).toBe(200_000 + 200_000);
    expect(await held({ longCacheWrites: true })).toBe(500_000 + 200_000);
  });
});

describe('case C-27: an output that does not fit as a whole', () => {
  test('is refused by default', async () => {
    const { guard } = benchOf([usdBudget('0.01')]);
    expect(await denialFor(guard, callOf(1_001))).toMatchObject({
      refusals: [{ kind: 'too-large' }],
    });
  });

  test('is lowered to what does, where the caller can lower it', async () => {
    const { guard } = benchOf([usdBudget('0.01')]);
    const call = await admit(guard, callOf(5_000, { inputTokens: 100, minOutputTokens: 256 }));
    expect([call.admittedOutputTokens, call.clamped]).toEqual([990, true]);
    expect(await guard.status()).toMatchObject([{ held: 10_000_000, remaining: 0 }]);
  });

  test('is left alone where it fits', async () => {
    const { guard } = benchOf([usdBudget('0.01')]);
    const call = await admit(guard, callOf(1_000, { minOutputTokens: 256 }));
    expect([call.admittedOutputTokens, call.clamped]).toEqual([1_000, false]);
  });

  test('is refused where less would be left than is of use', async () => {
    const { guard } = benchOf([usdBudget('0.01')]);
    await admit(guard, callOf(10));
    const denial = await denialFor(guard, callOf(5_000, { minOutputTokens: 991 }));
    expect(denial.refusals).toMatchObject([{ kind: 'too-large', requested: 50_000_000 }]);
  });

  test('is refused where nothing is left, were it of use', async () => {
    const { guard } = benchOf([usdBudget('0.01')]);
    await admit(guard, callOf(1_000));
    const denial = await denialFor(guard, callOf(10, { minOutputTokens: 0 }));
    expect(denial.refusals).toMatchObject([{ kind: 'held', requested: 100_000 }]);
  });

  test('needs no more than was asked for', async () => {
    const { guard } = benchOf([usdBudget('0.01')]);
    const call = await admit(guard, callOf(100, { minOutputTokens: 256 }));
    expect([call.admittedOutputTokens, call.clamped]).toEqual([100, false]);
    await admit(guard, callOf(850));
    const rest = await admit(guard, callOf(60, { minOutputTokens: 50 }));
    expect([rest.admittedOutputTokens, rest.clamped]).toEqual([50, true]);
  });

  test('fits beside what is spent and what others hold', async () => {
    const { guard } = benchOf([usdBudget('0.01')]);
    const spent = await admit(guard, callOf(400));
    await spent.settle({ outcome: 'known', costNanoUsd: 3_000_000 });
    await admit(guard, callOf(200));
    const call = await admit(guard, callOf(5_000, { minOutputTokens: 1 }));
    expect([call.admittedOutputTokens, call.clamped]).toEqual([500, true]);
  });

  test('is refused by a budget that is blocked, however little would do', async () => {
    const { guard } = benchOf([usdBudget('0.01', { block: true })]);
    const denial = await denialFor(guard, callOf(5_000, { minOutputTokens: 1 }));
    expect(denial.refusals).toMatchObject([{ kind: 'blocked', requested: 50_000_000 }]);
  });

  test('fits all accounts that refuse', async () => {
    const budgets = [
      usdBudget('0.01'),
      tokens(500),
      tokens(9, { name: 'out', limit: { tokens: 300, count: 'output' } }),
    ];
    const { guard } = benchOf(budgets);
    const call = await admit(guard, callOf(5_000, { inputTokens: 250, minOutputTokens: 1 }));
    expect(call.admittedOutputTokens).toBe(250);
    expect((await guard.status()).map(({ held }) => held)).toEqual([2_750_000, 500, 250]);
  });

  test('cannot help where output is not what is missing', async () => {
    const request = callOf(10, { inputTokens: 100, minOutputTokens: 1 });
    const kinds = async (budgets: readonly Budget[]) => {
      const { guard } = benchOf(budgets);
      await admit(guard, callOf(1, { inputTokens: 1 }));
      return (await denialFor(guard, request)).refusals.map(({ kind }) => kind);
    };
    expect(await kinds([tokens(0, { limit: { tokens: 50, count: 'input' } })])).toEqual([
      'too-large',
    ]);
    expect(await kinds([tokens(0, { limit: { requests: 1 } })])).toEqual(['held']);
    expect(await kinds([tokens(0, { limit: { concurrent: 1 } })])).toEqual(['held']);
  });

  test('is the largest that fits: a token more would not (any prices, sizes and caps)', async () => {
    const rate = fc.integer({ min: 1, max: 100_000_000 });
    const rates = fc.record({ input: rate, output: rate });
    const size = fc.record({ input: fc.nat(10_000), min: fc.integer({ min: 1, max: 50 }) });
    const limits = fc.record({
      nano: fc.integer({ min: 1, max: 10_000_000_000 }),
      tokens: fc.integer({ min: 1, max: 20_000 }),
    });
    await fc.assert(
      fc.asyncProperty(rates, size, limits, async (perToken, { input, min }, limit) => {
        const model = quoteOf(ratesOf(0, 0, { ...perToken, reasoning: perToken.output }));
        const budgets = [usdBudget(formatUsd(limit.nano).slice(1)), tokens(limit.tokens)];
        const bench = () => benchOf(budgets, { prices: bookOf({ m: model }) }).guard;
        const request = {
          provider: 'acme',
          model: 'm',
          inputTokens: input,
          maxOutputTokens: 30_000,
        };
        const clamped = await bench().reserve({ ...request, minOutputTokens: min });
        const exactly = (maxOutputTokens: number) =>
          bench().reserve({ ...request, maxOutputTokens });
        if (!clamped.admitted) {
          expect((await exactly(min)).admitted).toBe(false);
          return;
        }
        const fitting = clamped.call.admittedOutputTokens as number;
        expect(fitting).toBeGreaterThanOrEqual(min);
        expect((await exactly(fitting)).admitted).toBe(true);
        if (fitting < 30_000) expect((await exactly(fitting + 1)).admitted).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test('a refusal whose code cannot be loaded is a denial all the same', async () => {
  vi.doMock('../src/on-demand.ts', () => {
    throw new Error('gone with a deployment');
  });
  onTestFinished(() => vi.doUnmock('../src/on-demand.ts'));
  const { guard, events } = benchOf([usdBudget('0.0005')]);
  expect(await denialFor(guard, callOf(100, { minOutputTokens: 10 }))).toMatchObject({
    refusals: [{ kind: 'too-large' }],
  });
  expect(eventsOf(events, 'denied')).toHaveLength(1);
});

describe('other estimates', () => {
  test('case C-25: `none` holds nothing, and is refused only by what is exhausted', async () => {
    const budgets = [
      usdBudget('0.001'),
      tokens(100),
      usdBudget('1', { name: 'requests', limit: { requests: 3 } }),
      usdBudget('1', { name: 'parallel', limit: { concurrent: 3 } }),
    ];
    const { guard } = benchOf(budgets);
    const request = callOf(1_000_000, { inputTokens: 1_000_000, estimate: 'none' });
    const call = await admit(guard, request);
    expect(call.admittedOutputTokens).toBeNull();
    expect((await guard.status()).map(({ held }) => held)).toEqual([0, 0, 1, 1]);
    const settled = await call.settle({ outcome: 'known', usage: usageOf({ output: 99 }) });
    expect(settled.overshoot).toEqual([]);
    await (await admit(guard, request)).settle({ outcome: 'known', usage: usageOf({ output: 5 }) });
    expect((await denialFor(guard, request)).refusals).toMatchObject([
      { budget: 'cap', kind: 'spent' },
      { budget: 'tokens', kind: 'spent' },
    ]);
  });

  test('`fixed` holds so much money, whatever the call', async () => {
    const estimate = { fixed: { usd: '0.02' } };
    const budgets = [usdBudget('0.05'), usdBudget('1', { name: 'other' }), tokens(100)];
    const { guard } = benchOf(budgets, { estimate });
    const call = await admit(guard, callOf(1_000_000));
    expect(call.admittedOutputTokens).toBeNull();
    expect((await guard.status()).map(({ held }) => held)).toEqual([20_000_000, 20_000_000, 0]);
    await admit(guard, callOf(1));
    expect(await denialFor(guard, callOf(1))).toMatchObject({
      refusals: [{ budget: 'cap', kind: 'held' }],
    });
  });

  test('of the call beats that of the guard', async () => {
    const { guard } = benchOf([usdBudget('1')], { estimate: 'none' });
    await admit(guard, callOf(100, { estimate: 'ceiling' }));
    expect(await guard.status()).toMatchObject([{ held: 1_000_000 }]);
  });
});
