import { describe, expect, it } from 'vitest';
import { nested, usageOf, ZERO } from './usage-of.ts';

describe("Anthropic's own figures", () => {
  const provider = 'anthropic.messages';
  const raw = (figures: object) => ({ provider, usage: nested([], [], figures) });

  it('split cache writes by their age, and thinking from output', () => {
    const figures = {
      input_tokens: 1,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    };
    const split = { cacheWrite5m: 10, cacheWrite1h: 20 };
    expect(usageOf(raw(figures))).toEqual({ ...ZERO, ...split, input: 1, output: 5, reasoning: 4 });
  });

  it.each([
    [false, { cacheWrite5m: 30, cacheWrite1h: 0 }],
    [true, { cacheWrite5m: 0, cacheWrite1h: 30 }],
  ])('without a split count as what was asked for (an hour: %s)', (longCacheWrites, writes) => {
    const figures = { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 30 };
    const usage = usageOf({ ...raw(figures), longCacheWrites });
    expect(usage).toEqual({ ...ZERO, ...writes, input: 1, output: 2 });
  });

  it('without a split that adds up count as what was asked for', () => {
    const figures = {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 },
    };
    expect(usageOf(raw(figures))).toMatchObject({ cacheWrite5m: 30, cacheWrite1h: 0 });
  });

  it('count web searches, and what compaction used', () => {
    const figures = {
      input_tokens: 5,
      output_tokens: 5,
      server_tool_use: { web_search_requests: 2 },
      iterations: [
        { type: 'compaction', input_tokens: 100, output_tokens: 10 },
        { type: 'message', input_tokens: 5, output_tokens: 5 },
      ],
    };
    const expected = { ...ZERO, input: 105, output: 15, fees: { webSearch: 2 } };
    expect(usageOf(raw(figures))).toEqual(expected);
  });

  it('use the totals of an answer by a fallback', () => {
    const iterations = [
      { type: 'message', input_tokens: 7, output_tokens: 0 },
      { type: 'fallback_message', input_tokens: 5, output_tokens: 5 },
    ];
    const figures = { input_tokens: 5, output_tokens: 5, iterations };
    expect(usageOf(raw(figures))).toEqual({ ...ZERO, input: 5, output: 5 });
  });

  it('are unknown where another model advised', () => {
    const iterations = [{ type: 'advisor_message', input_tokens: 9, output_tokens: 9 }];
    const figures = { input_tokens: 5, output_tokens: 5, iterations };
    expect(usageOf(raw(figures))?.input).toBeNaN();
  });
});
