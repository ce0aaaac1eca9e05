import { about, type Finding, type LintScope } from '../finding.ts';
import { formatAmount, MAX_AMOUNT } from '../money.ts';

/** Rollovers that come to nothing, or to less than they seem to. */
export function* lintRollover({ budgets }: LintScope): Generator<Finding> {
  for (const linted of budgets) {
    const { limit, rollover, blocked, unit } = linted.rule;
    // Those who have another limit may have it for them.
    if (rollover === undefined || linted.budget.overrides !== undefined) continue;
    if (limit === null || blocked) {
      yield about(linted, 'rollover', {
        code: 'rollover-never',
        severity: 'warning',
        message: 'there is no limit of which something could be left, so nothing is rolled over',
        advice: 'Leave `rollover` out, or write a limit',
      });
    } else if (rollover > limit && rollover < MAX_AMOUNT) {
      const most = formatAmount(limit, unit);
      yield about(linted, 'rollover', {
        code: 'rollover-above-limit',
        severity: 'info',
        message: `a window is left what the one before has not spent, so never more than ${most}`,
        advice: 'Write `unlimited` if all of it is meant, or less',
      });
    }
  }
}
