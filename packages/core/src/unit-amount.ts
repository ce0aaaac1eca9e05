import type { UnitAmount } from './adjustment-order.ts';
import { InvalidArgumentError } from './errors.ts';
import { isAmount, MAX_AMOUNT, MAX_LIMIT_USD, usd } from './money.ts';
import type { AccountRule } from './usage-sink.ts';

/**
 * An amount in the unit of a budget, as a whole number.
 *
 * @param what it is, such as `a top-up`, for the message.
 * @throws InvalidArgumentError for another unit, and for what is no amount.
 */
export function amountIn({ budget, unit }: AccountRule, given: UnitAmount, what: string): number {
  const example = unit === 'usd' ? '{ usd: "5.00" }' : `{ ${unit}: 5 }`;
  const isObject = typeof given === 'object' && given !== null;
  const [first, ...others] = isObject ? Object.entries(given) : [];
  const problem = (text: string): InvalidArgumentError =>
    new InvalidArgumentError(`Budget "${budget}": ${text}. Write ${example}.`);
  if (first === undefined || others.length > 0) {
    throw problem(`${what} is an amount in one unit`);
  }
  const [named, value] = first;
  if (named !== unit) throw problem(`${what} is in ${unit}, not in ${named}`);
  const amount = unit === 'usd' ? nanoOf(value) : value;
  if (isAmount(amount)) return amount;
  const most = unit === 'usd' ? `${MAX_LIMIT_USD} USD` : `${MAX_AMOUNT} ${unit}`;
  throw problem(`${JSON.stringify(value) ?? 'nothing'} is not an amount up to ${most}`);
}

function nanoOf(value: unknown): number {
  try {
    return usd(String(value));
  } catch {
    return Number.NaN;
  }
}
