import { describe, expect, test } from 'vitest';
import type { TokenUsage } from '../src/index.ts';
import { admit, benchOf, callOf, usageOf, usdBudget } from './support/guard.ts';

/** A stream with an input bound of 1,000 tokens, under a cap of so much. */
async function streamUnder(usd: string) {
  const bench = benchOf([usdBudget(usd)]);
  const call = await admit(bench.guard, callOf(100_000, { inputTokens: 1_000, estimate: 'none' }));
  const held = async () => (await bench.guard.status())[0]?.held;
  return { call, held, ...bench };
}

describe('usage that is reported early', () => {
  test('takes the place of the input bound', async () => {
    const { call, held } = await streamUnder('1');
    expect(await call.meter({ usage: { input: 300, cacheRead: 100 }, tokens: 4 })).toBe(true);
    expect(await held()).toBe(400_000 + (4 + 256) * 10_000);
    const result = await call.settle({ outcome: 'metered' });
    expect(result.costNanoUsd).toBe(440_000);
  });

  test('makes room for output: the whole cap can be used', async () => {
    const { call } = await streamUnder('0.0015');
    await call.meter({ usage: { input: 500 } });
    for (let token = 1; token <= 100; token += 1)
      expect(await call.meter({ tokens: 1 })).toBe(true);
    expect(await call.meter({ tokens: 1 })).toBe(false);
  });

  test('above the bound is held too, before any output', async () => {
    const { call, held } = await streamUnder('1');
    await call.meter({ usage: { input: 5_000 }, tokens: 0 });
    expect(await held()).toBe(5_000_000 + 256 * 10_000);
    const cut = await streamUnder('0.002');
    expect(await cut.call.meter({ usage: { input: 5_000 } })).toBe(false);
  });

  test('is a running total of output, which overwrites and never adds', async () => {
    const { call } = await streamUnder('1');
    for (const output of [1, 20, 50]) await call.meter({ usage: { output, reasoning: 5 } });
    await call.meter({ usage: { output: 10 } });
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({
      costNanoUsd: 1_000_000 + 550_000,
    });
  });

  test('of zero input is taken for unknown: some gateways send it at first', async () => {
    const { call } = await streamUnder('1');
    await call.meter({ usage: { input: 0, cacheRead: 0 } });
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({ costNanoUsd: 1_000_000 });
  });

  test.each<Partial<TokenUsage>>([
    { input: Number.NaN },
    { input: -5 },
    { input: 0.5 },
    { output: Number.NaN },
    { output: -5 },
    { output: Number.POSITIVE_INFINITY },
    { output: 0.5 },
  ])('that is no count changes nothing: %j', async (usage) => {
    const { call } = await streamUnder('1');
    expect(await call.meter({ usage, tokens: 1 })).toBe(true);
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({ costNanoUsd: 1_010_000 });
  });

  test('case C-70: a placeholder at the start is not the final count', async () => {
    const { call } = await streamUnder('1');
    await call.meter({ usage: { input: 700, output: 1 } });
    for (let chunk = 0; chunk < 30; chunk += 1) await call.meter({ text: ' word' });
    const { costNanoUsd } = await call.settle({ outcome: 'metered' });
    expect(costNanoUsd).toBeGreaterThanOrEqual(700_000 + 30 * 10_000);
  });

  test('with classes that have no price keeps the bound', async () => {
    const { call, held } = await streamUnder('1');
    await call.meter({ usage: { input: 10, audioInput: 10 }, tokens: 4 });
    expect(await held()).toBe(1_000_000 + 260 * 10_000);
  });
});

describe('output that is metered', () => {
  const meteredOutput = async (chunks: { text?: string; tokens?: number }[]) => {
    const { call } = await streamUnder('1');
    for (const chunk of chunks) await call.meter(chunk);
    const { costNanoUsd } = await call.settle({ outcome: 'metered' });
    return ((costNanoUsd as number) - 1_000_000) / 10_000;
  };

  test('is at least a token for each chunk of text', async () => {
    expect(await meteredOutput([{ text: 'a' }, { text: 'b' }, { text: '' }, { text: 'c' }])).toBe(
      3,
    );
  });

  test('is what the provider counts, where it does', async () => {
    expect(
      await meteredOutput([{ tokens: 5, text: 'so many words in one chunk' }, { tokens: 7 }]),
    ).toBe(12);
  });

  test('is estimated from the text', async () => {
    const words = await meteredOutput([{ text: 'The quick brown fox jumps over the lazy dog.' }]);
    expect(words).toBeGreaterThanOrEqual(10);
    expect(words).toBeLessThan(25);
  });

  test.each([Number.NaN, -5, 0.5])('%d tokens are none: the text counts', async (tokens) => {
    expect(await meteredOutput([{ tokens, text: 'a' }, { tokens: 3 }])).toBe(4);
  });

  test('is never above a limit that the provider enforces, unless it certainly is', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    const settled = async (chunks: number, text: string) => {
      const call = await admit(guard, callOf(20));
      for (let chunk = 0; chunk < chunks; chunk += 1) await call.meter({ text });
      return (await call.settle({ outcome: 'metered' })).costNanoUsd;
    };
    expect(await settled(1, 'x1Y2'.repeat(50))).toBe(200_000);
    expect(await settled(25, 'a')).toBe(250_000);
  });

  test('case C-68: a cut without a report costs the input bound and what was produced', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    const call = await admit(guard, callOf(500, { inputTokens: 1_000 }));
    await call.meter({ tokens: 200 });
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({
      costNanoUsd: 1_000_000 + 2_000_000,
    });
    expect(await guard.status()).toMatchObject([{ committed: 3_000_000, held: 0 }]);
  });

  test('beside usage that the adapter metered itself is left aside', async () => {
    const { call } = await streamUnder('1');
    await call.meter({ tokens: 50 });
    const usage = usageOf({ input: 10, output: 1 });
    expect(await call.settle({ outcome: 'metered', usage })).toMatchObject({ costNanoUsd: 20_000 });
  });
});
