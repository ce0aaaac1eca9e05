import { about, type Finding, type LintedBudget, type LintScope } from '../finding.ts';
import { formatAmount } from '../money.ts';
import { coversAll, exceptionsOf, meet } from './exceptions-of.ts';
import { mostWindowsWithin } from './windows-within.ts';

type Match = Readonly<Record<string, string>>;

/** Limits that nothing can reach, since another budget refuses first; and limits under a block. */
export function* lintReach({ budgets }: LintScope): Generator<Finding> {
  for (const linted of budgets) {
    const { rule } = linted;
    if (rule.blocked && linted.budget.limit !== undefined) {
      yield about(linted, 'limit', {
        code: 'block-and-limit',
        severity: 'info',
        message: '`block: true` refuses every call, so the limit does nothing',
        advice: 'Leave out one of the two',
      });
    }
    yield* neverReached(linted, budgets, 'limit', rule.limit, {});
    for (const { match, field, limit } of exceptionsOf(linted)) {
      if (limit !== undefined) {
        yield* neverReached(linted, budgets, `${field}.limit`, limit, match);
      }
    }
  }
}

/** @param match who has the limit. */
function* neverReached(
  linted: LintedBudget,
  budgets: readonly LintedBudget[],
  field: string,
  limit: number | null,
  match: Match,
): Generator<Finding> {
  const { rule } = linted;
  for (const other of budgets) {
    const most = mostUnder(linted, other, match);
    if (limit === null || rule.blocked || most >= limit) continue;
    const name = other.budget.name;
    const amount = formatAmount(most, rule.unit);
    yield about(linted, field, {
      code: 'never-reached',
      severity: 'warning',
      message:
        `"${name}" lets at most ${amount} through in a window of this budget, so its limit of ` +
        `${formatAmount(limit, rule.unit)} is never reached`,
      advice: `Lower this limit, raise that of "${name}", or leave one of them out`,
    });
    return;
  }
}

/** The most that another budget lets through in one window of this one; infinite where it need not bind. */
function mostUnder(linted: LintedBudget, other: LintedBudget, match: Match): number {
  const { rule } = linted;
  const limit = mostFor(other, match);
  const { rollover = 0 } = other.rule;
  const counted = rule.tokenCount === other.rule.tokenCount || other.rule.tokenCount === 'total';
  if (linted === other || limit === null || other.rule.blocked) return Number.POSITIVE_INFINITY;
  if (rule.unit !== other.rule.unit || !counted || !bindsAllOf(other, linted)) {
    return Number.POSITIVE_INFINITY;
  }
  // Of what is rolled over, only that into the first of them is not theirs.
  return limit * mostWindowsWithin(rule.window, other.rule.window) + Math.min(rollover, limit);
}

/** The largest limit that a budget may have for those who match; null where it may have none. */
function mostFor(linted: LintedBudget, match: Match): number | null {
  const { budget, rule } = linted;
  if (budget.mode === 'shadow') return null;
  const limits: (number | null)[] = [];
  for (const exception of exceptionsOf(linted)) {
    const isApart = Object.entries(exception.match).some(
      ([dimension, pattern]) => !meet(pattern, match[dimension] ?? '*'),
    );
    if (isApart) continue;
    if (exception.limit === undefined) return null;
    limits.push(exception.limit);
    if (coversAll(exception.match, match)) return mostOf(limits);
  }
  return mostOf([...limits, rule.limit]);
}

function mostOf(limits: readonly (number | null)[]): number | null {
  return limits.some((limit) => limit === null) ? null : Math.max(...(limits as number[]));
}

/** Whether one account of a budget has every call that an account of the other has. */
export function bindsAllOf({ budget }: LintedBudget, other: LintedBudget): boolean {
  const { per, match = {} } = other.budget;
  return (
    budget.per.every((dimension) => per.includes(dimension)) &&
    Object.entries(budget.match ?? {}).every(([key, pattern]) => match[key] === pattern)
  );
}
