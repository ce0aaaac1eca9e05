import { unitAndLimit } from '../bound-budgets.ts';
import { about, type Finding, type LintedBudget, type LintScope } from '../finding.ts';
import { formatAmount } from '../money.ts';
import { bindsAllOf } from './reach.ts';

/** What budgets say of a sink that is away, and which comes to nothing, or to more than was meant. */
export function* lintOutages({ budgets }: LintScope): Generator<Finding> {
  for (const linted of budgets) {
    const { emergencyLimit, onSinkError, mode } = linted.budget;
    const field = emergencyLimit === undefined ? 'onSinkError' : 'emergencyLimit';
    if (mode === 'shadow') {
      if (emergencyLimit !== undefined || onSinkError !== undefined) {
        yield about(linted, field, {
          code: 'outage-terms-unused',
          severity: 'info',
          message: 'a budget in the shadow refuses nothing, whether the sink answers or not',
          advice: 'Leave it out until the budget is enforced',
        });
      }
    } else if (onSinkError !== 'allow') {
      if (emergencyLimit !== undefined) {
        yield about(linted, field, {
          code: 'outage-terms-unused',
          severity: 'warning',
          message: 'every call is refused while the sink is away, so there is nothing to limit',
          advice: 'Write `onSinkError: allow` beside it, or leave it out',
        });
      }
    } else yield* open(linted, budgets);
  }
}

function* open(linted: LintedBudget, budgets: readonly LintedBudget[]): Generator<Finding> {
  const { emergencyLimit } = linted.budget;
  const { limit, unit } = linted.rule;
  const denying = budgets.find(
    (other) =>
      other.budget.mode !== 'shadow' &&
      other.budget.onSinkError !== 'allow' &&
      (other.budget.exempt ?? []).length === 0 &&
      bindsAllOf(other, linted),
  );
  if (denying !== undefined) {
    yield about(linted, 'onSinkError', {
      code: 'outage-denied',
      severity: 'warning',
      message: `"${denying.budget.name}" binds every call that this one binds, and refuses it while the sink is away`,
      advice: `Write \`onSinkError: allow\` there too, or leave it out here`,
    });
  }
  if (emergencyLimit === undefined) {
    if (limit === null || denying !== undefined) return;
    yield about(linted, 'onSinkError', {
      code: 'outage-unlimited',
      severity: 'info',
      message: 'while the sink is away, nothing limits what is spent',
      advice: 'Add an `emergencyLimit`: the most that each account may spend then, in each process',
    });
    return;
  }
  const emergency = unitAndLimit({ limit: emergencyLimit }).limit;
  if (limit === null || (emergency !== null && emergency <= limit)) return;
  const amount = emergency === null ? 'No limit' : formatAmount(emergency, unit);
  yield about(linted, 'emergencyLimit', {
    code: 'emergency-above-limit',
    severity: 'warning',
    message: `${amount} for each process is more than the ${formatAmount(limit, unit)} of a whole window`,
    advice: 'Write what one process may spend until somebody has seen to the sink',
  });
}
