import { type PriceBook, UnpricedModelError } from '@hardcap/core';
import type { PicoRates } from '../wire/billing.ts';

export interface TestModel extends PicoRates {
  readonly maxOutputTokens: number | null;
  readonly contextTokens: number | null;
}

const GPT: TestModel = {
  input: 2_000_000,
  cacheRead: 500_000,
  cacheWrite5m: 2_500_000,
  cacheWrite1h: 2_500_000,
  output: 8_000_000,
  maxOutputTokens: 32_768,
  contextTokens: 1_047_576,
};

const CLAUDE: TestModel = {
  input: 3_000_000,
  cacheRead: 300_000,
  cacheWrite5m: 3_750_000,
  cacheWrite1h: 6_000_000,
  output: 15_000_000,
  maxOutputTokens: 64_000,
  contextTokens: 200_000,
};

const GEMINI: TestModel = {
  input: 300_000,
  cacheRead: 30_000,
  cacheWrite5m: 300_000,
  cacheWrite1h: 300_000,
  output: 2_500_000,
  webSearch: 14_000_000_000,
  maxOutputTokens: 65_536,
  contextTokens: 1_048_576,
};

/** A cent for a token of output, and nothing for anything else. */
const CENT: TestModel = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 10_000_000_000,
  maxOutputTokens: 1_000,
  contextTokens: 10_000,
};

const MODELS: Readonly<Record<string, TestModel>> = {
  'gpt-4.1': GPT,
  'gpt-dear': { ...GPT, input: 200_000_000, cacheWrite5m: 200_000_000, output: 800_000_000 },
  'gpt-4.1@priority': { ...GPT, input: 3_500_000, cacheWrite5m: 4_000_000, output: 14_000_000 },
  'gpt-5': { ...GPT, maxOutputTokens: 128_000, contextTokens: 400_000 },
  'claude-sonnet-4-5': CLAUDE,
  'claude-sonnet-4-5@fast': {
    ...{ ...CLAUDE, input: 18_000_000, cacheWrite5m: 22_500_000, cacheWrite1h: 36_000_000 },
    output: 90_000_000,
  },
  'claude-opus-4-5': {
    ...{ ...CLAUDE, input: 5_000_000, cacheRead: 500_000, cacheWrite5m: 6_250_000 },
    ...{ cacheWrite1h: 10_000_000, output: 25_000_000 },
  },
  'claude-opus-4-8': { ...CLAUDE, maxOutputTokens: 128_000 },
  'gemini-2.5-flash': GEMINI,
  'gemini-2.5-flash@priority': {
    ...GEMINI,
    input: 600_000,
    cacheWrite5m: 600_000,
    output: 5_000_000,
  },
  'gemini-2.5-pro': { ...GEMINI, output: 10_000_000 },
  'gemini-3.7-flash': GEMINI,
  'gemini-4-argon': { ...GEMINI, maxOutputTokens: 1_000_000 },
  'text-embedding-3-small': {
    ...{ input: 20_000, cacheRead: 20_000, cacheWrite5m: 20_000, cacheWrite1h: 20_000, output: 0 },
    ...{ maxOutputTokens: 0, contextTokens: 8_192 },
  },
  // Of pictures: in the price list by tokens, by the piece, and by neither.
  'gpt-image-1': {
    ...{ input: 10_000_000, cacheRead: 2_500_000, cacheWrite5m: 10_000_000 },
    ...{ cacheWrite1h: 10_000_000, output: 40_000_000, maxOutputTokens: null, contextTokens: null },
  },
  'dall-e-3': { ...CENT, output: 0 },
  'tts-1': { ...CENT, output: 0 },
  'whisper-1': { ...CENT, output: 0 },
  cent: CENT,
  // By their names: one that certainly does not reason, and those that may.
  'gpt-4o-cent': CENT,
  'gpt-5-cent': CENT,
  'claude-sonnet-4-cent': CENT,
  'gemini-2.5-flash-cent': CENT,
  'cent-unbounded': { ...CENT, maxOutputTokens: null, contextTokens: null },
};

/** The ending of a model whose rates are some pico-USD off those of the list, each by another number. */
export const ODD = '-odd';

/** So that no class of a call comes to whole nano-USD, and only the sum may be rounded. */
function odd({ input, cacheRead, cacheWrite5m, cacheWrite1h, output, ...others }: TestModel) {
  const write = { cacheWrite5m: cacheWrite5m + 7, cacheWrite1h: cacheWrite1h + 11 };
  return { ...others, input: input + 3, cacheRead: cacheRead + 5, ...write, output: output + 13 };
}

/** Pico-USD per token: what the wire server bills, and what the guard prices with. */
export const PRICES: Readonly<Record<string, TestModel>> = {
  ...MODELS,
  ...Object.fromEntries(Object.entries(MODELS).map(([id, model]) => [id + ODD, odd(model)])),
};

export const TEST_PRICE_BOOK: PriceBook = {
  quote({ provider, model, serviceTier }) {
    const found = PRICES[`${model}@${serviceTier}`] ?? PRICES[model];
    if (found === undefined) throw new UnpricedModelError(provider, model, 'it is no test model');
    const { maxOutputTokens, contextTokens, webSearch, ...rates } = found;
    const fees = webSearch === undefined ? {} : { fees: { webSearch } };
    const card = { rates: { ...rates, reasoning: rates.output, ...fees } };
    const snapshot = { ...card, source: 'test', version: '1', provider, model };
    return { snapshot, dearest: card, free: false, maxOutputTokens, contextTokens };
  },
};
