import { ceilingAmount } from '../call-amounts.ts';
import { dearestRates } from '../cost.ts';
import { UnpricedModelError } from '../errors.ts';
import {
  about,
  type Finding,
  type LintedBudget,
  type LintScope,
  type NamedModel,
  takesModel,
} from '../finding.ts';
import { formatAmount, usd } from '../money.ts';
import type { PriceBook, PriceQuote } from '../price-book.ts';
import { exceptionsOf } from './exceptions-of.ts';

const DAY_MS = 86_400_000;
/** Providers change a price every few weeks. */
const OLD_DAYS = 90;

/** Money without prices, or with old ones, models without one, and limits that carry no call. */
export function* lintPrices(scope: LintScope): Generator<Finding> {
  const money = scope.budgets.filter(({ rule }) => rule.unit === 'usd');
  const [first] = money;
  if (first !== undefined && scope.prices === undefined) {
    yield about(first, 'limit.usd', {
      code: 'usd-without-prices',
      severity: 'error',
      message: 'is in USD, and nobody says what models cost',
      advice: "Give `prices: createPriceBook()` of '@hardcap/prices', or limit tokens or requests",
    });
  }
  if (first !== undefined) yield* old(scope, first);
  yield* unpriced(scope, money);
  for (const linted of scope.budgets) {
    if (linted.rule.blocked) continue;
    yield* tooSmall(scope, linted, 'limit', linted.rule.limit);
    for (const { field, limit } of exceptionsOf(linted)) {
      if (limit !== undefined) yield* tooSmall(scope, linted, `${field}.limit`, limit);
    }
  }
}

function* old({ prices, now, models }: LintScope, linted: LintedBudget): Generator<Finding> {
  if (prices?.asOf === undefined) return;
  const days = Math.floor((now - prices.asOf) / DAY_MS);
  const isListed = (model: NamedModel): boolean => {
    const quote = quoteOf(prices, model, now);
    return !(quote instanceof Error) && (quote.basis ?? 'list') === 'list';
  };
  // Prices of the configuration are as old as that is.
  if (days <= OLD_DAYS || models?.some(isListed) === false) return;
  yield about(linted, 'limit.usd', {
    code: 'old-prices',
    severity: 'warning',
    message: `is counted by prices that are ${days} days old`,
    advice: 'Install the latest @hardcap/prices, or state what has changed as `overrides`',
  });
}

function* tooSmall(
  scope: LintScope,
  linted: LintedBudget,
  field: string,
  limit: number | null,
): Generator<Finding> {
  const { unit } = linted.rule;
  const least = limit === null ? undefined : leastAsked(scope, linted);
  if (limit === null || least === undefined || limit >= least) return;
  yield about(linted, field, {
    code: 'below-smallest-call',
    severity: 'error',
    message: `${formatAmount(limit, unit)} carry no call: the smallest asks for ${formatAmount(least, unit)}`,
    advice: 'Raise it, or write `block: true` to refuse every call',
  });
}

function* unpriced(scope: LintScope, money: readonly LintedBudget[]): Generator<Finding> {
  for (const model of scope.models ?? []) {
    const linted = money.find((budget) => takesModel(budget, model));
    if (linted === undefined || scope.prices === undefined) continue;
    const quote = quoteOf(scope.prices, model, scope.now);
    if (!(quote instanceof Error) || scope.prices.passesUnpriced) continue;
    yield about(linted, '', {
      code: 'unpriced-model',
      severity: 'warning',
      message: `refuses every call to ${model.provider}/${model.model}, which has no price`,
      advice: quote.message.replace(/\.$/, ''),
    });
  }
}

/** What the smallest call asks of a budget; undefined where that cannot be told, or is nothing. */
function leastAsked(scope: LintScope, linted: LintedBudget): number | undefined {
  const { estimate = 'ceiling' } = scope.config;
  const { rule } = linted;
  if (estimate === 'none') return undefined;
  if (rule.unit === 'tokens') {
    return estimate === 'ceiling' ? ceilingAmount(rule, scope.smallestCall, null) : undefined;
  }
  if (rule.unit !== 'usd') return undefined;
  if (estimate !== 'ceiling') return usd(estimate.fixed.usd);
  const { prices, now, smallestCall } = scope;
  if (prices === undefined) return undefined;
  const costs = (scope.models ?? [])
    .filter((model) => takesModel(linted, model))
    .map((model) => quoteOf(prices, model, now))
    .filter((quote): quote is PriceQuote => !(quote instanceof Error) && !quote.free)
    .map(({ dearest }) =>
      ceilingAmount(rule, smallestCall, dearestRates(dearest, smallestCall.inputTokens)),
    );
  return costs.length === 0 ? undefined : Math.min(...costs);
}

function quoteOf(prices: PriceBook, model: NamedModel, at: number): PriceQuote | Error {
  try {
    return prices.quote({ ...model, at });
  } catch (error) {
    if (UnpricedModelError.isInstance(error)) return error;
    throw error;
  }
}
