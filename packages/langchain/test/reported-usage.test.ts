import { describe, expect, it } from 'vitest';
import { reportedUsage, type UsageReport } from '../src/reported-usage.ts';

const NOTHING = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

function usageOf(metadata: object, report: Partial<UsageReport> = {}) {
  return reportedUsage({ metadata: { ...metadata }, longCacheWrites: false, ...report });
}

describe('usage of a message', () => {
  it('case C-59: is put into disjoint classes', () => {
    const metadata = {
      input_tokens: 2_006,
      output_tokens: 300,
      total_tokens: 2_306,
      input_token_details: { cache_read: 1_920 },
      output_token_details: { reasoning: 100 },
    };
    expect(usageOf(metadata)).toEqual({
      ...NOTHING,
      input: 86,
      cacheRead: 1_920,
      output: 200,
      reasoning: 100,
    });
  });

  it('counts what is in the total alone, as the thoughts of Gemini are', () => {
    const metadata = { input_tokens: 100, output_tokens: 5, total_tokens: 448 };
    expect(usageOf(metadata)).toEqual({ ...NOTHING, input: 100, output: 348 });
  });

  it('tells what tools of Gemini read from its thoughts, where the package tells those', () => {
    const totals = { input_tokens: 100, output_tokens: 35, total_tokens: 144 };
    const told = { ...totals, output_token_details: { reasoning: 30 } };
    const usage = { ...NOTHING, input: 109, output: 5, reasoning: 30 };
    expect(usageOf(told, { gemini: 'whole' })).toEqual(usage);
    expect(usageOf(told, { gemini: 'summed' })).toEqual(usage);
    // Otherwise it may be either, and is charged as the dearer.
    expect(usageOf(totals, { gemini: 'whole' })).toMatchObject({ input: 100, output: 44 });
  });

  it('believes no cached input of Gemini that was added up from every chunk', () => {
    const metadata = {
      ...{ input_tokens: 100, output_tokens: 5, total_tokens: 105 },
      input_token_details: { cache_read: 90 },
    };
    expect(usageOf(metadata, { gemini: 'whole' })).toMatchObject({ input: 10, cacheRead: 90 });
    expect(usageOf(metadata, { gemini: 'summed' })).toMatchObject({ input: 100, cacheRead: 0 });
  });

  it('takes no part for larger than its whole', () => {
    const metadata = {
      input_tokens: 100,
      output_tokens: 5,
      total_tokens: 105,
      input_token_details: { cache_read: 120, cache_creation: 40 },
      output_token_details: { reasoning: 9 },
    };
    expect(usageOf(metadata)).toEqual({ ...NOTHING, cacheRead: 100, reasoning: 5 });
  });

  it('prices audio apart', () => {
    const metadata = {
      input_tokens: 100,
      output_tokens: 50,
      input_token_details: { audio: 30 },
      output_token_details: { audio: 20 },
    };
    expect(usageOf(metadata)).toEqual({
      ...NOTHING,
      input: 70,
      audioInput: 30,
      output: 30,
      audioOutput: 20,
    });
  });

  it.each([
    [
      'zeros, which packages make of nothing',
      { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    ],
    ['details alone', { input_token_details: {}, output_token_details: {} }],
    ['nothing', {}],
  ])('is unknown where it is %s', (_, metadata) => {
    expect(usageOf(metadata)).toBeUndefined();
  });

  it.each([
    ['NaN', { input_tokens: Number.NaN, output_tokens: 5 }],
    ['negative', { input_tokens: -5, output_tokens: 5, total_tokens: 0 }],
    ['half missing', { output_tokens: 5 }],
  ])('case C-62: is no usage where it is %s', (_, metadata) => {
    const counts = Object.values(usageOf(metadata) ?? {});
    expect(counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0)).toBe(false);
  });

  it('adds what older packages of Anthropic leave out of the input', () => {
    const metadata = {
      input_tokens: 3,
      output_tokens: 550,
      total_tokens: 553,
      input_token_details: { cache_creation: 12_304, cache_read: 7 },
    };
    expect(usageOf(metadata, { excludesCache: true })).toEqual({
      ...NOTHING,
      input: 3,
      cacheRead: 7,
      cacheWrite5m: 12_304,
      output: 550,
    });
  });

  it("takes Anthropic's own figures where they are whole, with the age of cache writes", () => {
    const anthropic = {
      input_tokens: 3,
      output_tokens: 550,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      server_tool_use: { web_search_requests: 2 },
    };
    expect(usageOf({ input_tokens: 1 }, { anthropic })).toEqual({
      ...NOTHING,
      input: 3,
      cacheRead: 7,
      cacheWrite5m: 10,
      cacheWrite1h: 20,
      output: 550,
      fees: { webSearch: 2 },
    });
  });

  it('takes cache writes of unknown age for the dearer ones that were asked for', () => {
    const metadata = {
      input_tokens: 100,
      output_tokens: 1,
      input_token_details: { cache_creation: 40 },
    };
    expect(usageOf(metadata)).toMatchObject({ cacheWrite5m: 40, cacheWrite1h: 0 });
    expect(usageOf(metadata, { longCacheWrites: true })).toMatchObject({
      cacheWrite5m: 0,
      cacheWrite1h: 40,
    });
  });
});
