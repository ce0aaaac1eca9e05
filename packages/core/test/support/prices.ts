import {
  type PriceBook,
  type PriceQuote,
  type PriceRequest,
  type TokenRates,
  UnpricedModelError,
} from '../../src/index.ts';

/** Pico-USD per token in one USD per million tokens. */
const PICO_PER_USD_PER_MTOK = 1_000_000;

/** Rates in USD per million tokens; classes that are not given cost what their side costs. */
export function ratesOf(
  input: number,
  output: number,
  others: Partial<TokenRates> = {},
): TokenRates {
  const [inputRate, outputRate] = [input * PICO_PER_USD_PER_MTOK, output * PICO_PER_USD_PER_MTOK];
  return {
    input: inputRate,
    cacheRead: inputRate,
    cacheWrite5m: inputRate,
    cacheWrite1h: inputRate,
    output: outputRate,
    reasoning: outputRate,
    ...others,
  };
}

export function quoteOf(rates: TokenRates, details: Partial<PriceQuote> = {}): PriceQuote {
  const snapshot = { rates, source: 'test', version: '1', provider: 'acme', model: 'small' };
  return {
    snapshot,
    dearest: { rates },
    free: false,
    maxOutputTokens: null,
    contextTokens: null,
    ...details,
  };
}

/** A price book with these models; every other is unpriced. */
export function bookOf(models: Readonly<Record<string, PriceQuote>>): PriceBook {
  return {
    quote({ provider, model }: PriceRequest): PriceQuote {
      const quote = models[model];
      if (quote === undefined) throw new UnpricedModelError(provider, model, 'not in the test');
      return quote;
    },
  };
}

/** `small` costs $1 and $10 per million tokens: 1,000 nano-USD for input, 10,000 for output. */
export const PRICES: PriceBook = bookOf({
  small: quoteOf(ratesOf(1, 10), { maxOutputTokens: 4_096 }),
  large: quoteOf(ratesOf(10, 100), { maxOutputTokens: 4_096 }),
  gratis: quoteOf(ratesOf(0, 0), { free: true, maxOutputTokens: 4_096 }),
});
