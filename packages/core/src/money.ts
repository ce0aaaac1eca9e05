import type { Unit } from './denial.ts';

/** Nano-USD in one USD. Amounts of money are integer nano-USD. */
const NANO_PER_USD = 1_000_000_000;

/** Pico-USD in one nano-USD. Rates are integer pico-USD per token. */
export const PICO_PER_NANO = 1_000;

/** The largest cap, in USD: sums of two amounts up to it stay exact in a double. */
export const MAX_LIMIT_USD = 9_000_000;

/**
 * The largest amount of any unit. Rounding is monotone, so comparing a sum of such amounts with a
 * limit in this range is right even where the sum itself is beyond 2^53.
 */
export const MAX_AMOUNT: number = MAX_LIMIT_USD * NANO_PER_USD;

const DECIMAL = /^(\d+)(?:\.(\d*))?$/;

/**
 * Nano-USD of a decimal string such as `'12.50'`, by its digits; what is finer than a nano-USD is
 * dropped, since a cap rounds down.
 *
 * @throws RangeError when the text is not a plain decimal or is above the exact range.
 */
export function usd(text: string): number {
  const match = DECIMAL.exec(text.trim());
  if (match === null) {
    throw new RangeError(
      `"${text}" is not an amount in USD. Write a plain decimal such as "12.50".`,
    );
  }
  const nano = Number(`${match[1]}${(match[2] ?? '').slice(0, 9).padEnd(9, '0')}`);
  if (!Number.isSafeInteger(nano)) {
    throw new RangeError(
      `"${text}" USD cannot be kept exactly. The largest cap is ${MAX_LIMIT_USD} USD.`,
    );
  }
  return nano;
}

/** For display only: `$1.20`, `$0.000123`, `-$0.05`. At least two decimals, at most nine. */
export function formatUsd(nano: number): string {
  const digits = String(Math.abs(nano)).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0{1,7}$/, '');
  return `${nano < 0 ? '-' : ''}$${digits.slice(0, -9)}.${fraction}`;
}

/** For display only: an amount with its unit, such as `$0.18`, `1200 tokens` or `3 requests`. */
export function formatAmount(amount: number, unit: Unit): string {
  if (unit === 'usd') return formatUsd(amount);
  return unit === 'concurrent' ? `${amount} calls` : `${amount} ${unit}`;
}

/** True for an amount that can be held or charged; NaN, fractions and negatives are none. */
export function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_AMOUNT;
}

/** Nano-USD of a sum of pico-USD, rounded up. */
export function ceilToNano(pico: number): number {
  return Math.ceil(pico / PICO_PER_NANO);
}
