import { about, type Finding, type LintedBudget, type LintScope } from '../finding.ts';
import { formatAmount } from '../money.ts';
import { mostWindowsWithin } from './windows-within.ts';

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
    for (const other of budgets) {
      const most = mostUnder(linted, other);
      if (rule.limit === null || rule.blocked || most >= rule.limit) continue;
      const name = other.budget.name;
      const amount = formatAmount(most, rule.unit);
      yield about(linted, 'limit', {
        code: 'never-reached',
        severity: 'warning',
        message:
          `"${name}" lets at most ${amount} through in a window of this budget, so its limit of ` +
          `${formatAmount(rule.limit, rule.unit)} is never reached`,
        advice: `Lower this limit, raise that of "${name}", or leave one of them out`,
      });
      break;
    }
  }
}

/** The most that another budget lets through in one window of this one; infinite where it need not bind. */
function mostUnder(linted: LintedBudget, other: LintedBudget): number {
  const { rule } = linted;
  const { limit, rollover = 0 } = other.rule;
  const counted = rule.tokenCount === other.rule.tokenCount || other.rule.tokenCount === 'total';
  if (linted === other || limit === null || other.rule.blocked) return Number.POSITIVE_INFINITY;
  if (rule.unit !== other.rule.unit || !counted || !bindsAllOf(other, linted)) {
    return Number.POSITIVE_INFINITY;
  }
  // Of what is rolled over, only that into the first of them is not theirs.
  return limit * mostWindowsWithin(rule.window, other.rule.window) + Math.min(rollover, limit);
}

/** Whether one account of a budget has every call that an account of the other has. */
function bindsAllOf({ budget }: LintedBudget, other: LintedBudget): boolean {
  const { per, match = {} } = other.budget;
  return (
    budget.per.every((dimension) => per.includes(dimension)) &&
    Object.entries(budget.match ?? {}).every(([key, pattern]) => match[key] === pattern)
  );
}
