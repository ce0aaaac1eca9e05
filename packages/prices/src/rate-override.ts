import { ConfigError, type PriceTier, type RateCard, type TokenRates } from '@hardcap/core';
import { type Decimal, PER_MTOK, PER_PIECE, parseDecimal } from './pico-rate.ts';
import { shown } from './shown.ts';
import { plainObject, strictObject } from './strict-object.ts';
import { completeRates } from './token-rates.ts';

/** Prices in USD per million tokens, as `'1.25'` or `1.25`. */
export interface OverrideRates {
  readonly input: Decimal;
  readonly output: Decimal;
  /** @default input */
  readonly cacheRead?: Decimal;
  /** @default input; 1.25 times that for Claude */
  readonly cacheWrite5m?: Decimal;
  /** @default cacheWrite5m; at least twice the input for Claude */
  readonly cacheWrite1h?: Decimal;
  /** @default output */
  readonly reasoning?: Decimal;
  /** Without it, audio has no price and settles at what was held. */
  readonly audioInput?: Decimal;
  readonly audioOutput?: Decimal;
  /** USD per piece, such as `{ webSearch: '0.01' }`. */
  readonly fees?: Readonly<Record<string, Decimal>>;
}

/** The price of one model, in place of the one in the table. */
export interface RateOverride extends OverrideRates {
  /** Rates of the whole call once its input has more tokens than `aboveInputTokens`; ascending. */
  readonly tiers?: readonly (OverrideRates & { readonly aboveInputTokens: number })[];
  /** The most output tokens of one call. @default the package's own figure, where it has one */
  readonly maxOutputTokens?: number;
  /** The context window in tokens. @default the table's figure, where it has one */
  readonly contextTokens?: number;
}

/** An override in integers. */
export interface ParsedOverride {
  readonly card: RateCard;
  readonly maxOutputTokens?: number;
  readonly contextTokens?: number;
}

const OPTIONAL_RATES = [
  ...(['cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning'] as const),
  ...(['audioInput', 'audioOutput'] as const),
] as const;

const RATE_KEYS = ['input', 'output', ...OPTIONAL_RATES, 'fees'];

/**
 * Parses the override of a model, by digits.
 *
 * @throws ConfigError for unknown keys, prices that are no decimals, implausible or all zero, and tiers
 * out of order.
 */
export function parseOverride(value: unknown, claude: boolean, path: string): ParsedOverride {
  const keys = [...RATE_KEYS, 'tiers', 'maxOutputTokens', 'contextTokens'];
  const record = strictObject(value, keys, path);
  const rates = parseRates(record, claude, path);
  const tiers = parseTiers(record['tiers'], claude, `${path}.tiers`);
  const { maxOutputTokens, contextTokens } = record;
  return {
    card: tiers.length === 0 ? { rates } : { rates, tiers },
    ...(maxOutputTokens === undefined
      ? {}
      : { maxOutputTokens: tokenCount(maxOutputTokens, `${path}.maxOutputTokens`) }),
    ...(contextTokens === undefined
      ? {}
      : { contextTokens: tokenCount(contextTokens, `${path}.contextTokens`) }),
  };
}

function parseRates(record: Record<string, unknown>, claude: boolean, path: string): TokenRates {
  const rate = (name: string): number => parseDecimal(record[name], PER_MTOK, `${path}.${name}`);
  const input = rate('input');
  const output = rate('output');
  if (input === 0 && output === 0) {
    throw new ConfigError(
      `${path}: a price of zero. List the model in \`free\` if it costs nothing.`,
    );
  }
  const given = OPTIONAL_RATES.filter((name) => record[name] !== undefined);
  const known = {
    input,
    output,
    ...Object.fromEntries(given.map((name) => [name, rate(name)])),
    fees: parseFees(record['fees'], `${path}.fees`),
  };
  return completeRates(known, claude);
}

function parseFees(value: unknown, path: string): Record<string, number> | undefined {
  if (value === undefined) return undefined;
  const entries = Object.entries(plainObject(value, path));
  return Object.fromEntries(
    entries.map(([name, fee]) => [name, parseDecimal(fee, PER_PIECE, `${path}.${name}`)]),
  );
}

function parseTiers(value: unknown, claude: boolean, path: string): PriceTier[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ConfigError(`${path}: write a list of tiers.`);
  const tiers = value.map((tier: unknown, index) => {
    const tierPath = `${path}[${index}]`;
    const record = strictObject(tier, ['aboveInputTokens', ...RATE_KEYS], tierPath);
    const start = tokenCount(record['aboveInputTokens'], `${tierPath}.aboveInputTokens`);
    return { aboveInputTokens: start, rates: parseRates(record, claude, tierPath) };
  });
  tiers.reduce((start, tier, index) => {
    if (tier.aboveInputTokens > start) return tier.aboveInputTokens;
    throw new ConfigError(`${path}[${index}]: write the tiers in ascending order.`);
  }, 0);
  return tiers;
}

function tokenCount(value: unknown, path: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw new ConfigError(
    `${path}: ${shown(value)} is not a number of tokens. Write a whole number above 0.`,
  );
}
