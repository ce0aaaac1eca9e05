import { isAmount, MAX_AMOUNT, MAX_LIMIT_USD, usd } from './money.ts';

/** What a tokens budget counts: everything, one side, or everything but cache reads. */
export type TokenCount = 'total' | 'input' | 'output' | 'uncached';

/** A limit in one unit. `usd` is a decimal string; `unlimited` counts without a limit. */
export type BudgetLimit =
  | { readonly usd: string }
  | { readonly tokens: number | 'unlimited'; readonly count?: TokenCount }
  | { readonly requests: number | 'unlimited' }
  /** Calls at the same time. */
  | { readonly concurrent: number };

const TOKEN_COUNTS: readonly string[] = ['total', 'input', 'output', 'uncached'];
const INSTEAD =
  'Write `unlimited` to count without a limit, or `block: true` to refuse every call.';
const INEXACT = 'where amounts are no longer exact. Write less, or `unlimited`.';
const FORMS =
  'Write one of { usd: "5.00" }, { tokens: 200000 }, { requests: 60 }, { concurrent: 4 }.';

/** A limit in its normal form, or what is wrong with it and what to write instead. */
export function parseLimit(input: unknown): BudgetLimit | { readonly problem: string } {
  if (input === 'unlimited') return { usd: 'unlimited' };
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { problem: `${shown(input)} is not a limit. ${FORMS} ${INSTEAD}` };
  }
  const { count, ...units } = input as Record<string, unknown>;
  const [unit, ...others] = Object.keys(units);
  if (unit === undefined || others.length > 0) {
    return { problem: `a limit has exactly one unit. ${FORMS} ${INSTEAD}` };
  }
  const value = units[unit];
  if (count !== undefined && unit !== 'tokens') {
    return { problem: `\`count\` belongs to a limit in tokens, not to one in ${unit}.` };
  }
  if (unit === 'usd') return parseUsd(value);
  if (unit === 'tokens') return parseTokens(value, count);
  if (unit === 'requests') return parseCount(value, unit, (requests) => ({ requests }));
  if (unit === 'concurrent' && value === 'unlimited') {
    return { problem: 'a limit of concurrent calls is a number. Remove the budget instead.' };
  }
  if (unit === 'concurrent') {
    return parseCount(value, unit, (concurrent) => ({ concurrent: concurrent as number }));
  }
  return { problem: `"${unit}" is not a unit. ${FORMS}` };
}

function parseUsd(value: unknown): BudgetLimit | { readonly problem: string } {
  if (value === 'unlimited') return { usd: value };
  if (typeof value !== 'string' && typeof value !== 'number') {
    return { problem: `${shown(value)} is not an amount in USD. Write "5.00". ${INSTEAD}` };
  }
  const text = String(value).trim();
  if (text.startsWith('-')) return { problem: `${text} USD is negative. ${INSTEAD}` };
  let nano: number;
  try {
    nano = usd(text);
  } catch (error) {
    return { problem: `${(error as Error).message} ${INSTEAD}` };
  }
  if (nano === 0) return { problem: `${text} USD is no limit one can spend from. ${INSTEAD}` };
  if (nano > MAX_AMOUNT) return { problem: `${text} USD is above ${MAX_LIMIT_USD}, ${INEXACT}` };
  return { usd: text };
}

function parseTokens(value: unknown, count: unknown): BudgetLimit | { readonly problem: string } {
  if (count !== undefined && !TOKEN_COUNTS.includes(count as string)) {
    return { problem: `\`count\` is one of ${TOKEN_COUNTS.join(', ')}; ${shown(count)} is none.` };
  }
  const counted = count === undefined ? {} : { count: count as TokenCount };
  return parseCount(value, 'tokens', (tokens) => ({ tokens, ...counted }));
}

function parseCount(
  value: unknown,
  unit: string,
  limit: (value: number | 'unlimited') => BudgetLimit,
): BudgetLimit | { readonly problem: string } {
  if (value === 'unlimited') return limit(value);
  if (isAmount(value) && value > 0) return limit(value);
  if (Number.isInteger(value) && (value as number) > MAX_AMOUNT) {
    return { problem: `${shown(value)} ${unit} is above ${MAX_AMOUNT}, ${INEXACT}` };
  }
  return {
    problem: `${shown(value)} is not a number of ${unit}: write a whole number from 1. ${INSTEAD}`,
  };
}

function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
}
