import { describe, expect, test } from 'vitest';
import { checkConfig } from '../src/config.ts';
import { type Budget, type PriceBook, UnpricedModelError } from '../src/index.ts';
import { admit, benchOf, callOf, collect, denialFor, usageOf, usdBudget } from './support/guard.ts';
import { PRICES } from './support/prices.ts';

/** As a price book is with `unknownModel: 'uncounted'`. */
const prices: PriceBook = { ...PRICES, passesUnpriced: true };
const tokens: Budget = { name: 'tokens', per: [], limit: { tokens: 100 }, window: 'total' };
const unpriced = callOf(10, { model: 'unheard-of' });

describe('models without a price, where they may pass', () => {
  test('are refused by budgets in USD, unless that was asked for', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    await expect(guard.reserve(unpriced)).rejects.toThrow(UnpricedModelError);
  });

  test('pass budgets in USD, which do not count them, and are counted by the others', async () => {
    const { guard } = benchOf([usdBudget('0.000001'), tokens], { prices });
    const usage = usageOf({ input: 20, output: 40 });
    await (await admit(guard, unpriced)).settle({ outcome: 'known', usage });
    expect(await guard.status()).toMatchObject([
      { budget: 'cap', committed: 0, held: 0 },
      { budget: 'tokens', committed: 60, held: 0 },
    ]);
    const many = { ...unpriced, maxOutputTokens: 41 };
    expect((await denialFor(guard, many)).refusals).toMatchObject([{ budget: 'tokens' }]);
  });

  test('have usage in the ledger, and no cost: that is not known, and not 0', async () => {
    const { guard } = benchOf([usdBudget('1')], { prices });
    const usage = usageOf({ output: 5 });
    const { costNanoUsd } = await (await admit(guard, unpriced)).settle({
      outcome: 'known',
      usage,
    });
    expect(costNanoUsd).toBeNull();
    expect(await collect(guard.ledger())).toMatchObject([
      { model: 'unheard-of', usage: { output: 5 }, costNanoUsd: null, price: null, charges: [] },
    ]);
  });

  test('have the cost in the ledger that the provider reports, and are not counted all the same', async () => {
    const { guard } = benchOf([usdBudget('1')], { prices });
    await (await admit(guard, unpriced)).settle({ outcome: 'known', costNanoUsd: 7 });
    expect(await collect(guard.ledger())).toMatchObject([{ costNanoUsd: 7, charges: [] }]);
    expect(await guard.status()).toMatchObject([{ committed: 0 }]);
  });

  test('are stopped by a budget in USD that is blocked', async () => {
    const { guard } = benchOf([usdBudget('1', { block: true })], { prices });
    expect(await denialFor(guard, unpriced)).toMatchObject({ refusals: [{ kind: 'blocked' }] });
  });

  test('leave those alone that have one', async () => {
    const { guard } = benchOf([usdBudget('0.0001')], { prices });
    await denialFor(guard, callOf(11));
    await admit(guard, callOf(10));
    expect(await guard.status()).toMatchObject([{ held: 100_000 }]);
  });

  test('are nothing that the lint has to say of', () => {
    const config = { budgets: [usdBudget('1', { per: ['user'] })] };
    const options = { models: ['acme/unheard-of', 'acme/small'], dimensions: ['user'] };
    const codes = (book: PriceBook) =>
      checkConfig(config, { ...options, prices: book }).map(({ code }) => code);
    expect(codes(PRICES)).toContain('unpriced-model');
    expect(codes(prices)).not.toContain('unpriced-model');
  });
});
