import type { BoundAccount, BudgetRule } from './bound-budgets.ts';
import { chargedAmount } from './call-amounts.ts';
import { costOf } from './cost.ts';
import { UnpricedModelError } from './errors.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { isAmount } from './money.ts';
import type { PriceBook, PriceQuote } from './price-book.ts';

/** An account of a recorded call, and what the call asks of it and comes to. */
export interface ReplayedClaim {
  readonly account: BoundAccount;
  readonly asked: number;
  readonly amount: number;
}

/** What a recorded call comes to; null where neither the ledger nor a price book says. */
export function recordedCost(entry: LedgerEntry, prices: PriceBook | undefined): number | null {
  const { costNanoUsd = null, usage } = entry;
  if (costNanoUsd !== null) return costNanoUsd;
  const quote = quoteFor(entry, prices);
  if (quote === undefined || usage === null || usage === undefined) return null;
  return quote.free ? 0 : (costOf(quote.snapshot, usage) ?? null);
}

/**
 * What a recorded call asks of an account.
 *
 * @param held whether it asks for what it held at the time, or for no more than it came to.
 * @returns undefined where the ledger does not say what it came to.
 */
export function replayedClaim(
  account: BoundAccount,
  entry: LedgerEntry,
  cost: number | null,
  held: boolean,
): ReplayedClaim | undefined {
  const { rule } = account;
  const amount = amountOf(rule, entry, cost);
  if (amount === undefined) return undefined;
  if (!held || rule.unit === 'requests') return { account, asked: amount, amount };
  const places = entry.charges.filter(({ unit }) => unit === rule.unit);
  const ofCall = rule.unit === 'usd' ? (entry.heldNanoUsd ?? 0) : 0;
  return { account, asked: Math.max(amount, ofCall, ...places.map((place) => place.held)), amount };
}

function amountOf(rule: BudgetRule, entry: LedgerEntry, cost: number | null): number | undefined {
  const { usage = null, charges, hiddenReasoning } = entry;
  const charged = chargedAmount(rule, usage, cost);
  if (rule.unit !== 'tokens') return isAmount(charged) ? charged : undefined;
  const recorded = charges.filter(({ unit }) => unit === 'tokens').map(({ amount }) => amount);
  if (!isAmount(charged)) return recorded.length === 0 ? undefined : Math.max(...recorded);
  // What was seen is less than what was charged for.
  return hiddenReasoning && rule.tokenCount !== 'input' ? Math.max(charged, ...recorded) : charged;
}

/** What an entry that corrects a call adds to an account that was charged an amount for it. */
export function replayedChange(rule: BudgetRule, entry: LedgerEntry, charged: number): number {
  if (rule.unit === 'usd') return entry.costChangeNanoUsd ?? 0;
  if (rule.unit !== 'tokens') return 0;
  if (entry.kind === 'correction') {
    const amount = chargedAmount(rule, entry.usage ?? null, null);
    return isAmount(amount) ? amount - charged : 0;
  }
  const change = chargedAmount(rule, entry.usageChange ?? null, null);
  return Number.isSafeInteger(change) ? (change as number) : 0;
}

/** Whether budgets in USD have a say in a call. */
export function costsMoney(entry: LedgerEntry, cost: number | null): boolean {
  return cost !== 0 || entry.charges.some(({ unit }) => unit === 'usd');
}

/** What a price book says of a recorded call; nothing where there is no price, or no book. */
export function quoteFor(
  entry: LedgerEntry,
  prices: PriceBook | undefined,
): PriceQuote | undefined {
  const { provider, model, at } = entry;
  if (prices === undefined || provider === undefined || model === undefined) return undefined;
  try {
    return prices.quote({ provider, model, at });
  } catch (error) {
    if (UnpricedModelError.isInstance(error)) return undefined;
    throw error;
  }
}
