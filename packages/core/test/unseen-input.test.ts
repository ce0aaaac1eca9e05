import { describe, expect, test } from 'vitest';
import { type Budget, type CallRequest, InvalidArgumentError } from '../src/index.ts';
import { admit, benchOf, callOf, usageOf, usdBudget } from './support/guard.ts';
import { bookOf, quoteOf, ratesOf } from './support/prices.ts';

const TIER = { aboveInputTokens: 2_000, rates: ratesOf(2, 20) };
const PRICES = bookOf({
  known: quoteOf(ratesOf(1, 10), { contextTokens: 1_000 }),
  tiered: quoteOf(ratesOf(1, 10), {
    contextTokens: 3_000,
    dearest: { rates: ratesOf(1, 10), tiers: [TIER] },
  }),
  unknown: quoteOf(ratesOf(1, 10)),
});

/** 100 tokens that can be seen, and a file; up to 50 tokens out at $10 per million. */
const callTo = (model: string, more: Partial<CallRequest> = {}): CallRequest =>
  callOf(50, { model, inputTokens: 100, unseenInput: true, ...more });

const counting = (...limits: readonly Budget['limit'][]) =>
  benchOf(
    limits.map((limit, at) => ({ ...usdBudget('1', { name: `b${at}` }), limit }) as Budget),
    { prices: PRICES },
  );

describe('case C-28: input that can be neither seen nor bounded', () => {
  test('is held at the context window of the model', async () => {
    const { guard } = counting({ usd: '1' }, { tokens: 5_000 }, { tokens: 5_000, count: 'output' });
    const call = await admit(guard, callTo('known'));
    const held = (await guard.status()).map((account) => account.held);
    expect(held).toEqual([1_000_000 + 500_000, 1_050, 50]);
    await call.meter({ tokens: 7 });
    expect(call.meteredUsage()).toEqual(usageOf({ input: 1_000, output: 7 }));
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({
      costNanoUsd: 1_000_000 + 70_000,
    });
  });

  test('at the rate of the tier that it may reach', async () => {
    const { guard } = counting({ usd: '1' });
    await admit(guard, callTo('tiered'));
    expect(await guard.status()).toMatchObject([{ held: 3_000 * 2_000 + 50 * 20_000 }]);
  });

  test('leaves room for as much output as fits beside it', async () => {
    const { guard } = counting({ usd: '0.0013' });
    const call = await admit(guard, callTo('known', { minOutputTokens: 10 }));
    expect(call.admittedOutputTokens).toBe(30);
  });

  test('is replaced by what the provider reports', async () => {
    const { guard } = counting({ usd: '1' });
    const call = await admit(guard, callTo('known'));
    call.meter({ usage: { input: 120 }, tokens: 1 });
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({ costNanoUsd: 130_000 });
  });

  test.each(['unknown', 'unpriced'])(
    'is refused where no context window is known (%s), with what to do',
    async (model) => {
      const { guard } = counting({ tokens: 5_000 }, { requests: 5 });
      const refused = guard.reserve(callTo(model));
      await expect(refused).rejects.toThrow(InvalidArgumentError);
      await expect(refused).rejects.toThrow(/contextWindow.*contextTokens.*estimate/s);
      expect(await guard.verify()).toMatchObject({ reservations: 0 });
    },
  );

  test('does not matter where nothing counts input', async () => {
    const { guard } = counting({ requests: 5 }, { concurrent: 5 });
    await admit(guard, callTo('unknown'));
    expect(await guard.status()).toMatchObject([{ held: 1 }, { held: 1 }]);
  });

  test.each(['none', { fixed: { usd: '0.02' } }] as const)(
    'is not held where the estimate is %j: what is seen counts until the provider reports it',
    async (estimate) => {
      const { guard } = counting({ usd: '1' });
      const call = await admit(guard, callTo('unknown', { estimate }));
      await call.meter({ tokens: 7 });
      expect(await call.settle({ outcome: 'metered' })).toMatchObject({
        costNanoUsd: 100_000 + 70_000,
      });
    },
  );
});
