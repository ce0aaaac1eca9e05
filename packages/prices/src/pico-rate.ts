import { ConfigError } from '@hardcap/core';
import { shown } from './shown.ts';

/** Pico-USD per token in one USD per million tokens. */
export const PICO_PER_USD_PER_MTOK = 1_000_000;

/**
 * The dearest rate that is believed: $10,000 per million tokens, in pico-USD per token. The dearest
 * model so far costs $600; a price above this is a slip in its unit.
 */
export const MAX_PICO_PER_TOKEN: number = 10_000 * PICO_PER_USD_PER_MTOK;

/** The dearest fee that is believed: $10 for one piece, in pico-USD. */
export const MAX_PICO_PER_PIECE: number = 10 * 10 ** 12;

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** How a price is written: `'1.25'` or `1.25`. */
export type Decimal = string | number;

/** What a decimal in a configuration stands for. */
export interface DecimalKind {
  /** As in "Write USD per million tokens". */
  readonly unit: string;
  /** Decimal places of the integer that is made of it. */
  readonly places: number;
  readonly max: number;
}

/** USD per million tokens, as integer pico-USD per token. */
export const PER_MTOK: DecimalKind = {
  unit: 'USD per million tokens',
  places: 6,
  max: MAX_PICO_PER_TOKEN,
};

/** USD per piece, as integer pico-USD. */
export const PER_PIECE: DecimalKind = {
  unit: 'USD per piece',
  places: 12,
  max: MAX_PICO_PER_PIECE,
};

/**
 * The integer of a decimal, made of its digits and not of a float; what is finer than the integer
 * rounds up, as charges do.
 *
 * @throws ConfigError when it is not a plain decimal or is implausibly large.
 */
export function parseDecimal(value: unknown, kind: DecimalKind, path: string): number {
  const { unit, places, max } = kind;
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' ? DECIMAL.exec(text.trim()) : null;
  if (match === null) {
    throw new ConfigError(
      `${path}: ${shown(value)} is not a plain decimal. ` + `Write ${unit}, such as "1.25".`,
    );
  }
  const [, whole = '', fraction = ''] = match;
  const digits = Number(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`);
  const integer = digits + (/[1-9]/.test(fraction.slice(places)) ? 1 : 0);
  if (integer > max) {
    throw new ConfigError(
      `${path}: ${value} is implausible: the limit is ${max / 10 ** places}. Write ${unit}.`,
    );
  }
  return integer;
}
