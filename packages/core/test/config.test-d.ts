// Compiled, never run: what a file says fits what a guard takes, once its prices are a book.
import { type GuardConfig, loadConfig } from '../src/config.ts';
import { createSpendGuard, type PriceBook, type SpendGuard } from '../src/index.ts';

declare const book: PriceBook;
declare const guard: SpendGuard;
const config: GuardConfig = loadConfig('budgets: []');

export const made = createSpendGuard({ ...config, prices: book });
export const changed = guard.reconfigure({ ...config, prices: book });

// @ts-expect-error prices of a file are data, and a guard wants a book
export const refused = createSpendGuard(config);
// @ts-expect-error a guard keeps its clock
export const late = guard.reconfigure({ budgets: [], now: Date.now });
