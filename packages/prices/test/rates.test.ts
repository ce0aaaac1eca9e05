import { costOf, type TokenUsage } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { cardOf } from '../src/genai-rates.ts';
import { perMtok, quote, refusal } from './books.ts';

const NONE: TokenUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

const cost = (provider: string, model: string, usage: Partial<TokenUsage>) =>
  costOf(quote(provider, model).snapshot, { ...NONE, ...usage });

describe('tiers reprice the whole call', () => {
  test.each([
    ['openai', 'gpt-5.4', 271_999, 2.5, 15],
    // The table starts this tier at 272,000 itself, and that of gpt-6 one token later.
    ['openai', 'gpt-5.4', 272_000, 5, 22.5],
    ['openai', 'gpt-6-sol', 272_000, 2, 10],
    ['openai', 'gpt-6-sol', 272_001, 4, 15],
    ['google', 'gemini-2.5-pro', 200_000, 1.25, 10],
    ['google', 'gemini-2.5-pro', 200_001, 2.5, 15],
    ['anthropic', 'claude-sonnet-4-5', 200_000, 3, 15],
    ['anthropic', 'claude-sonnet-4-5', 200_001, 6, 22.5],
    // Since 2026-03-13 without one.
    ['anthropic', 'claude-sonnet-4-6', 900_000, 3, 15],
  ])('%s %s with %d input tokens: $%d, $%d', (provider, model, input, inRate, outRate) => {
    expect(cost(provider, model, { input })).toBe(Math.round(input * inRate * 1_000));
    expect(cost(provider, model, { input, output: 1_000 })).toBe(
      Math.round((input * inRate + 1_000 * outRate) * 1_000),
    );
  });

  test('cached tokens count towards the tier', () => {
    const usage = { input: 100_000, cacheRead: 100_000, cacheWrite5m: 1 };
    expect(cost('anthropic', 'claude-sonnet-4-5', usage)).toBe(
      100_000 * 6_000 + 100_000 * 600 + 7_500,
    );
  });
});

describe('classes without a rate of their own', () => {
  const usdOf = (provider: string, model: string) => {
    const { rates } = quote(provider, model).snapshot;
    return Object.fromEntries(
      Object.entries(rates).map(([name, rate]) => [
        name,
        typeof rate === 'number' ? rate / 1e6 : rate,
      ]),
    );
  };

  test('OpenAI: cache writes as input, reasoning as output, audio without a price', () => {
    expect(usdOf('openai', 'gpt-5.1')).toEqual({
      input: 1.25,
      cacheRead: 0.125,
      cacheWrite5m: 1.25,
      cacheWrite1h: 1.25,
      output: 10,
      reasoning: 10,
      fees: { webSearch: 10_000_000_000, fileSearch: 2_500_000_000 },
    });
  });

  test('Anthropic: all in the table', () => {
    expect(usdOf('anthropic', 'claude-haiku-4-5')).toMatchObject({
      input: 1,
      cacheRead: 0.1,
      cacheWrite5m: 1.25,
      cacheWrite1h: 2,
    });
  });

  test('Claude on Vertex: a one-hour write is twice the input', () => {
    expect(usdOf('google', 'claude-opus-5')).toMatchObject({
      cacheWrite5m: 6.25,
      cacheWrite1h: 10,
    });
  });

  test('Claude where the table has no cache rates: 1.25 and 2 times the input, reads in full', () => {
    expect(usdOf('openrouter', 'anthropic/claude-3.7-sonnet')).toMatchObject({
      input: 3,
      cacheWrite5m: 3.75,
      cacheWrite1h: 6,
    });
    expect(usdOf('quicksilverpro', 'claude-opus-5')).toMatchObject({ input: 4, cacheRead: 4 });
  });

  test('Gemini on OpenRouter: a write costs its storage on top of the input', () => {
    expect(usdOf('openrouter', 'google/gemini-2.5-flash-lite')).toMatchObject({
      input: 0.1,
      cacheWrite5m: 0.183333,
    });
  });

  test('an embedding has its input rate for output, and no output', () => {
    const { snapshot, maxOutputTokens } = quote('openai', 'text-embedding-3-small');
    expect(perMtok(snapshot.rates.output)).toBe(0.02);
    expect(maxOutputTokens).toBe(0);
  });

  test('audio has a rate where the table has one', () => {
    expect(usdOf('openai', 'gpt-audio')).toMatchObject({ audioInput: 32, audioOutput: 64 });
    expect(cost('openai', 'gpt-audio', { input: 100, audioInput: 1_000 })).toBe(32_250_000);
    expect(cost('openai', 'gpt-4o-audio-preview', { audioInput: 1_000 })).toBeUndefined();
  });

  test('pictures and video are never billed as text', () => {
    expect(usdOf('google', 'gemini-3-pro-image')).toMatchObject({
      input: 2,
      output: 120,
      reasoning: 12,
    });
    expect(usdOf('openai', 'gpt-image-1')).toMatchObject({ input: 10, cacheRead: 2.5 });
    expect(usdOf('google', 'gemini-embedding-2')).toMatchObject({ input: 12 });
  });

  test('fees are billed by the piece, and an unknown one has no price', () => {
    expect(cost('anthropic', 'claude-opus-5', { fees: { webSearch: 3 } })).toBe(30_000_000);
    expect(cost('openai', 'gpt-5.1', { fees: { fileSearch: 2 } })).toBe(5_000_000);
    expect(cost('openai', 'gpt-5.1', { fees: { codeExecution: 1 } })).toBeUndefined();
  });
});

describe('prices that are refused', () => {
  test.each([
    ['google', 'gemma-4-31b-it', /^it is listed without a rate/],
    ['github-copilot', 'gpt-4o', /^it is listed without a rate/],
    ['openrouter', 'meta-llama/llama-3.3-70b-instruct:free', /^it is listed without a rate/],
    ['openai', 'whisper-1', /^it is billed by audio_hours/],
    ['mistral', 'mistral-ocr-latest', /^it is billed by input_document_kpages/],
    ['perplexity', 'sonar', /^it is billed by requests_kcount/],
  ])('case C-50: %s %s', (provider, model, reason) => {
    expect(refusal(() => quote(provider, model))).toMatch(reason);
  });

  test.each([
    [
      { input_mtok: 0, output_mtok: 0 },
      'its input_mtok is zero, which need not mean that it is free',
    ],
    [
      { input_mtok: 1, output_mtok: 0 },
      'its output_mtok is zero, which need not mean that it is free',
    ],
    [{ input_mtok: -1, output_mtok: 1 }, 'its input_mtok of -1 is implausible'],
    [{ input_mtok: Number.NaN, output_mtok: 1 }, 'its input_mtok of NaN is implausible'],
    [
      { input_mtok: 1, output_mtok: Number.POSITIVE_INFINITY },
      'its output_mtok of Infinity is implausible',
    ],
    [{ input_mtok: 3e6, output_mtok: 1 }, 'its input_mtok of 3000000 is implausible'],
    [{ input_mtok: 1, output_mtok: 10_000.1 }, 'its output_mtok of 10000.1 is implausible'],
    [
      { input_mtok: 1, output_mtok: { base: 1, tiers: [{ start: 5, price: 1e6 }] } },
      'its output_mtok of 1000000 is implausible',
    ],
    [
      { input_mtok: 1, output_mtok: 1, web_searches_kcount: 10_001 },
      'its web_searches_kcount of 10001 is implausible',
    ],
    [{ output_mtok: 1 }, 'it is listed without an input rate'],
    [
      { input_mtok: 1, output_hologram_mtok: 1 },
      'it is billed by output_hologram_mtok, which calls do not count',
    ],
  ])('cases C-21, C-56: %j', (price, reason) => {
    expect(cardOf(price, false)).toEqual({ refusal: reason });
  });

  // 1.005 * 1e6 is 1004999.9999999999, and 1.1 * 1e6 is 1100000.0000000002.
  test.each([
    [1.005, 1_005_000],
    [1.1, 1_100_000],
    [0.0028, 2_800],
    [3.4375, 3_437_500],
  ])('$%d per million tokens is %d pico-USD per token', (input_mtok, pico) => {
    expect(cardOf({ input_mtok, output_mtok: 1 }, false).card?.rates.input).toBe(pico);
  });

  test('$10,000 per million tokens is still believed, and the least rate is one pico-USD', () => {
    expect(cardOf({ input_mtok: 1e-9, output_mtok: 10_000 }, false).card?.rates).toMatchObject({
      input: 1,
      output: 1e10,
    });
  });
});

test('case C-51: the first call of a model without a price is refused before it starts', () => {
  expect(() => quote('openai', 'gpt-99')).toThrow(
    'No price for model "gpt-99" of provider "openai": genai-prices 0.1.8 has no such model. Add it to ' +
      'the price book (`overrides` or `aliases`), declare it in `free`, or set `unknownModel: { ceiling: … }`.',
  );
});

describe('searches of Gemini, which the table leaves out', () => {
  test.each([
    ['google', 'gemini-2.5-pro', 0.035],
    ['google.generative-ai', 'gemini-2.5-flash', 0.035],
    ['google_vertexai', 'gemini-2.5-flash', 0.035],
    ['google', 'gemini-3.7-flash', 0.014],
  ])('%s %s: $%d for each', (provider, model, fee) => {
    const usage = { fees: { webSearch: 3 } };
    expect(cost(provider, model, usage)).toBe(Math.round(3 * fee * 1e9));
  });

  test('none of embeddings', () => {
    expect(quote('google', 'gemini-embedding-001').snapshot.rates.fees).toBeUndefined();
  });
});
