import { expect, test } from 'vitest';
import { InvalidArgumentError, type PriceBook, UnpricedModelError } from '../src/index.ts';
import { admit, benchOf, callOf, collect, usageOf, usdBudget } from './support/guard.ts';
import { quoteOf, ratesOf } from './support/prices.ts';

/** Twice the price for what has priority; nobody knows what is fast. */
const prices: PriceBook = {
  quote({ provider, model, serviceTier }) {
    if (serviceTier === 'fast') throw new UnpricedModelError(provider, model, 'fast');
    const factor = (serviceTier === 'priority' ? 2 : 1) * (model === 'large' ? 3 : 1);
    return quoteOf(ratesOf(factor, 10 * factor), { maxOutputTokens: 70 });
  },
};
const SETTLED = { outcome: 'known', usage: usageOf({ output: 50 }) } as const;

test('a call is held at the tier that it asks for, and charged at the one that it got', async () => {
  const { guard } = benchOf([usdBudget('1')], { prices });
  const call = () => admit(guard, callOf(50, { serviceTier: 'priority' }));
  const calls = [await call(), await call()];
  expect(await guard.status()).toMatchObject([{ held: 2 * 1_000_000 }]);
  expect(await calls[0]?.settle(SETTLED)).toMatchObject({ costNanoUsd: 1_000_000 });
  const served = { ...SETTLED, serviceTier: 'default' };
  expect(await calls[1]?.settle(served)).toMatchObject({ costNanoUsd: 500_000 });
});

test('also where another answers, or nobody asked; by the price it was held at where none is known', async () => {
  const { guard } = benchOf([usdBudget('1')], { prices });
  const ends = [
    [{ serviceTier: 'priority' }, { servedModel: 'other' }, 1_000_000],
    [{}, { serviceTier: 'priority' }, 1_000_000],
    [{}, { serviceTier: 'fast' }, 500_000],
    [{}, { serviceTier: 'fast', servedModel: 'large' }, 1_500_000],
    [{ serviceTier: 'priority' }, { serviceTier: 'fast', servedModel: 'large' }, 3_000_000],
    [{ fallbackModels: ['other'], serviceTier: 'priority' }, {}, 1_000_000],
  ] as const;
  for (const [asked, served, costNanoUsd] of ends) {
    const call = await admit(guard, callOf(50, asked));
    expect(await call.settle({ ...SETTLED, ...served })).toMatchObject({ costNanoUsd });
  }
  const fast = guard.reserve(callOf(50, { serviceTier: 'fast' }));
  await expect(fast).rejects.toThrow(UnpricedModelError);
});

test('one without a price changes nothing for budgets that count no money', async () => {
  const budgets = [{ name: 'tokens', per: [], limit: { tokens: 1_000 }, window: 'total' as const }];
  const { guard } = benchOf(budgets, { prices });
  const { maxOutputTokens: _, ...unlimited } = callOf(0, { serviceTier: 'fast' });
  const call = await admit(guard, unlimited);
  expect(call.admittedOutputTokens).toBe(70);
  await call.settle(SETTLED);
  expect(await collect(guard.ledger())).toMatchObject([{ costNanoUsd: 500_000 }]);
});

test.each([{ serviceTier: 5 }, { fallbackModels: 'large' }, { fallbackModels: [null] }])(
  '%j is refused as no tier, and no list of models',
  async (fields) => {
    const { guard } = benchOf([usdBudget('1')], { prices });
    const refused = guard.reserve(callOf(50, fields as never));
    await expect(refused).rejects.toThrow(InvalidArgumentError);
  },
);
