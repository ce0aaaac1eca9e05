export type { Decimal } from './pico-rate.ts';
export { createPriceBook } from './price-book.ts';
export type { CeilingRates, PriceBookOptions } from './price-book-options.ts';
export type { OverrideRates, RateOverride } from './rate-override.ts';
