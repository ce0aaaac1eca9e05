import { matchersOf, unitAndLimit } from '../bound-budgets.ts';
import type { LintedBudget, NamedModel } from '../finding.ts';

/** An entry of `overrides` or `exempt`. */
export interface LintedException {
  readonly match: Readonly<Record<string, string>>;
  /** Of the budget, such as `overrides[0]`. */
  readonly field: string;
  /** In the unit of the budget, null without one; undefined where it exempts. */
  readonly limit: number | null | undefined;
}

/** The exceptions of a budget in the order in which they are tried. */
export function exceptionsOf({ budget }: LintedBudget): LintedException[] {
  const exempt = (budget.exempt ?? []).map((match, place) => {
    return { match, field: `exempt[${place}]`, limit: undefined };
  });
  const overrides = (budget.overrides ?? []).map(({ match, limit }, place) => {
    return { match, field: `overrides[${place}]`, limit: unitAndLimit({ limit }).limit };
  });
  return [...exempt, ...overrides];
}

/** Where its match is written. */
export function matchFieldOf({ field, limit }: LintedException): string {
  return limit === undefined ? field : `${field}.match`;
}

/** Whether a pattern matches everything that another does. Where it does not know, it says no. */
function covers(pattern: string, other: string): boolean {
  // A star of the other is in no literal part of the pattern, so only a star of it can take that in.
  return matchersOf({ pattern }).every((matcher) => matcher.pattern.test(other));
}

/** Whether one match holds wherever another does. */
export function coversAll(
  match: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(match).every(([dimension, pattern]) => {
    const narrower = other[dimension];
    return narrower !== undefined && covers(pattern, narrower);
  });
}

/** Whether two patterns can match the same value. Where it does not know, it says yes. */
export function meet(one: string, other: string): boolean {
  if (!one.includes('*')) return covers(other, one);
  return other.includes('*') || covers(one, other);
}

/** Whether what is matched of the call itself leaves this model to it. */
export function leavesModel(match: Readonly<Record<string, string>>, model: NamedModel): boolean {
  return matchersOf(match).every(({ dimension, pattern }) =>
    dimension === 'model' || dimension === 'provider' ? pattern.test(model[dimension]) : true,
  );
}
