import type { BudgetRule } from './bound-budgets.ts';
import { ceilingCost, type DearestRates, outputWithin } from './cost.ts';
import { inputTokensOf, outputTokensOf, type TokenUsage } from './usage.ts';

/** Bounds of one call, in tokens. */
export interface CallSize {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a call of this size asks of an account, in the account's unit. */
export function ceilingAmount(
  rule: BudgetRule,
  size: CallSize,
  rates: DearestRates | null,
): number {
  const { inputTokens, outputTokens } = size;
  if (rule.unit === 'usd')
    return rates === null ? 0 : ceilingCost(rates, inputTokens, outputTokens);
  if (rule.unit !== 'tokens') return 1;
  if (rule.tokenCount === 'input') return inputTokens;
  return rule.tokenCount === 'output' ? outputTokens : inputTokens + outputTokens;
}

/**
 * The most output tokens for which {@link ceilingAmount} stays within an amount; negative when the
 * input alone is too much, infinite when output does not count.
 */
export function outputWithinAmount(
  rule: BudgetRule,
  amount: number,
  inputTokens: number,
  rates: DearestRates | null,
): number {
  if (rule.unit === 'usd' && rates !== null) return outputWithin(rates, inputTokens, amount);
  if (rule.unit !== 'tokens') return amount >= 1 ? Number.POSITIVE_INFINITY : -1;
  if (rule.tokenCount === 'input') return amount >= inputTokens ? Number.POSITIVE_INFINITY : -1;
  return rule.tokenCount === 'output' ? amount : amount - inputTokens;
}

/** What a finished call is charged on an account; `hold` where the figures for it are missing. */
export function chargedAmount(
  rule: BudgetRule,
  usage: TokenUsage | null,
  costNanoUsd: number | null,
): number | 'hold' {
  if (rule.unit === 'concurrent') return 0;
  if (rule.unit === 'requests') return 1;
  if (rule.unit === 'usd') return costNanoUsd ?? 'hold';
  if (usage === null) return 'hold';
  if (rule.tokenCount === 'input') return inputTokensOf(usage);
  if (rule.tokenCount === 'output') return outputTokensOf(usage);
  const total = inputTokensOf(usage) + outputTokensOf(usage);
  return rule.tokenCount === 'uncached' ? total - usage.cacheRead : total;
}
