import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type InputParts, inputBound } from '../src/input-bound.ts';
import type { MediaItem } from '../src/media-tokens.ts';
import { balancedTokens, strictTokenBound } from '../src/token-estimate.ts';

const GPT = { provider: 'openai', model: 'gpt-5.1' };
const OPUS = { provider: 'anthropic', model: 'claude-opus-4-7' };
const OLD_OPUS = { provider: 'anthropic', model: 'claude-opus-4-6' };

const empty: InputParts = { texts: [], messages: 0 };
const hello: InputParts = { texts: ['Hello, how are you today?'], messages: 1 };

const tokensOf = (parts: InputParts, options: Parameters<typeof inputBound>[1]) =>
  inputBound(parts, options).tokens;

describe('text', () => {
  test('is the base, each message and each piece', () => {
    const parts = { texts: ['Be brief.', 'What is a spend cap?'], messages: 2 };
    const balanced = balancedTokens('Be brief.') + balancedTokens('What is a spend cap?');
    expect(inputBound(parts, GPT)).toEqual({ tokens: 64 + 2 * 8 + balanced, isBound: true });
    expect(inputBound(parts, { ...GPT, estimator: 'strict' })).toEqual({
      tokens: 64 + 2 * 8 + 10 + 21,
      isBound: true,
    });
  });

  test.each([
    ['xai', 'grok-4', 768 + 8],
    ['xai.chat', 'grok-code-fast-1', 768 + 64],
    ['vercel', 'v0-1.5-md', 2_560 + 8],
    ['groq', 'openai/gpt-oss-120b', 96 + 8],
    ['mistral', 'mistral-large-latest', 64 + 8],
  ])('the provider %s puts %s around it', (provider, model, tokens) => {
    expect(tokensOf({ texts: [], messages: 1 }, { provider, model })).toBe(tokens);
  });

  test.each([
    ['anthropic', 'claude-opus-4-7'],
    ['anthropic', 'claude-opus-4.10'],
    ['anthropic', 'claude-sonnet-5'],
    ['amazon-bedrock', 'us.anthropic.claude-opus-4-8-20261101-v1:0'],
    ['openrouter', 'anthropic/claude-opus-4.7'],
    ['anthropic', 'claude-latest'],
    ['anthropic', 'a-name-of-our-own'],
  ])('%s/%s makes 1.35 times the tokens', (provider, model) => {
    const text = 'The committee met on Tuesday to decide about the bridge. '.repeat(20);
    const tokens = tokensOf({ texts: [text], messages: 0 }, { provider, model });
    expect(tokens - 64).toBeGreaterThanOrEqual(1.34 * balancedTokens(text));
    expect(tokens - 64).toBeLessThanOrEqual(Math.ceil(1.35 * balancedTokens(text)));
  });

  test.each([
    'claude-opus-4-6',
    'claude-sonnet-4-20250514',
    'claude-opus-4-1-20250805',
    'claude-3-5-sonnet-20241022',
    'claude-3-opus@20240229',
    'anthropic.claude-v2:1',
  ])('%s does not', (model) => {
    expect(tokensOf(hello, { provider: 'vertex', model })).toBe(tokensOf(hello, GPT));
  });

  test('strict is never below balanced', () => {
    const json = fc.jsonValue();
    const parts = fc.record({
      texts: fc.array(fc.string({ unit: 'binary' })),
      messages: fc.nat({ max: 50 }),
      tools: fc.array(json),
      responseFormat: json,
      toolPayloads: fc.array(json),
    });
    fc.assert(
      fc.property(parts, fc.constantFrom(GPT, OPUS, OLD_OPUS), (request, model) => {
        const balanced = inputBound(request, { ...model, estimator: 'balanced' });
        const strict = inputBound(request, { ...model, estimator: 'strict' });
        expect(strict.tokens).toBeGreaterThanOrEqual(balanced.tokens);
        expect(Number.isSafeInteger(balanced.tokens)).toBe(true);
      }),
    );
  });

  test('strict counts a marker for each word of Claude', () => {
    const strict = { estimator: 'strict' } as const;
    const gpt = tokensOf(hello, { ...GPT, ...strict });
    expect(tokensOf(hello, { ...OPUS, ...strict })).toBe(gpt + 5);
  });
});

describe('tools', () => {
  const tool = { name: 'weather', inputSchema: { type: 'object', properties: {} } };
  const json = JSON.stringify(tool);

  test('cost 700 together, and 80 and 1.25 times their JSON each', () => {
    const strict = { ...GPT, estimator: 'strict' } as const;
    const each = 80 + Math.ceil(1.25 * strictTokenBound(json));
    expect(tokensOf({ ...empty, tools: [tool, json] }, strict)).toBe(64 + 700 + 2 * each);
    expect(tokensOf({ ...empty, tools: [] }, strict)).toBe(64);
    expect(tokensOf({ ...empty, responseFormat: tool }, strict)).toBe(64 + each);
  });

  test('calls and results cost their JSON and 16', () => {
    const call = { toolName: 'weather', args: { city: 'Graz' } };
    const parts = { ...empty, toolPayloads: [call, 'sunny', undefined] };
    expect(tokensOf(parts, GPT)).toBe(
      64 + 3 * 16 + balancedTokens(JSON.stringify(call)) + balancedTokens('sunny'),
    );
  });

  test("covers what Anthropic's documentation counts: 403 for a message and a tool", () => {
    expect(tokensOf({ ...hello, tools: [tool] }, OPUS)).toBeGreaterThan(403);
  });
});

describe('images', () => {
  const imageTokens = (
    item: Omit<Extract<MediaItem, { kind: 'image' }>, 'kind'>,
    model: string,
  ) => {
    const options = { provider: 'any', model };
    const { tokens, isBound } = inputBound(
      { ...empty, media: [{ kind: 'image', ...item }] },
      options,
    );
    return isBound ? tokens - tokensOf(empty, options) : null;
  };
  const size = (width: number, height: number) => ({ width, height });

  test.each([
    ['claude-opus-4-6', 280, 280, 105 + 8],
    ['claude-opus-4-6', 4_000, 3_000, 1_600 + 8],
    ['claude-opus-4-7', 1_092, 1_092, 1_590 + 8],
    ['claude-opus-4-7', 4_000, 3_000, 4_784 + 8],
    ['gpt-4o', 1_024, 1_024, 85 + 4 * 170],
    ['gpt-4o', 2_048, 4_096, 85 + 6 * 170],
    ['gpt-4o', 10_000, 100, 1_445],
    ['gpt-4.1', 1_024, 1_024, 765],
    ['gpt-4o-mini', 1_024, 1_024, 2_833 + 4 * 5_667],
    ['gpt-5.1', 1_024, 1_024, 70 + 4 * 140],
    ['o3', 1_024, 1_024, 75 + 4 * 150],
    ['gpt-4.1-mini', 1_024, 1_024, Math.ceil(1_024 * 1.72)],
    ['gpt-5-nano', 9_000, 9_000, Math.ceil(1_536 * 2.46)],
    ['o4-mini', 32, 33, 4],
    ['gpt-5.4', 9_000, 9_000, 12_000],
    ['gpt-6', 4_032, 3_024, 14_364],
    ['gemini-2.5-flash', 384, 384, 258],
    ['gemini-2.5-flash', 960, 540, 6 * 258],
    ['gemini-2.5-flash', 3_072, 1_536, 8 * 258],
    ['gemini-3-pro', 9_000, 9_000, 2_240],
    ['pixtral-12b', 1_024, 1_024, 4_381],
  ])('%s: %d x %d is %d tokens', (model, width, height, tokens) => {
    expect(imageTokens(size(width, height), model)).toBe(tokens);
  });

  test.each([
    ['claude-opus-4-6', 1_608],
    ['claude-opus-4-7', 4_792],
    ['gpt-4o', 1_445],
    ['gpt-4o-mini', 48_169],
    ['gpt-5.1', 1_190],
    ['o1', 1_275],
    ['gpt-5-nano', 3_779],
    ['gpt-5.4', 12_000],
    ['gpt-6', null],
    ['gemini-2.5-flash', null],
    ['gemini-3-pro', 2_240],
    ['llama-4-maverick', null],
  ])('%s: one of unknown size, as by URL, is at most %s tokens', (model, tokens) => {
    expect(imageTokens({}, model)).toBe(tokens);
    expect(imageTokens(size(Number.NaN, 0), model)).toBe(tokens);
    expect(imageTokens({ data: 'AAAA' }, model)).toBe(tokens);
  });

  test('the size is read from the data', () => {
    const gif = 'R0lGODlhLAEFAIAAAExpcQoUHiH5BAUAAAAALAAA';
    expect(imageTokens({ data: gif }, 'claude-opus-4-6')).toBe(11 + 8);
  });

  test('a larger image never costs less', () => {
    const pixels = fc.integer({ min: 1, max: 12_000 });
    const models = ['claude-opus-4-6', 'gpt-5-mini', 'gpt-5.4', 'gpt-6', 'pixtral', 'gemini-3'];
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        pixels,
        pixels,
        pixels,
        (model, width, height, more) => {
          const small = imageTokens(size(width, height), model) as number;
          expect(imageTokens(size(width + more, height), model)).toBeGreaterThanOrEqual(small);
          expect(imageTokens({}, model) ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(small);
        },
      ),
    );
  });
});

describe('what cannot be counted', () => {
  const withMedia = (...media: MediaItem[]) => ({ ...hello, media });
  const known = tokensOf(hello, GPT);

  test('recordings are bounded by their seconds, else by their bytes', () => {
    const added = (item: MediaItem) => tokensOf(withMedia(item), GPT) - known;
    expect(added({ kind: 'audio', seconds: 10.01 })).toBe(321);
    expect(added({ kind: 'audio', byteLength: 7_500 })).toBe(320);
    expect(added({ kind: 'video', seconds: 2 })).toBe(640);
  });

  test.each<[MediaItem]>([
    [{ kind: 'file' }],
    [{ kind: 'audio' }],
    [{ kind: 'video', seconds: Number.NaN }],
  ])('%j is no bound without a context window', (item) => {
    expect(inputBound(withMedia(item), GPT)).toEqual({ tokens: known, isBound: false });
    expect(inputBound(withMedia(item), { ...GPT, contextWindow: 400_000 })).toEqual({
      tokens: 400_000,
      isBound: true,
    });
  });

  test('case C-28: a small request that names state of the provider declares that it is no bound', () => {
    const stateful = { ...hello, serverState: true };
    expect(inputBound(stateful, GPT)).toEqual({ tokens: known, isBound: false });
    expect(inputBound(stateful, { ...GPT, contextWindow: 128_000 })).toEqual({
      tokens: 128_000,
      isBound: true,
    });
  });

  test('the context window bounds every request', () => {
    const long = { texts: ['word '.repeat(10_000)], messages: 1 };
    expect(inputBound(long, { ...GPT, contextWindow: 8_192 })).toEqual({
      tokens: 8_192,
      isBound: true,
    });
  });

  test.each([0, -1, Number.NaN, 1.5])('a context window of %d is refused', (contextWindow) => {
    expect(() => inputBound(hello, { ...GPT, contextWindow })).toThrow(RangeError);
  });

  test.each([-1, Number.NaN, 0.5])('%d messages are refused', (messages) => {
    expect(() => inputBound({ texts: [], messages }, GPT)).toThrow(RangeError);
  });
});
