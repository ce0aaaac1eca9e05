import { expect, test } from 'vitest';
import { createSpendGuard } from '../src/index.ts';
import { admit, benchOf, collect, usageOf, usdBudget } from './support/guard.ts';
import { bookOf, PRICES, quoteOf, ratesOf } from './support/prices.ts';

test('a caller may change its request and its usage, and use them again', async () => {
  const { guard } = benchOf([usdBudget('10')]);
  const tags = { step: 1 };
  const request = { provider: 'acme', model: 'small', inputTokens: 100, maxOutputTokens: 10, tags };
  const usage = { ...usageOf({ input: 100, output: 5 }), fees: {} as Record<string, number> };
  const first = await admit(guard, request);
  const change = { model: 'large', operationId: 'another' };
  tags.step = 2;
  const second = await admit(guard, Object.assign(request, change));
  await first.settle({ outcome: 'known', usage });
  usage.output += 1;
  await second.settle({ outcome: 'known', usage });
  usage.output = 999;
  usage.fees['webSearch'] = 9;
  const [one, other] = await collect(guard.ledger());
  const told = { model: 'small', costNanoUsd: 150_000, usage: { output: 5, fees: {} } };
  expect(one).toMatchObject({ ...told, price: { model: 'small' }, tags: { step: 1 } });
  expect(one).not.toHaveProperty('operationId');
  const costNanoUsd = 100 * 10_000 + 6 * 100_000;
  expect(other).toMatchObject({ ...change, costNanoUsd, usage: { output: 6 }, tags: { step: 2 } });
});

test('a usage may be of a class that works its figures out', async () => {
  class Total {
    readonly answers: readonly number[] = [2, 3];
    readonly input = 100;
    readonly cacheRead = 0;
    readonly cacheWrite5m = 0;
    readonly cacheWrite1h = 0;
    readonly reasoning = 0;
    get output(): number {
      return this.answers.reduce((sum, count) => sum + count);
    }
  }
  const { guard } = benchOf([usdBudget('10')]);
  const request = { provider: 'acme', model: 'small', inputTokens: 100, maxOutputTokens: 10 };
  const call = await admit(guard, request);
  await call.settle({ outcome: 'known', usage: new Total() });
  const [entry] = await collect(guard.ledger());
  expect(entry?.costNanoUsd).toBe(150_000);
  expect(entry?.usage).toEqual(usageOf({ input: 100, output: 5 }));
});

test('a caller may change its list of fallbacks', async () => {
  const prices = bookOf({
    small: { ...quoteOf(ratesOf(1, 10)), basis: 'configured' },
    large: quoteOf(ratesOf(10, 100)),
  });
  const { guard } = benchOf([usdBudget('10')], { prices });
  const fallbackModels = ['large'];
  const request = { provider: 'acme', model: 'small', inputTokens: 100, maxOutputTokens: 10 };
  const call = await admit(guard, { ...request, fallbackModels });
  fallbackModels.length = 0;
  const usage = usageOf({ output: 5 });
  const end = await call.settle({ outcome: 'known', usage, servedModel: 'large' });
  expect(end.costNanoUsd).toBe(500_000);
});

const LIMITS = { limits: { cap: { resolve: async () => ({ usd: '10' }) } } };

test.each([
  ['for its sink to be loaded', {}, []],
  ['for that and for limits that are kept elsewhere', LIMITS, []],
  ['for such limits alone', LIMITS, ['u0']],
])('one that waits %s is of whom it was asked for', async (_, options, before) => {
  const budgets = [usdBudget('1', { per: ['user'] })];
  const guard = createSpendGuard({ budgets, prices: PRICES, ...options });
  const identity = { user: '' };
  const request = { identity, provider: 'acme', model: 'small', inputTokens: 1 };
  const ask = (user: string) => {
    identity.user = user;
    return guard.reserve({ ...request, maxOutputTokens: 1 });
  };
  for (const user of before) await ask(user);
  const asked = await Promise.all(['u1', 'u2'].map(ask));
  expect(asked.map(({ admitted }) => admitted)).toEqual([true, true]);
  for (const user of ['u1', 'u2']) {
    expect(await guard.status({ user })).toMatchObject([{ held: 11_000 }]);
  }
  await guard.close();
});
