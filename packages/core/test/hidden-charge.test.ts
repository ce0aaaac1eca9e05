import { describe, expect, test } from 'vitest';
import type { CallRequest, Settlement, SpendCall } from '../src/index.ts';
import { admit, benchOf, callOf, collect, eventsOf, usageOf, usdBudget } from './support/guard.ts';
import { bookOf, quoteOf, ratesOf } from './support/prices.ts';
import { budgetsInEachUnit } from './support/units.ts';

/** 100 tokens in at $1 and up to 50 out at $10 per million, by a model that reasons out of sight. */
const CALL = callOf(50, { inputTokens: 100, hiddenReasoning: true });
const HELD = { usd: 600_000, total: 150, input: 100, output: 50, uncached: 150 };
const SEEN = { usd: 170_000, total: 107, input: 100, output: 7, uncached: 107 };
const RAN = { requests: 1, parallel: 0 };

type Stream = (call: SpendCall) => unknown;

const sevenTokens: Stream = (call) => call.meter({ tokens: 7 });

/** What each budget is charged for a stream that ends like this. */
async function chargesOf(
  stream: Stream,
  { request = CALL, settlement = { outcome: 'metered' } as Settlement } = {},
) {
  const { guard } = benchOf(budgetsInEachUnit());
  const call = await admit(guard, request);
  await stream(call);
  await call.settle(settlement);
  const status = await guard.status();
  expect(await guard.verify()).toMatchObject({ reservations: 0, differences: [] });
  return Object.fromEntries(status.map(({ budget, committed }) => [budget, committed]));
}

describe('a stream that ends without usage, of a model that reasons out of sight', () => {
  test('is charged at its hold, in every unit', async () => {
    expect(await chargesOf(sevenTokens)).toEqual({ ...HELD, ...RAN });
  });

  test('is charged what was metered where the model hides nothing', async () => {
    const request = { ...CALL, hiddenReasoning: false };
    expect(await chargesOf(sevenTokens, { request })).toEqual({ ...SEEN, ...RAN });
  });

  test('is charged its usage where that is known', async () => {
    const usage = usageOf({ input: 10, output: 5, reasoning: 20 });
    const charged = { usd: 260_000, total: 35, input: 10, output: 25, uncached: 35 };
    for (const outcome of ['known', 'metered'] as const) {
      const settlement = { outcome, usage };
      expect(await chargesOf(sevenTokens, { settlement })).toEqual({ ...charged, ...RAN });
    }
  });

  test('is charged its clamp where it was admitted with less', async () => {
    const { guard } = benchOf([usdBudget('0.0003')]);
    const request = { ...CALL, inputTokens: 0, minOutputTokens: 10 };
    const call = await admit(guard, request);
    expect(call.admittedOutputTokens).toBe(30);
    await call.meter({ tokens: 3 });
    expect(await call.settle({ outcome: 'metered' })).toEqual({
      status: 'settled',
      costNanoUsd: 300_000,
      overshoot: [],
    });
  });

  test('is never charged less than what it showed', async () => {
    const shown = { usd: 800_000, total: 170, input: 100, output: 70, uncached: 170 };
    const stream: Stream = (call) => call.meter({ tokens: 70 });
    expect(await chargesOf(stream)).toEqual({ ...shown, ...RAN });
  });

  test('shows in the ledger with what was seen, and why it cost more', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    const call = await admit(guard, CALL);
    await call.meter({ tokens: 7 });
    expect(call.meteredUsage()).toEqual(usageOf({ input: 100, output: 7 }));
    await call.settle({ outcome: 'metered' });
    expect(await collect(guard.ledger())).toMatchObject([
      {
        outcome: 'metered',
        usage: usageOf({ input: 100, output: 7 }),
        costNanoUsd: 600_000,
        heldNanoUsd: 600_000,
        hiddenReasoning: true,
      },
    ]);
  });

  test('says nothing of that where the usage is all that was charged', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    for (const hiddenReasoning of [true, false]) {
      const call = await admit(guard, { ...CALL, hiddenReasoning });
      await call.meter({ tokens: 7, usage: { output: 9 } });
      const usage = usageOf({ output: 9 });
      await call.settle(hiddenReasoning ? { outcome: 'known', usage } : { outcome: 'metered' });
    }
    const entries = await collect(guard.ledger());
    expect(entries.map((entry) => 'hiddenReasoning' in entry)).toEqual([false, false]);
  });

  test('cannot be left early again and again to pass a cap', async () => {
    const { guard } = benchOf([usdBudget('0.0025')]);
    let billed = 0;
    for (;;) {
      const reservation = await guard.reserve(callOf(100, { hiddenReasoning: true }));
      if (!reservation.admitted) break;
      await reservation.call.meter({ tokens: 1 });
      await reservation.call.settle({ outcome: 'metered' });
      // The provider has reasoned for all but one of them.
      billed += 100 * 10_000;
    }
    expect(billed).toBe(2_000_000);
    expect(await guard.status()).toMatchObject([{ committed: billed }]);
  });
});

describe('output that the provider reports on the way', () => {
  test('is what was billed, if nothing came after it', async () => {
    const charged = { usd: 400_000, total: 130, input: 100, output: 30, uncached: 130 };
    const stream: Stream = (call) => {
      call.meter({ tokens: 7 });
      call.meter({ usage: { output: 10, reasoning: 20 } });
    };
    expect(await chargesOf(stream)).toEqual({ ...charged, ...RAN });
  });

  test.each<[string, Stream]>([
    [
      'was followed by more text',
      (call) => {
        call.meter({ usage: { output: 30 } });
        call.meter({ text: ' more' });
      },
    ],
    [
      'was followed by more tokens',
      (call) => {
        call.meter({ usage: { output: 30 } });
        call.meter({ tokens: 1 });
      },
    ],
    ['is a zero', (call) => call.meter({ tokens: 7, usage: { output: 0 } })],
    ['is no count', (call) => call.meter({ tokens: 7, usage: { output: Number.NaN } })],
    [
      'is less than what was seen',
      (call) => {
        call.meter({ tokens: 7 });
        call.meter({ usage: { output: 6 } });
      },
    ],
  ])('is not trusted where it %s: the hold', async (_, stream) => {
    expect(await chargesOf(stream)).toEqual({ ...HELD, ...RAN });
  });

  test('and input that it reports takes the place of the bound', async () => {
    const charged = { usd: 20_000 + 500_000, total: 70, input: 20, output: 50, uncached: 65 };
    const stream: Stream = (call) => {
      call.meter({ usage: { input: 15, cacheRead: 5 } });
      call.meter({ tokens: 7 });
    };
    expect(await chargesOf(stream)).toEqual({ ...charged, ...RAN });
  });

  test('or else the bound counts at the dearest rate that it may have: as in the hold', async () => {
    const rates = ratesOf(1, 10, { cacheWrite5m: 2_000_000 });
    const { guard } = benchOf([usdBudget('1')], { prices: bookOf({ small: quoteOf(rates) }) });
    const call = await admit(guard, CALL);
    await call.meter({ tokens: 7 });
    const { costNanoUsd } = await call.settle({ outcome: 'metered' });
    expect(costNanoUsd).toBe(100 * 2_000 + 50 * 10_000);
    expect(await collect(guard.ledger())).toMatchObject([{ heldNanoUsd: costNanoUsd }]);
  });

  test('hidden tokens cost the dearest that they may, next to reported input too', async () => {
    const rates = ratesOf(1, 10, { reasoning: 30_000_000 });
    const { guard } = benchOf([usdBudget('1')], { prices: bookOf({ small: quoteOf(rates) }) });
    const call = await admit(guard, CALL);
    call.meter({ usage: { input: 20 } });
    await call.meter({ tokens: 7 });
    const { costNanoUsd } = await call.settle({ outcome: 'metered' });
    expect(costNanoUsd).toBe(20_000 + 50 * 30_000);
  });
});

describe('a call that holds nothing for its output', () => {
  const holding = (estimate: CallRequest['estimate'], more: Partial<CallRequest> = {}) =>
    ({ ...CALL, estimate, ...more }) as CallRequest;

  test.each(['none', { fixed: { usd: '0.0001' } }] as const)(
    'is charged its own output limit all the same: %j',
    async (estimate) => {
      const request = holding(estimate);
      expect(await chargesOf(sevenTokens, { request })).toEqual({ ...HELD, ...RAN });
    },
  );

  test('or else the most that the model can give', async () => {
    const { maxOutputTokens: _, ...unlimited } = holding('none');
    const charged = await chargesOf(sevenTokens, { request: unlimited });
    expect(charged).toMatchObject({ output: 4_096, usd: 100_000 + 40_960_000 });
  });

  test('or else what was metered, where neither is known', async () => {
    const prices = bookOf({ small: quoteOf(ratesOf(1, 10)) });
    const { guard } = benchOf([usdBudget('1')], { prices });
    const { maxOutputTokens: _, ...unlimited } = holding('none');
    const call = await admit(guard, unlimited);
    await call.meter({ tokens: 7 });
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({ costNanoUsd: 170_000 });
  });

  test('nor does it help to leave before anything was seen', async () => {
    const settlement = { outcome: 'unknown' } as const;
    const request = holding('none');
    expect(await chargesOf(() => {}, { request, settlement })).toEqual({ ...HELD, ...RAN });
  });

  test('reports how far that takes it past a cap', async () => {
    const { guard, events } = benchOf([usdBudget('0.0002')]);
    const call = await admit(guard, holding('none'));
    expect(await call.meter({ tokens: 11 })).toBe(false);
    const result = await call.settle({ outcome: 'metered' });
    expect(result).toMatchObject({ costNanoUsd: 600_000, overshoot: [{ amount: 400_000 }] });
    expect(eventsOf(events, 'overshoot')).toHaveLength(1);
    expect(await guard.verify()).toMatchObject({ differences: [] });
  });
});
