import { costOf } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { createPriceBook, type PriceBookOptions } from '../src/index.ts';
import { NOON, perMtok, quoteWith, refusal, sourceName } from './books.ts';

const USAGE = {
  input: 1_000,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 100,
  reasoning: 0,
};

describe('overrides', () => {
  test('replace the price of the table, by digits', () => {
    const overrides = { 'openai/gpt-5.1': { input: '0.3', output: 2.4, cacheRead: '0.0000005' } };
    const { snapshot, dearest, free } = quoteWith({ overrides }, 'openai.responses/gpt-5.1');
    expect(snapshot).toEqual({
      rates: {
        input: 300_000,
        // Half a pico-USD rounds up, as charges do.
        cacheRead: 1,
        cacheWrite5m: 300_000,
        cacheWrite1h: 300_000,
        output: 2_400_000,
        reasoning: 2_400_000,
      },
      source: 'override',
      version: 'configured',
      provider: 'openai',
      model: 'gpt-5.1',
    });
    expect(dearest.rates).toEqual(snapshot.rates);
    expect(free).toBe(false);
  });

  test('know the classes, tiers, fees and limits that a table would', () => {
    const override = {
      input: '1',
      output: '4',
      cacheWrite5m: '1.1',
      cacheWrite1h: '1.5',
      reasoning: '3',
      audioInput: '30',
      audioOutput: '60',
      fees: { webSearch: '0.01' },
      tiers: [{ aboveInputTokens: 128_000, input: '2', output: '8' }],
      maxOutputTokens: 9_000,
      contextTokens: 300_000,
    };
    const quote = quoteWith({ overrides: { 'acme/one': override } }, 'acme.chat/one');
    expect(quote.snapshot.rates).toEqual({
      input: 1e6,
      cacheRead: 1e6,
      cacheWrite5m: 1.1e6,
      cacheWrite1h: 1.5e6,
      output: 4e6,
      reasoning: 3e6,
      audioInput: 30e6,
      audioOutput: 60e6,
      fees: { webSearch: 1e10 },
    });
    expect(quote.snapshot.tiers).toMatchObject([
      { aboveInputTokens: 128_000, rates: { input: 2e6, cacheRead: 2e6, output: 8e6 } },
    ]);
    expect(quote).toMatchObject({ maxOutputTokens: 9_000, contextTokens: 300_000 });
    expect(costOf(quote.snapshot, { ...USAGE, fees: { webSearch: 1 } })).toBe(11_400_000);
  });

  test('of Claude take its factors for cache writes', () => {
    const overrides = { 'proxy/claude-opus-5': { input: '4', output: '20' } };
    expect(quoteWith({ overrides }, 'proxy/claude-opus-5').snapshot.rates).toMatchObject({
      cacheWrite5m: 5e6,
      cacheWrite1h: 8e6,
    });
  });

  test('keep the limits that are known of the model', () => {
    const overrides = { 'openai/gpt-5.1': { input: '1', output: '1' } };
    const { maxOutputTokens, contextTokens } = quoteWith({ overrides }, 'openai/gpt-5.1');
    expect([maxOutputTokens, contextTokens]).toEqual([128_000, 400_000]);
  });

  test('hold for snapshots of the model, but not for those with a price of their own', () => {
    const overrides = {
      'openai/gpt-5.1': { input: '7', output: '7' },
      'openai/gpt-4o': { input: '7', output: '7' },
      'acme/one': { input: '7', output: '7' },
    };
    const input = (name: string) => perMtok(quoteWith({ overrides }, name).snapshot.rates.input);
    expect(input('openai/gpt-5.1-2025-11-13')).toBe(7);
    expect(input('acme/one-2026-01-01')).toBe(7);
    expect(input('openai/gpt-4o-2024-11-20')).toBe(7);
    expect(input('openai/gpt-4o-2024-05-13')).toBe(5);
    expect(input('openai/gpt-5.1-codex')).toBe(1.25);
  });

  test('come before free patterns, aliases, corrections and refusals', () => {
    const price = { input: '7', output: '7' };
    const names = [
      'acme/one',
      'mistral/mistral-small-latest',
      'openai/gpt-oss-120b',
      'perplexity/sonar',
    ];
    for (const name of names) {
      const options = {
        overrides: { [name]: price },
        free: ['acme/*'],
        aliases: { 'acme/*': 'openai/*' },
      };
      expect(quoteWith(options, name).snapshot).toMatchObject({
        source: 'override',
        rates: { input: 7e6 },
      });
    }
  });
});

describe('aliases', () => {
  test('price a deployment as the model that it runs', () => {
    const aliases = { 'azure/my-deployment': 'openai/gpt-5.1' };
    const { snapshot } = quoteWith({ aliases }, 'azure.responses/My-Deployment');
    expect(sourceName(snapshot)).toBe('openai/gpt-5.1');
  });

  test('may name an ARN, an override, a free model or another alias', () => {
    const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2';
    const options: PriceBookOptions = {
      overrides: { 'acme/one': { input: '1', output: '1' } },
      free: ['acme/zero'],
      aliases: {
        [`bedrock/${arn}`]: 'bedrock/us.anthropic.claude-opus-4-6-v1',
        'azure/a': 'acme/one',
        'azure/b': 'acme/zero',
        'azure/c': 'azure/a',
      },
    };
    const source = (name: string) => quoteWith(options, name).snapshot.source;
    expect(sourceName(quoteWith(options, `amazon-bedrock/${arn}`).snapshot)).toBe(
      'aws/regional.anthropic.claude-opus-4-6-v1:0',
    );
    expect(['azure/a', 'azure/b', 'azure/c'].map(source)).toEqual(['override', 'free', 'override']);
  });

  test('may stand for a whole provider', () => {
    const aliases = { 'my-proxy/*': 'openai/*', 'my-proxy/eu-*': 'azure/*' };
    expect(sourceName(quoteWith({ aliases }, 'my-proxy.chat/gpt-5.1').snapshot)).toBe(
      'openai/gpt-5.1',
    );
    expect(sourceName(quoteWith({ aliases }, 'my-proxy.chat/eu-o4-mini').snapshot)).toBe(
      'azure/o4-mini',
    );
    expect(refusal(() => quoteWith({ aliases }, 'my-proxy.chat/gpt-99'))).toMatch(/no such model/);
  });

  test('that go round in circles are refused', () => {
    const aliases = { 'a/*': 'b/*', 'b/*': 'a/*' };
    expect(refusal(() => quoteWith({ aliases }, 'a/x'))).toBe('its aliases lead nowhere');
  });
});

describe('free', () => {
  test('case C-55: only what is declared is free', () => {
    const free = ['ollama/*', 'google/gemma-4-31b-it'];
    for (const name of ['ollama/llama3.3:70b', 'google_genai/gemma-4-31b-it']) {
      const { snapshot, dearest, free: isFree } = quoteWith({ free }, name);
      expect(isFree).toBe(true);
      expect(snapshot.source).toBe('free');
      expect(costOf(dearest, { ...USAGE, audioInput: 5 })).toBe(0);
    }
    expect(refusal(() => quoteWith({ free }, 'google/gemma-4-26b-a4b-it'))).toMatch(
      /^it is listed without/,
    );
    expect(refusal(() => quoteWith({ free }, 'ollama-cloud/x'))).toMatch(
      /does not know this provider/,
    );
  });

  test('a pattern is a beginning, and an exact name no pattern', () => {
    const free = ['openai/gpt-5-', 'openrouter/qwen/*'];
    expect(quoteWith({ free }, 'openai/gpt-5-mini').free).toBe(false);
    expect(quoteWith({ free }, 'openrouter/qwen/qwen-9').free).toBe(true);
  });
});

describe('unknownModel', () => {
  test('lets such models pass where it says so, and has no price for them', () => {
    const unknownModel = 'uncounted';
    const book = createPriceBook({ unknownModel });
    expect([book.passesUnpriced, createPriceBook().passesUnpriced]).toEqual([true, false]);
    expect(refusal(() => quoteWith({ unknownModel }, 'nobody/knows'))).toMatch(/does not know/);
    expect(quoteWith({ unknownModel }, 'openai/gpt-5.1').free).toBe(false);
  });

  const options = { unknownModel: { ceiling: { input: '30', output: '180' } } };

  test.each([
    'openai/gpt-99',
    'nobody/knows',
    'anthropic/claude-sonnet-5-5',
    'google/gemma-4-31b-it',
    'openai/gpt-oss-120b',
    'openai/whisper-1',
  ])('%s takes the ceiling', (name) => {
    const { snapshot, free, maxOutputTokens } = quoteWith(options, name);
    expect(snapshot).toMatchObject({ source: 'ceiling', version: 'configured' });
    expect(snapshot.rates).toEqual({
      input: 30e6,
      cacheRead: 30e6,
      cacheWrite5m: 30e6,
      cacheWrite1h: 30e6,
      output: 180e6,
      reasoning: 180e6,
    });
    expect([free, maxOutputTokens]).toEqual([false, null]);
  });

  test('known models do not', () => {
    expect(quoteWith(options, 'openai/gpt-5.1').snapshot.source).toBe('genai-prices');
  });
});

describe('multipliers', () => {
  const multipliers = {
    'azure/*': '1.1',
    'google/claude-*': 1.1,
    'openai/gpt-5.5': '2.5',
    'openai/*': '0.8',
  };
  const rates = (name: string, more: PriceBookOptions = {}) =>
    quoteWith({ multipliers, ...more }, name).snapshot;

  test.each([
    ['azure.chat/o4-mini', 1.21, 4.84],
    ['googleVertex.anthropic.messages/claude-opus-5', 5.5, 27.5],
    ['google/gemini-2.5-flash', 0.3, 2.5],
    ['openai/gpt-5.5', 12.5, 75],
    ['openai/gpt-5.1', 1, 8],
    // Azure's own factor, not that of OpenAI whose price it takes.
    ['azure/gpt-5.1', 1.375, 11],
  ])('%s: $%d, $%d', (name, input, output) => {
    const snapshot = rates(name);
    expect([perMtok(snapshot.rates.input), perMtok(snapshot.rates.output)]).toEqual([
      input,
      output,
    ]);
  });

  test('show in the version, reach the tiers and not the fees', () => {
    const { version, tiers, rates: base } = rates('openai/gpt-5.5');
    expect(version).toBe('0.1.8 x2.5');
    expect(tiers?.[0]?.rates.output).toBe(112.5e6);
    expect(base.fees).toEqual({ webSearch: 1e10, fileSearch: 2.5e9 });
  });

  test('follow an alias, and leave overrides alone', () => {
    const aliases = { 'azure/prod': 'openai/gpt-5.5' };
    expect(perMtok(rates('azure/prod', { aliases }).rates.input)).toBe(5.5);
    const overrides = { 'azure/prod': { input: '1', output: '1' } };
    expect(perMtok(rates('azure/prod', { overrides }).rates.input)).toBe(1);
  });

  test('of a tier of service are for calls at that tier, on top of the others', () => {
    const book = createPriceBook({
      multipliers: { 'azure/*': '1.1', 'openai/*@priority': '2', 'azure/gpt-5.1@priority': '3' },
      aliases: { 'azure/prod': 'openai/gpt-5.1' },
    });
    const at = (provider: string, model: string, serviceTier?: string) =>
      perMtok(book.quote({ provider, model, at: NOON, serviceTier }).snapshot.rates.input);
    expect(at('openai', 'gpt-5.1')).toBe(1.25);
    expect(at('openai', 'gpt-5.1', 'priority')).toBe(2.5);
    expect(at('openai', 'gpt-5.1', 'PRIORITY')).toBe(2.5);
    expect(at('azure', 'gpt-5.1', 'priority')).toBeCloseTo(1.25 * 1.1 * 3);
    expect(at('azure', 'prod', 'priority')).toBeCloseTo(1.25 * 1.1 * 2);
    // What is cheaper costs the list price, unless somebody says how much cheaper.
    expect(at('openai', 'gpt-5.1', 'flex')).toBe(1.25);
    expect(at('openai', 'gpt-5.1')).toBe(1.25);
  });

  test('are needed for a tier that costs more', () => {
    const provider = 'openai';
    const priority = { provider, model: 'gpt-5.1', at: NOON, serviceTier: 'priority' };
    expect(refusal(() => createPriceBook().quote(priority))).toBe(
      'its priority tier costs more: state a factor for "openai/gpt-5.1@priority" in `multipliers`',
    );
    const lenient = createPriceBook({ unknownModel: 'uncounted' }).quote(priority);
    expect(perMtok(lenient.snapshot.rates.input)).toBe(1.25);
    const overrides = { 'openai/gpt-5.1': { input: '9', output: '9' } };
    const stated = createPriceBook({ overrides }).quote(priority);
    expect(perMtok(stated.snapshot.rates.input)).toBe(9);
    const ultrafast = { ...priority, serviceTier: 'ultrafast' };
    expect(refusal(() => createPriceBook().quote(ultrafast))).toMatch(/ultrafast tier costs more/);
  });

  test.each(['google/claude-sonnet-4-5@20250929', 'google/claude-opus-5@default'])(
    'take the end of %s for no tier',
    (name) => {
      const { version } = quoteWith({ multipliers: { [name]: '1.1' } }, name).snapshot;
      expect(version).toBe('0.1.8 x1.1');
    },
  );

  test('hold for snapshots of the model, by which its answers are named, before a pattern', () => {
    const multipliers = {
      ...{ 'openai/*': '1.1', 'openai/gpt-5.1': '1.5', 'openai/gpt-4o': '1.5' },
      ...{ 'openai/*@flex': '0.9', 'openai/gpt-5.1@flex': '0.5' },
    };
    const book = createPriceBook({ multipliers });
    const version = (model: string, serviceTier?: string) =>
      book.quote({ provider: 'openai', model, at: NOON, serviceTier }).snapshot.version;
    expect(version('gpt-5.1-2025-11-13')).toBe('0.1.8 x1.5');
    expect(version('gpt-5.1-2025-11-13', 'flex')).toBe('0.1.8 x1.5 x0.5');
    expect(version('gpt-4o-2024-05-13')).toBe('0.1.8 x1.1');
  });

  test('round up', () => {
    const exact = quoteWith({ multipliers: { 'openai/*': '1.000001' } }, 'openai/gpt-5-nano');
    expect(exact.snapshot.rates).toMatchObject({ input: 50_001, cacheRead: 5_001 });
  });
});

describe('what a price rests on', () => {
  const overrides = { 'azure/prod': { input: '1', output: '1' } };
  const unknownModel = { ceiling: { input: '9', output: '9' } };

  test.each<[name: string, options: PriceBookOptions, basis: string]>([
    ['openai/gpt-5.1', {}, 'list'],
    ['azure/prod', { overrides }, 'configured'],
    ['ollama/llama', { free: ['ollama/*'] }, 'configured'],
    ['acme/unheard-of', { unknownModel }, 'ceiling'],
  ])('%s', (name, options, basis) => {
    expect(quoteWith(options, name).basis).toBe(basis);
  });
});
