import { describe, expect, test } from 'vitest';
import { UnpricedModelError } from '../src/index.ts';
import { admit, benchOf, callOf, denialFor, usageOf, usdBudget } from './support/guard.ts';
import { bookOf, quoteOf, ratesOf } from './support/prices.ts';

/** 100 tokens in and up to 50 out: $0.0006 by `small`, $0.006 by `large`. */
const request = (...fallbackModels: string[]) => callOf(50, { inputTokens: 100, fallbackModels });

describe('a call that another model may answer', () => {
  test('holds what the dearest of them may cost', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    await admit(guard, request('large'));
    await admit(guard, { ...request('small'), model: 'large' });
    expect(await guard.status()).toMatchObject([{ held: 2 * 6_000_000 }]);
  });

  test('is refused by a budget that carries only the model it asks for', async () => {
    const { guard } = benchOf([usdBudget('0.005')]);
    expect(await denialFor(guard, request('large'))).toMatchObject({
      refusals: [{ requested: 6_000_000, kind: 'too-large' }],
    });
    await admit(guard, request());
  });

  test('is lowered to what fits whichever answers', async () => {
    const { guard } = benchOf([usdBudget('0.003')]);
    const call = await admit(guard, { ...request('large'), minOutputTokens: 10 });
    expect(call.admittedOutputTokens).toBe(20);
  });

  test('is refused where one of them has no price', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    const refused = guard.reserve(request('who-knows'));
    await expect(refused).rejects.toThrow(UnpricedModelError);
    await expect(refused).rejects.toThrow('who-knows');
  });

  test('takes the largest output and context of all, and neither where one is not known', async () => {
    const rates = ratesOf(1, 1);
    const prices = bookOf({
      small: quoteOf(rates, { maxOutputTokens: 10, contextTokens: 100 }),
      wide: quoteOf(rates, { maxOutputTokens: 20, contextTokens: 300 }),
      unknown: quoteOf(rates),
    });
    const { guard } = benchOf([usdBudget('100')], { prices });
    const { maxOutputTokens: _, ...unlimited } = request('wide');
    await admit(guard, { ...unlimited, unseenInput: true });
    expect(await guard.status()).toMatchObject([{ held: (300 + 20) * 1_000 }]);
    const nobody = { ...unlimited, fallbackModels: ['unknown'] };
    expect((await admit(guard, nobody)).admittedOutputTokens).toBe(10_000_000);
    await expect(guard.reserve({ ...nobody, unseenInput: true })).rejects.toThrow('no bound');
  });

  test('is no free call because the model it asks for is', async () => {
    const prices = bookOf({
      gratis: quoteOf(ratesOf(0, 0), { free: true, basis: 'configured' }),
      small: quoteOf(ratesOf(1, 10)),
    });
    const { guard } = benchOf([usdBudget('0.001')], { prices });
    const free = { ...request('small'), model: 'gratis' };
    const call = await admit(guard, free);
    expect(await guard.status()).toMatchObject([{ held: 600_000 }]);
    const usage = usageOf({ input: 100, output: 40 });
    const settled = await call.settle({ outcome: 'known', usage, servedModel: 'small' });
    expect(settled.costNanoUsd).toBe(500_000);
    expect(await denialFor(guard, free)).toMatchObject({ refusals: [{ committed: 500_000 }] });
  });

  test('is charged what was metered at the dearest, since nobody said who answered', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    const call = await admit(guard, request('large'));
    call.meter({ tokens: 7, usage: { input: 60, cacheRead: 30 } });
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({
      costNanoUsd: 90 * 10_000 + 7 * 100_000,
    });
  });

  test('is charged for each class as any other where the list names nobody', async () => {
    const prices = bookOf({ small: quoteOf({ ...ratesOf(1, 10), cacheRead: 0 }) });
    const { guard } = benchOf([usdBudget('1')], { prices });
    const call = await admit(guard, request());
    call.meter({ tokens: 7, usage: { input: 60, cacheRead: 30 } });
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({
      costNanoUsd: 60 * 1_000 + 7 * 10_000,
    });
  });
});
