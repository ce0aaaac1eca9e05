import { describe, expect, test } from 'vitest';
import type { Budget, CallRequest, PriceQuote, Settlement } from '../src/index.ts';
import { admit, benchOf, callOf, collect, usageOf, usdBudget } from './support/guard.ts';
import { bookOf, quoteOf, ratesOf } from './support/prices.ts';
import { budgetsInEachUnit, UNITS } from './support/units.ts';

/** 100 tokens in at $1 and up to 50 out at $10 per million. */
const CALL = callOf(50, { inputTokens: 100 });
const HOLD = { usd: 600_000, total: 150, input: 100, output: 50, uncached: 150 };
const USAGE = usageOf({ input: 60, cacheRead: 20, output: 10, reasoning: 5 });
const COST = 80_000 + 150_000;
const USED = { usd: COST, total: 95, input: 80, output: 15, uncached: 75 };

interface Ending {
  readonly settlement: Settlement;
  readonly request?: CallRequest;
  readonly more?: Partial<Budget>;
  /** Tokens that are metered before the end. */
  readonly metered?: number;
}

/** What each budget is charged, by name; nothing may be left held. */
async function chargesOf({ settlement, request = CALL, more = {}, metered = 0 }: Ending) {
  const { guard } = benchOf(budgetsInEachUnit(more));
  const call = await admit(guard, request);
  if (metered > 0) await call.meter({ tokens: metered });
  await call.settle(settlement);
  const status = await guard.status();
  expect(status.map(({ budget }) => budget)).toEqual(UNITS);
  expect(status.map(({ held }) => held)).toEqual(UNITS.map(() => 0));
  return Object.fromEntries(status.map(({ budget, committed }) => [budget, committed]));
}

const RAN = { requests: 1, parallel: 0 };
const NOTHING = { usd: 0, total: 0, input: 0, output: 0, uncached: 0, requests: 0, parallel: 0 };

describe('what each budget is charged', () => {
  test('known: the usage', async () => {
    const settlement = { outcome: 'known', usage: USAGE } as const;
    expect(await chargesOf({ settlement })).toEqual({ ...USED, ...RAN });
  });

  test('known, far above the hold: the usage, whole', async () => {
    const usage = usageOf({ input: 5_000, output: 3_000 });
    const settlement = { outcome: 'known', usage } as const;
    const charged = { usd: 35_000_000, total: 8_000, input: 5_000, output: 3_000, uncached: 8_000 };
    expect(await chargesOf({ settlement })).toEqual({ ...charged, ...RAN });
  });

  test('case C-63: known to be zero: nothing but the request', async () => {
    const settlement = { outcome: 'known', usage: usageOf({}) } as const;
    expect(await chargesOf({ settlement })).toEqual({ ...NOTHING, ...RAN });
  });

  test.each([Number.NaN, -1, undefined, null, 0.5])(
    'case C-62: known, with usage that is none (%s): the hold',
    async (input) => {
      const usage = { ...USAGE, input: input as never };
      const settlement = { outcome: 'known', usage } as const;
      expect(await chargesOf({ settlement })).toEqual({ ...HOLD, ...RAN });
    },
  );

  test('known, without any figure: the hold', async () => {
    expect(await chargesOf({ settlement: { outcome: 'known' } })).toEqual({ ...HOLD, ...RAN });
  });

  test('known by a cost that the provider reports: that beats our arithmetic', async () => {
    const settlement = { outcome: 'known', usage: USAGE, costNanoUsd: 7 } as const;
    expect(await chargesOf({ settlement })).toEqual({ ...USED, usd: 7, ...RAN });
  });

  test('known by its cost alone: tokens at the hold', async () => {
    const settlement = { outcome: 'known', costNanoUsd: 7 } as const;
    expect(await chargesOf({ settlement })).toEqual({ ...HOLD, usd: 7, ...RAN });
  });

  test.each([Number.NaN, -1, 0.5, 1e16])(
    'case C-21: a cost of %d is none: the usage',
    async (costNanoUsd) => {
      const settlement = { outcome: 'known', usage: USAGE, costNanoUsd } as const;
      expect(await chargesOf({ settlement })).toEqual({ ...USED, ...RAN });
    },
  );

  test('usage beyond everything that is counted exactly: the hold', async () => {
    const usage = usageOf({ input: Number.MAX_SAFE_INTEGER });
    const settlement = { outcome: 'known', usage } as const;
    expect(await chargesOf({ settlement })).toEqual({ ...HOLD, output: 0, ...RAN });
  });

  test('metered: the input bound and the output that was metered', async () => {
    const charged = { usd: 100_000 + 70_000, total: 107, input: 100, output: 7, uncached: 107 };
    const settlement = { outcome: 'metered' } as const;
    expect(await chargesOf({ settlement, metered: 7 })).toEqual({ ...charged, ...RAN });
  });

  test('metered, with usage that the adapter metered', async () => {
    const settlement = { outcome: 'metered', usage: USAGE } as const;
    expect(await chargesOf({ settlement, metered: 7 })).toEqual({ ...USED, ...RAN });
  });

  test('metered, with usage that is none: the hold', async () => {
    const settlement = { outcome: 'metered', usage: { ...USAGE, output: Number.NaN } } as const;
    expect(await chargesOf({ settlement, metered: 7 })).toEqual({ ...HOLD, ...RAN });
  });

  test('case C-71: unknown: the hold', async () => {
    const settlement = { outcome: 'unknown' } as const;
    expect(await chargesOf({ settlement })).toEqual({ ...HOLD, ...RAN });
  });

  test('unknown, with `onUnknown: release`: nothing', async () => {
    const settlement = { outcome: 'unknown' } as const;
    expect(await chargesOf({ settlement, more: { onUnknown: 'release' } })).toEqual(NOTHING);
  });

  test('known, with usage that is none and `onUnknown: release`: the hold, since it did run', async () => {
    const settlement = { outcome: 'known' } as const;
    expect(await chargesOf({ settlement, more: { onUnknown: 'release' } })).toEqual({
      ...HOLD,
      ...RAN,
    });
  });

  test('case C-19: not sent: nothing', async () => {
    expect(await chargesOf({ settlement: { outcome: 'not-sent' } })).toEqual(NOTHING);
  });
});

describe('a call that holds nothing is charged what it metered where the hold would be', () => {
  const request = { ...CALL, estimate: 'none' } as const;
  const METERED = { usd: 170_000, total: 107, input: 100, output: 7, uncached: 107 };

  test.each<Settlement>([
    { outcome: 'known' },
    { outcome: 'known', usage: { ...USAGE, input: Number.NaN } },
    { outcome: 'known', costNanoUsd: -1 },
    { outcome: 'metered' },
    { outcome: 'metered', usage: { ...USAGE, input: Number.NaN } },
    { outcome: 'unknown' },
  ])('%j', async (settlement) => {
    expect(await chargesOf({ settlement, request, metered: 7 })).toEqual({ ...METERED, ...RAN });
  });

  test('a cost that the provider reports is kept', async () => {
    const settlement = { outcome: 'known', costNanoUsd: 7 } as const;
    expect(await chargesOf({ settlement, request, metered: 7 })).toEqual({
      ...METERED,
      usd: 7,
      ...RAN,
    });
  });

  test('`onUnknown: release` is obeyed', async () => {
    const settlement = { outcome: 'unknown' } as const;
    const more = { onUnknown: 'release' } as const;
    expect(await chargesOf({ settlement, request, more, metered: 7 })).toEqual(NOTHING);
  });

  test('what was not sent, or is known, is charged as always', async () => {
    const known = { outcome: 'known', usage: USAGE } as const;
    expect(await chargesOf({ settlement: known, request, metered: 7 })).toEqual({
      ...USED,
      ...RAN,
    });
    const notSent = { outcome: 'not-sent' } as const;
    expect(await chargesOf({ settlement: notSent, request, metered: 7 })).toEqual(NOTHING);
  });
});

describe('the price of a settlement', () => {
  const models = { small: quoteOf(ratesOf(1, 10)), large: quoteOf(ratesOf(10, 100)) };
  const usage = usageOf({ input: 10, output: 1 });

  test('is that of the model that answered', async () => {
    const { guard } = benchOf([usdBudget('1')], { prices: bookOf(models) });
    const cost = async (servedModel: string) => {
      const call = await admit(guard, callOf(1));
      return (await call.settle({ outcome: 'known', usage, servedModel })).costNanoUsd;
    };
    expect(await cost('small')).toBe(20_000);
    expect(await cost('large')).toBe(200_000);
    expect(await cost('unheard-of')).toBe(20_000);
    expect(await collect(guard.ledger({ model: 'large' }))).toMatchObject([
      { model: 'small', servedModel: 'large', price: { rates: ratesOf(10, 100) } },
    ]);
  });

  test('is not corrected where it was configured for the model that was asked', async () => {
    const configured = quoteOf(ratesOf(1, 10), { basis: 'configured' });
    const { guard } = benchOf([usdBudget('1')], {
      prices: bookOf({ ...models, small: configured }),
    });
    const call = await admit(guard, callOf(1));
    const result = await call.settle({ outcome: 'known', usage, servedModel: 'large' });
    expect(result.costNanoUsd).toBe(20_000);
  });

  test('is never a ceiling in place of a price, but a price in place of a ceiling', async () => {
    const ceiling = quoteOf(ratesOf(50, 500), { basis: 'ceiling' });
    const cost = async (small: PriceQuote, large: PriceQuote) => {
      const { guard } = benchOf([usdBudget('1')], { prices: bookOf({ small, large }) });
      const call = await admit(guard, callOf(1));
      return (await call.settle({ outcome: 'known', usage, servedModel: 'large' })).costNanoUsd;
    };
    expect(await cost(models.small, ceiling)).toBe(20_000);
    expect(await cost(ceiling, models.large)).toBe(200_000);
  });

  test('is settled even where the price book breaks on the name of that model', async () => {
    const { quote } = bookOf(models);
    const prices = {
      quote: (request: Parameters<typeof quote>[0]) => {
        if (request.model === 'odd') throw new TypeError('broken');
        return quote(request);
      },
    };
    const { guard } = benchOf([usdBudget('1')], { prices });
    const call = await admit(guard, callOf(1));
    const result = await call.settle({ outcome: 'known', usage, servedModel: 'odd' });
    expect(result).toMatchObject({ status: 'settled', costNanoUsd: 20_000 });
  });

  test('is that of the start of the call', async () => {
    let isDear = false;
    const asked: number[] = [];
    const prices = {
      quote: ({ at }: { at: number }) => {
        asked.push(at);
        return isDear ? models.large : models.small;
      },
    };
    const { guard, clock } = benchOf([usdBudget('1')], { prices });
    const startedAt = clock.now();
    const call = await admit(guard, callOf(1));
    isDear = true;
    clock.advance(60_000);
    expect(await call.settle({ outcome: 'known', usage })).toMatchObject({ costNanoUsd: 20_000 });
    expect(new Set(asked)).toEqual(new Set([startedAt]));
  });

  test('case C-49: of a class without one is not known: the hold is charged, and flagged', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    const call = await admit(guard, CALL);
    const result = await call.settle({
      outcome: 'known',
      usage: usageOf({ input: 5, audioOutput: 5 }),
    });
    expect(result).toEqual({ status: 'settled', costNanoUsd: 600_000, overshoot: [] });
    expect(await collect(guard.ledger())).toMatchObject([
      { unpriced: true, usage: { audioOutput: 5 }, costNanoUsd: 600_000 },
    ]);
  });

  test('case C-67: eleven elevenths of a cap round up, and never fit', async () => {
    const { guard } = benchOf([usdBudget('0.000000100')], {
      estimate: { fixed: { usd: '0.000000009' } },
    });
    for (let part = 0; part < 10; part += 1) {
      const call = await admit(guard, callOf(1));
      await call.settle({ outcome: 'known', costNanoUsd: Math.ceil(100 / 11) });
    }
    expect(await guard.status()).toMatchObject([{ committed: 100, remaining: 0, tier: 'reached' }]);
    expect((await guard.reserve(callOf(1))).admitted).toBe(false);
  });
});
