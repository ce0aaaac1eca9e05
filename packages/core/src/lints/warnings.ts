import { about, type Finding, type LintedBudget, type LintScope } from '../finding.ts';

/** Lists of `warnAt` that say more, or less, than they do. */
export function* lintWarnings({ budgets }: LintScope): Generator<Finding> {
  for (const linted of budgets) {
    const shares = linted.budget.warnAt ?? [];
    if (shares.length > 0 && !canWarn(linted)) {
      yield about(linted, 'warnAt', {
        code: 'warn-never',
        severity: 'warning',
        message: 'there is no settled spend to compare with a limit, so it never warns',
        advice: 'Leave `warnAt` out, or limit usd, tokens or requests',
      });
    }
    if (new Set(shares).size < shares.length) {
      yield about(linted, 'warnAt', {
        code: 'warn-twice',
        severity: 'warning',
        message: `has a share twice: ${shares.join(', ')}. Each warns once in a window`,
        advice: 'Leave one of them out, or write the share that was meant',
      });
    }
    if (shares.some((share, at) => share < (shares[at - 1] ?? 0))) {
      yield about(linted, 'warnAt', {
        code: 'warn-order',
        severity: 'info',
        message: `is out of order: ${shares.join(', ')}`,
        advice: `Write [${[...shares].sort((a, b) => a - b).join(', ')}]`,
      });
    }
    if (shares.includes(1)) {
      yield about(linted, 'warnAt', {
        code: 'warn-at-limit',
        severity: 'info',
        message: 'has 1, and the limit itself always warns',
        advice: 'Leave the 1 out',
      });
    }
  }
}

function canWarn({ rule }: LintedBudget): boolean {
  return rule.limit !== null && !rule.blocked && rule.unit !== 'concurrent';
}
