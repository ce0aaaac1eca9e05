import { type PriceQuote, type PriceSnapshot, UnpricedModelError } from '@hardcap/core';
import { createPriceBook, type PriceBookOptions } from '../src/index.ts';

/** Before the prices of 2027, at noon, when DeepSeek's prices are the low ones. */
export const NOON: number = Date.parse('2026-11-30T12:00:00Z');

const tableOnly = createPriceBook();

export function quote(provider: string, model: string, at: number = NOON): PriceQuote {
  return tableOnly.quote({ provider, model, at });
}

export function quoteWith(options: PriceBookOptions, name: string, at: number = NOON): PriceQuote {
  const [provider = '', ...model] = name.split('/');
  return createPriceBook(options).quote({ provider, model: model.join('/'), at });
}

/** `provider/model` as the source names them. */
export function sourceName({ provider, model }: PriceSnapshot): string {
  return `${provider}/${model}`;
}

/** Why a call is refused; undefined when it is priced. */
export function refusal(ask: () => unknown): string | undefined {
  try {
    ask();
    return undefined;
  } catch (error) {
    if (!UnpricedModelError.isInstance(error)) throw error;
    return /^No price for model ".*" of provider ".*": (.*)\. Add it/.exec(error.message)?.[1];
  }
}

/** USD per million tokens of a rate in pico-USD per token. */
export function perMtok(pico: number | undefined): number {
  return (pico ?? Number.NaN) / 1e6;
}
