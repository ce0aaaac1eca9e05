import { ConfigError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { createPriceBook, type PriceBookOptions } from '../src/index.ts';

const price = { input: '1', output: '1' };

const NO_DECIMAL = 'is not a plain decimal. Write USD per million tokens, such as "1.25".';
const NO_COUNT = 'is not a number of tokens. Write a whole number above 0.';
const NO_NAME =
  'is not a model. Write "provider/model", such as "openai/gpt-5.1"; ' +
  'a "*" may only end it, as in "ollama/*".';

function messageOf(options: unknown): string {
  try {
    createPriceBook(options as PriceBookOptions);
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('an override of a/b', () => {
  test.each<[override: unknown, message: string]>([
    [5, ': write an object, not 5.'],
    [{ input: '1' }, `.output: undefined ${NO_DECIMAL}`],
    [{ ...price, input: '$3' }, `.input: "$3" ${NO_DECIMAL}`],
    [{ ...price, input: '1,5' }, `.input: "1,5" ${NO_DECIMAL}`],
    [{ ...price, input: -1 }, `.input: -1 ${NO_DECIMAL}`],
    [{ ...price, input: Number.NaN }, `.input: NaN ${NO_DECIMAL}`],
    [{ ...price, input: Number.POSITIVE_INFINITY }, `.input: Infinity ${NO_DECIMAL}`],
    [{ ...price, input: 1e-7 }, `.input: 1e-7 ${NO_DECIMAL}`],
    [{ ...price, input: null }, `.input: null ${NO_DECIMAL}`],
    [
      { ...price, output: '3000000' },
      '.output: 3000000 is implausible: the limit is 10000. Write USD per million tokens.',
    ],
    [
      { ...price, fees: { webSearch: '11' } },
      '.fees.webSearch: 11 is implausible: the limit is 10. Write USD per piece.',
    ],
    [
      { input: 0, output: '0.0' },
      ': a price of zero. List the model in `free` if it costs nothing.',
    ],
    [{ ...price, tiers: {} }, '.tiers: write a list of tiers.'],
    [{ ...price, tiers: [price] }, `.tiers[0].aboveInputTokens: undefined ${NO_COUNT}`],
    [
      { ...price, tiers: [9, 9].map((aboveInputTokens) => ({ ...price, aboveInputTokens })) },
      '.tiers[1]: write the tiers in ascending order.',
    ],
    [{ ...price, maxOutputTokens: 1.5 }, `.maxOutputTokens: 1.5 ${NO_COUNT}`],
    [{ ...price, contextTokens: 0 }, `.contextTokens: 0 ${NO_COUNT}`],
    [
      { ...price, cached: '1' },
      ': "cached" is not known here. Write input, output, cacheRead, cacheWrite5m, cacheWrite1h, ' +
        'reasoning, audioInput, audioOutput, fees, tiers, maxOutputTokens, contextTokens.',
    ],
  ])('%j', (override, message) => {
    expect(messageOf({ overrides: { 'a/b': override } })).toBe(`overrides["a/b"]${message}`);
  });
});

describe('other options', () => {
  test.each<[options: unknown, message: string]>([
    [
      { override: {} },
      'createPriceBook: "override" is not known here. ' +
        'Write overrides, aliases, free, unknownModel, multipliers.',
    ],
    [[], 'createPriceBook: write an object, not [].'],
    [{ overrides: { 'gpt-5.1': price } }, `overrides["gpt-5.1"]: "gpt-5.1" ${NO_NAME}`],
    [
      { overrides: { 'openai/*': price } },
      'overrides["openai/*"]: write one model here, without "*".',
    ],
    [
      { overrides: { 'xai/grok-9': price, 'x-ai/grok-9': price } },
      'overrides["x-ai/grok-9"]: "x-ai/grok-9" is there twice. Write it once.',
    ],
    [
      { overrides: { 'a/b': price }, free: ['a/b'] },
      '"a/b" is in `free` and in `overrides`. Write it in one of them.',
    ],
    [{ free: 'ollama/*' }, 'free: write a list of models, such as ["ollama/*"].'],
    [{ free: ['*'] }, `free[0]: "*" ${NO_NAME}`],
    [{ free: ['a/*b'] }, `free[0]: "a/*b" ${NO_NAME}`],
    [{ free: [7] }, `free[0]: 7 ${NO_NAME}`],
    [{ aliases: { 'azure/x': 'gpt-5.1' } }, `aliases["azure/x"]: "gpt-5.1" ${NO_NAME}`],
    [
      { aliases: { 'azure/x': 'openai/gtp-5.1' } },
      'aliases["azure/x"]: "openai/gtp-5.1" has no price: genai-prices 0.1.8 has no such model. ' +
        'Write another.',
    ],
    [
      { aliases: { 'azure/x': 'openai/moderation' } },
      'aliases["azure/x"]: "openai/moderation" has no price: it is listed without a rate, which ' +
        'need not mean that it is free. Write another.',
    ],
    [
      { aliases: { 'azure/x': 'azure/x' } },
      'aliases["azure/x"]: "azure/x" has no price: its aliases lead nowhere. Write another.',
    ],
    [
      { aliases: { 'azure/x': 'openai/gpt-5.1', 'azure.chat/X': 'openai/gpt-5' } },
      'aliases["azure.chat/X"]: "azure/x" is there twice. Write it once.',
    ],
    [
      { aliases: { 'azure/*': 'openai/gpt-5.1' } },
      'aliases["azure/*"]: write "*" at the end of both names or of neither.',
    ],
    [
      { unknownModel: { input: '1', output: '1' } },
      'unknownModel: "input" is not known here. Write ceiling.',
    ],
    [{ unknownModel: 'free' }, 'unknownModel: write an object, not "free".'],
    [{ unknownModel: {} }, 'unknownModel.ceiling: write an object, not undefined.'],
    [
      { unknownModel: { ceiling: { input: '0', output: '1' } } },
      'unknownModel.ceiling: a ceiling of zero would make unknown models free. Write more.',
    ],
    [
      { multipliers: { 'a/b': 0 } },
      'multipliers["a/b"]: a factor of zero. List the model in `free` if it costs nothing.',
    ],
    [
      { multipliers: { 'a/b': '101' } },
      'multipliers["a/b"]: 101 is implausible: the limit is 100. Write a factor.',
    ],
    [
      { multipliers: { 'a/b': 'x2' } },
      'multipliers["a/b"]: "x2" is not a plain decimal. Write a factor, such as "1.25".',
    ],
  ])('%j', (options, message) => {
    expect(messageOf(options)).toBe(message);
  });
});

test('what is right is accepted, and so is nothing', () => {
  expect(messageOf({})).toBe('accepted');
  expect(messageOf(undefined)).toBe('accepted');
  expect(messageOf({ overrides: { 'a/b': { input: ' 1.25 ', output: 10 } } })).toBe('accepted');
});
