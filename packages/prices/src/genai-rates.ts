import type { PriceTier, RateCard, TokenRates } from '@hardcap/core';
import type { ModelPrice } from '@pydantic/genai-prices';
import { MAX_PICO_PER_PIECE, MAX_PICO_PER_TOKEN, PICO_PER_USD_PER_MTOK } from './pico-rate.ts';
import { completeRates } from './token-rates.ts';

/** A card, or why the price cannot be used: the end of "No price for …: ". */
export type CardAnswer =
  | { readonly card: RateCard; readonly refusal?: never }
  | { readonly card?: never; readonly refusal: string };

// Usage has no class for images and video: where they have a rate of their own, the class they are
// counted in takes the dearest, so that a picture is never billed as text.
const TOKEN_CLASSES = {
  input: ['input_mtok', 'input_image_mtok', 'input_video_mtok'],
  cacheRead: ['cache_read_mtok', 'cache_image_read_mtok'],
  cacheWrite5m: ['cache_write_mtok'],
  cacheWrite1h: ['cache_write_1h_mtok'],
  output: ['output_mtok', 'output_image_mtok', 'output_video_mtok', 'output_citation_mtok'],
  reasoning: ['output_reasoning_mtok'],
  textOutput: ['output_mtok'],
  audioInput: ['input_audio_mtok'],
  audioOutput: ['output_audio_mtok'],
} as const;

type TokenClass = keyof typeof TOKEN_CLASSES;

const FEES: ReadonlyMap<string, string> = new Map([
  ['web_searches_kcount', 'webSearch'],
  ['storage_searches_kcount', 'fileSearch'],
]);

const PICO_PER_USD_PER_THOUSAND = 10 ** 9;

const METERED: ReadonlySet<string> = new Set([
  ...Object.values(TOKEN_CLASSES).flat(),
  ...FEES.keys(),
  // Audio read from a cache counts as audio, at the full rate.
  'cache_audio_read_mtok',
]);

/**
 * The card of one row of genai's table, with every rate converted once to integers. Refused are rates
 * that are missing, zero or implausible, and prices of things that calls do not count.
 */
export function cardOf(price: ModelPrice, claude: boolean): CardAnswer {
  const refusal = refusalOf(price);
  if (refusal !== undefined) return { refusal };
  const starts = Object.values(price).flatMap((value) =>
    typeof value === 'object' ? value.tiers.map(({ start }) => start) : [],
  );
  const tiers: PriceTier[] = [...new Set(starts)]
    .sort((one, other) => one - other)
    .map((start) => ({ aboveInputTokens: start, rates: ratesAbove(price, start, claude) }));
  const rates = ratesAbove(price, -1, claude);
  return { card: tiers.length === 0 ? { rates } : { rates, tiers } };
}

function refusalOf(price: ModelPrice): string | undefined {
  const keys = Object.keys(price).filter((key) => price[key] !== undefined);
  if (keys.length === 0) return 'it is listed without a rate, which need not mean that it is free';
  const unmetered = keys.find((key) => !METERED.has(key));
  if (unmetered !== undefined) return `it is billed by ${unmetered}, which calls do not count`;
  if (price['input_mtok'] === undefined) return 'it is listed without an input rate';
  for (const key of keys) {
    for (const value of valuesOf(price[key])) {
      if (value === 0) return `its ${key} is zero, which need not mean that it is free`;
      const max = FEES.has(key) ? MAX_PICO_PER_PIECE : MAX_PICO_PER_TOKEN;
      if (!(value > 0 && picoOf(key, value) <= max)) return `its ${key} of ${value} is implausible`;
    }
  }
  return undefined;
}

type PriceValue = ModelPrice[string];

function valuesOf(value: PriceValue): number[] {
  if (typeof value !== 'object') return value === undefined ? [] : [value];
  return [value.base, ...value.tiers.map(({ price }) => price)];
}

function valueAbove(value: PriceValue, start: number): number | undefined {
  if (typeof value !== 'object') return value;
  const reached = value.tiers.filter((tier) => tier.start <= start);
  return reached.sort((one, other) => one.start - other.start).at(-1)?.price ?? value.base;
}

// Rounding to the nearest makes 0.1 exactly 100,000; rounding up would not, as 0.1 is no exact float.
function picoOf(key: string, value: number): number {
  const scale = FEES.has(key) ? PICO_PER_USD_PER_THOUSAND : PICO_PER_USD_PER_MTOK;
  return Math.max(1, Math.round(value * scale));
}

function ratesAbove(price: ModelPrice, start: number, claude: boolean): TokenRates {
  const picoAbove = (key: string): number[] => {
    const value = valueAbove(price[key], start);
    return value === undefined ? [] : [picoOf(key, value)];
  };
  const rate = (name: TokenClass): number | undefined => {
    const rates = TOKEN_CLASSES[name].flatMap(picoAbove);
    return rates.length === 0 ? undefined : Math.max(...rates);
  };
  const input = rate('input') ?? 0;
  // Without an output rate it is an embedding model or the like, which has no output to bill.
  const output = rate('output') ?? input;
  const known = {
    input,
    output,
    cacheRead: rate('cacheRead'),
    cacheWrite5m: cacheWriteOf(rate('cacheWrite5m'), input),
    cacheWrite1h: rate('cacheWrite1h'),
    reasoning: rate('reasoning') ?? rate('textOutput'),
    audioInput: rate('audioInput'),
    audioOutput: rate('audioOutput'),
    fees: Object.fromEntries(
      [...FEES].flatMap(([key, name]) => picoAbove(key).map((pico) => [name, pico])),
    ),
  };
  return completeRates(known, claude);
}

// OpenRouter lists Gemini's cache writes at five minutes of storage alone, $0.0833 where storage is $1
// an hour, and bills them with the input rate on top. No write is cheaper than reading the input.
function cacheWriteOf(write: number | undefined, input: number): number | undefined {
  return write !== undefined && write < input ? write + input : write;
}
