import type { BudgetRule } from './bound-budgets.ts';
import type { Budget } from './budget.ts';
import type { GuardConfig } from './guard-config.ts';
import type { PriceBook } from './price-book.ts';

/** What a finding is about. Codes are stable. */
export type FindingCode =
  | 'all-in-shadow'
  | 'below-smallest-call'
  | 'block-and-limit'
  | 'coarse-resolution'
  | 'duplicate-budget'
  | 'emergency-above-limit'
  | 'exception-as-default'
  | 'exception-for-all'
  | 'exception-never-used'
  | 'exempt-uncapped'
  | 'fixed-not-calendar'
  | 'limit-by-caller'
  | 'match-anything'
  | 'never-matches'
  | 'never-reached'
  | 'no-time-zone'
  | 'nothing-capped'
  | 'old-prices'
  | 'outage-denied'
  | 'outage-terms-unused'
  | 'outage-unlimited'
  | 'readable-secret'
  | 'refuses-everything'
  | 'rollover-above-limit'
  | 'rollover-never'
  | 'secret-pattern'
  | 'similar-names'
  | 'too-many-budgets'
  | 'uncapped-anonymous'
  | 'unknown-dimension'
  | 'unpriced-model'
  | 'usd-without-prices'
  | 'warn-at-limit'
  | 'warn-never'
  | 'warn-order'
  | 'warn-twice';

/**
 * `error`: calls will fail, or be refused for no good reason. `warning`: it does not do what it seems
 * to. `info`: it may be meant.
 */
export type Severity = 'error' | 'warning' | 'info';

/** Something in a configuration that is valid, and yet hardly what was meant. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Such as `budgets[0].window`. */
  readonly path: string;
  /** The budget that it is about; absent where it is about them all. */
  readonly budget?: string;
  readonly message: string;
  /** What to do about it. */
  readonly advice: string;
}

/** A budget that is looked at. */
export interface LintedBudget {
  readonly budget: Budget;
  readonly rule: BudgetRule;
  /** Such as `budgets[0]`. */
  readonly path: string;
}

export interface NamedModel {
  readonly provider: string;
  readonly model: string;
}

/** What a lint looks at. */
export interface LintScope {
  readonly config: GuardConfig;
  readonly budgets: readonly LintedBudget[];
  readonly prices: PriceBook | undefined;
  /** Undefined where nobody said which models are called. */
  readonly models: readonly NamedModel[] | undefined;
  /** All that an identity can have; undefined where nobody said. */
  readonly dimensions: ReadonlySet<string> | undefined;
  readonly smallestCall: { readonly inputTokens: number; readonly outputTokens: number };
  /** Ms since the epoch. */
  readonly now: number;
}

export type Lint = (scope: LintScope) => Iterable<Finding>;

/** Whether a budget refuses anything at all. */
export function caps({ budget, rule }: LintedBudget): boolean {
  return (rule.blocked || rule.limit !== null) && budget.mode !== 'shadow';
}

/** Whether what a budget matches of the call itself leaves this model to it. */
export function takesModel({ rule }: LintedBudget, model: NamedModel): boolean {
  return rule.match.every(({ dimension, pattern }) =>
    dimension === 'model' || dimension === 'provider' ? pattern.test(model[dimension]) : true,
  );
}

/** A finding about one budget. */
export function about(
  { budget, path }: LintedBudget,
  field: string,
  finding: Omit<Finding, 'path' | 'budget'>,
): Finding {
  return { ...finding, path: field === '' ? path : `${path}.${field}`, budget: budget.name };
}
