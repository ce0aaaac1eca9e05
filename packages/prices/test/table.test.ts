import { calcPrice, updatePrices } from '@pydantic/genai-prices';
import { describe, expect, test } from 'vitest';
import { cardOf } from '../src/genai-rates.ts';
import { GENAI_VERSION, genaiProvider } from '../src/genai-table.ts';
import { createPriceBook } from '../src/index.ts';
import { NOON, perMtok, quote, refusal, sourceName } from './books.ts';
import { installedVersion, listedIds, pricesOf, providers } from './genai-data.ts';

// What an update of genai-prices has to pass: new providers, kinds of price and schedules show here.

test('case C-58: snapshots carry the version that is installed, and the book its date', () => {
  expect(GENAI_VERSION).toBe(installedVersion);
  expect(quote('openai', 'gpt-5.1').snapshot.version).toBe(installedVersion);
  // `npm view @pydantic/genai-prices time` has the date of a later one.
  expect(new Date(createPriceBook().asOf ?? 0).toISOString()).toMatch(/^2026-09-23/);
});

test('every provider of the table is known, by its exact id', () => {
  expect(providers.length).toBeGreaterThan(40);
  for (const provider of providers) expect(genaiProvider(provider.id)).toBe(provider);
  expect(genaiProvider('openai-like')).toBeUndefined();
});

test('all prices convert, but for those refused for a known reason', () => {
  const reasons = new Map<string, number>();
  for (const model of providers.flatMap(({ models }) => models)) {
    for (const { prices } of pricesOf(model)) {
      const { refusal: reason = 'priced' } = cardOf(prices, false);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  expect([...reasons.keys()].sort()).toEqual([
    'it is billed by audio_hours, which calls do not count',
    'it is billed by input_document_kpages, which calls do not count',
    'it is billed by requests_kcount, which calls do not count',
    'it is listed without a rate, which need not mean that it is free',
    'priced',
  ]);
  expect(reasons.get('priced')).toBeGreaterThan(1_500);
});

test('every priced model is reached under one of its own names, or is known to be priced wrongly', () => {
  const missed: string[] = [];
  for (const { id, models } of providers) {
    for (const model of models) {
      if (pricesOf(model).every(({ prices }) => cardOf(prices, false).refusal)) continue;
      const reached = listedIds(model).some((name) => {
        let entry = '';
        refusal(() => (entry = sourceName(quote(id, name).snapshot)));
        return entry === `${id}/${model.id}`;
      });
      if (!reached) missed.push(`${id}/${model.id}`.toLowerCase());
    }
  }
  const known =
    /^(openai\/gpt-oss-|azure\/(phi|wizardlm)-|zai\/glm-5.3-flash|openrouter\/z-ai\/glm-5.3-flash|zhipuai\/glm-(4.5-air|4.7|5)|moonshotai\/kimi-k2-turbo|mistral\/mistral-small-latest)/;
  expect(missed.filter((name) => !known.test(name))).toEqual([]);
});

test('no model is found through the looks of its name in another provider', () => {
  expect(calcPrice({}, 'gpt-5.1', { providerId: 'my-openai-proxy' })).not.toBeNull();
  expect(refusal(() => quote('my-openai-proxy', 'gpt-5.1'))).toBeDefined();
});

describe('prices that another source contradicts from above', () => {
  test.each([
    ['openai', 'gpt-oss-120b', /OpenRouter's cheapest host/],
    ['azure', 'gpt-oss-120b', /OpenRouter's cheapest host/],
    ['gateway', 'openai/gpt-oss-120b', /OpenRouter's cheapest host/],
    ['azure', 'phi-4', /OpenRouter's cheapest host/],
    ['azure', 'deepseek-r1', /has no such model/],
    ['moonshotai', 'kimi-k2-turbo-preview', /models.dev doubles/],
    ['zai', 'GLM-5.3-Flash', /promotion that ended/],
    ['openrouter', 'z-ai/glm-5.3-flash', /promotion that ended/],
    ['zhipuai', 'GLM-5.2', /shortest inputs/],
  ])('%s %s is refused', (provider, model, reason) => {
    expect(refusal(() => quote(provider, model))).toMatch(reason);
  });

  test.each([
    ['mistral', 'mistral-small-latest', 'mistral/mistral-small-2603', 0.15, 0.6],
    ['deepseek', 'deepseek-chat', 'deepseek/deepseek-v4-flash', 0.22, 0.66],
    ['openai', 'deepseek-reasoner', 'deepseek/deepseek-v4-flash', 0.22, 0.66],
  ])('%s %s is priced as what it stands for now', (provider, model, entry, input, output) => {
    const { snapshot } = quote(provider, model);
    expect(sourceName(snapshot)).toBe(entry);
    expect([perMtok(snapshot.rates.input), perMtok(snapshot.rates.output)]).toEqual([
      input,
      output,
    ]);
  });
});

// Last, since it changes genai's table for this file.
test('a table that genai fetches later changes no price', () => {
  updatePrices(({ setProviderData }) => {
    const cheap = providers.map((provider) => ({
      ...provider,
      models: provider.models.map((model) => ({ ...model, prices: { input_mtok: 0.001 } })),
    }));
    setProviderData(cheap);
  });
  const request = { providerId: 'openai', timestamp: new Date(NOON) };
  expect(calcPrice({ input_tokens: 1e6 }, 'gpt-4.1', request)?.total_price).toBeCloseTo(0.001);
  const book = createPriceBook();
  const { snapshot } = book.quote({ provider: 'openai', model: 'gpt-4.1', at: NOON });
  expect(perMtok(snapshot.rates.input)).toBe(2);
});
