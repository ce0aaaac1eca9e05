import { expect, test } from 'vitest';
import { type Budget, type PriceBook, UnpricedModelError } from '../src/index.ts';
import { type SimulateOptions, simulate } from '../src/simulate.ts';
import { admit, benchOf, callOf, usageOf, usdBudget } from './support/guard.ts';
import { PRICES } from './support/prices.ts';

const capped: Budget = usdBudget('0.0001', { per: ['user'], match: { model: 'small' } });
const tokens: Budget = { name: 'tokens', per: [], limit: { tokens: 250 }, window: 'total' };
/** Prices every model as `small`. */
const prices: PriceBook = { quote: (request) => PRICES.quote({ ...request, model: 'small' }) };

function unpriced({ provider, model }: { provider: string; model: string }): never {
  throw new UnpricedModelError(provider, model, 'it is not listed');
}

test('case C-53: binds budgets by what a call was priced as, as a guard does', async () => {
  const bench = benchOf([usdBudget('100', { per: ['user'] })], { prices });
  const route = { model: 'router/small', identity: { user: 'ann' } };
  const call = await admit(bench.guard, callOf(30, route));
  await call.settle({ outcome: 'known', usage: usageOf({ output: 30 }) });
  const { denied } = await simulate({ budgets: [capped] }, bench.guard.ledger());
  expect(denied).toBe(1);
});

test('and by what the prices that it is given say, where the ledger has none', async () => {
  const bench = benchOf([tokens], { prices: { quote: unpriced } });
  const alias = { model: 'an-alias', identity: { user: 'ann' } };
  const call = await admit(bench.guard, callOf(20, alias));
  await call.settle({ outcome: 'known', usage: usageOf({ output: 20 }) });
  const under = async (options: SimulateOptions) => {
    const { unbound, denied } = await simulate(
      { budgets: [capped] },
      bench.guard.ledger(),
      options,
    );
    return [unbound, denied];
  };
  expect(await under({})).toEqual([1, 1]);
  expect(await under({ prices })).toEqual([0, 1]);
});
