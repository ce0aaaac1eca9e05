import type { Budget } from './budget.ts';
import type { TokenCount } from './budget-limit.ts';
import { accountKey, type Identity } from './identity.ts';
import { MAX_AMOUNT, usd } from './money.ts';
import type { Account, AccountRule } from './usage-sink.ts';
import { compileWindow } from './window.ts';

/** A budget as the guard works with it. */
export interface BudgetRule extends AccountRule {
  readonly per: readonly string[];
  readonly tokenCount: TokenCount;
  readonly onUnknown: 'charge' | 'release';
  readonly match: readonly Matcher[];
  /** What set the limit, where that is not `limit` of the budget: `override user=vip`. */
  readonly limitFrom?: string;
  /** Calls may be admitted while the sink is away, up to so much on an account; null: any amount. */
  readonly withoutSink?: { readonly limit: number | null };
  /** Counts what nothing limits. */
  readonly exempt?: true;
}

export interface Matcher {
  readonly dimension: string;
  readonly pattern: RegExp;
}

/** An account that a call is held and charged on. */
export interface BoundAccount extends Account {
  readonly rule: BudgetRule;
}

const PARTS_PER_MILLION = 1_000_000;

export function compileBudget(budget: Budget): BudgetRule {
  const shares = new Set([...(budget.warnAt ?? []), 1]);
  const { rollover } = budget;
  return {
    budget: budget.name,
    per: budget.per,
    window: compileWindow(budget.window),
    blocked: budget.block === true,
    attribute: budget.attribute ?? 'reserve',
    onUnknown: budget.onUnknown ?? 'charge',
    thresholds: [...shares]
      .map((share) => Math.round(share * PARTS_PER_MILLION))
      .sort((a, b) => a - b),
    match: matchersOf(budget.match),
    ...unitAndLimit(budget),
    ...(rollover && { rollover: unitAndLimit({ limit: rollover }).limit ?? MAX_AMOUNT }),
  };
}

export function matchersOf(match: Readonly<Record<string, string>> = {}): Matcher[] {
  return Object.entries(match).map(([dimension, glob]) => ({
    dimension,
    pattern: globPattern(glob),
  }));
}

/** What the limit of a budget comes to. */
export function unitAndLimit(
  budget: Pick<Budget, 'limit' | 'onExpiry'>,
): Pick<BudgetRule, 'unit' | 'limit' | 'tokenCount' | 'onExpiry'> {
  const { limit = { requests: 'unlimited' }, onExpiry = 'charge' } = budget;
  const number = (value: number | 'unlimited'): number | null =>
    value === 'unlimited' ? null : value;
  const tokenCount = 'total';
  if ('usd' in limit) {
    const nano = limit.usd === 'unlimited' ? null : usd(limit.usd);
    return { unit: 'usd', limit: nano, tokenCount, onExpiry };
  }
  if ('tokens' in limit) {
    return {
      unit: 'tokens',
      limit: number(limit.tokens),
      tokenCount: limit.count ?? 'total',
      onExpiry,
    };
  }
  if ('requests' in limit) {
    return { unit: 'requests', limit: number(limit.requests), tokenCount, onExpiry };
  }
  // A call that is no longer running takes no place, however it ended.
  return { unit: 'concurrent', limit: limit.concurrent, tokenCount, onExpiry: 'release' };
}

function globPattern(glob: string): RegExp {
  const literal = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${glob.split('*').map(literal).join('.*')}$`, 's');
}

/**
 * The accounts of every budget that binds: those whose dimensions the identity has and whose `match`
 * holds. A budget with a missing dimension is passed over; the others still bind.
 *
 * @param pricedAs provider and model as they are priced, asked for where one of `match` does not hold with
 * the name of the call: another name of a model is no way around its budget, at no provider.
 */
export function bindBudgets(
  rules: readonly BudgetRule[],
  identity: Identity,
  pricedAs?: () => Identity | undefined,
): BoundAccount[] {
  const accounts: BoundAccount[] = [];
  for (const rule of rules) {
    const isBound = rule.match.every((matcher) => {
      return matches(matcher, identity) || (isOfCall(matcher) && matches(matcher, pricedAs?.()));
    });
    if (!isBound) continue;
    const key = accountKey(rule.budget, rule.per, identity);
    if (key !== undefined) accounts.push({ key, rule });
  }
  return accounts;
}

/** Whether an identity has all these dimensions, with such values. */
export function matchesAll(matchers: readonly Matcher[], identity: Identity): boolean {
  return matchers.every((matcher) => matches(matcher, identity));
}

function matches({ dimension, pattern }: Matcher, identity: Identity = {}): boolean {
  const value = identity[dimension];
  return value !== undefined && pattern.test(value);
}

/** Of dimensions that hardcap adds itself. */
export function isOfCall({ dimension }: Matcher): boolean {
  return dimension === 'model' || dimension === 'provider';
}
