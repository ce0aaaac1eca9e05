import {
  about,
  caps,
  type Finding,
  type LintedBudget,
  type LintScope,
  takesModel,
} from '../finding.ts';
import { formatAmount } from '../money.ts';
import {
  coversAll,
  exceptionsOf,
  type LintedException,
  leavesModel,
  matchFieldOf,
  meet,
} from './exceptions-of.ts';

/** Exceptions of budgets that are never used, or make none. */
export function* lintExceptions(scope: LintScope): Generator<Finding> {
  for (const linted of scope.budgets) {
    const exceptions = exceptionsOf(linted);
    for (const [place, exception] of exceptions.entries()) {
      const never = neverMatches(scope, linted, exception);
      if (never !== undefined) {
        yield never;
        continue;
      }
      const before = exceptions
        .slice(0, place)
        .find(({ match }) => coversAll(match, exception.match));
      if (before !== undefined) {
        yield about(linted, exception.field, {
          code: 'exception-never-used',
          severity: 'warning',
          message: `\`${before.field}\` holds wherever this does, and comes first`,
          advice: 'Put the narrower of the two first, or leave this one out',
        });
      } else yield* useless(linted, exception, exceptions.slice(place + 1));
    }
  }
  yield* ungoverned(scope);
}

function neverMatches(
  { dimensions, models }: LintScope,
  linted: LintedBudget,
  exception: LintedException,
): Finding | undefined {
  const { match, field } = exception;
  const { match: ofBudget = {} } = linted.budget;
  for (const [dimension, pattern] of Object.entries(match)) {
    const path = `${matchFieldOf(exception)}.${dimension}`;
    if (dimensions !== undefined && !dimensions.has(dimension)) {
      return about(linted, path, {
        code: 'unknown-dimension',
        severity: 'warning',
        message: `no identity has "${dimension}", so this is an exception for nobody`,
        advice: `Identities have ${[...dimensions].join(', ')}: name one of those, or give "${dimension}" with the calls`,
      });
    }
    const wanted = ofBudget[dimension];
    if (wanted !== undefined && !meet(wanted, pattern)) {
      return about(linted, path, {
        code: 'never-matches',
        severity: 'warning',
        // Without the value, which may be a secret.
        message: `the budget binds no call with such a ${dimension}, and this is for those`,
        advice: 'Leave it out, or match what the budget does',
      });
    }
  }
  const isCalled = models?.some((model) => takesModel(linted, model) && leavesModel(match, model));
  if (isCalled !== false || !models?.some((model) => takesModel(linted, model))) return undefined;
  return about(linted, field, {
    code: 'never-matches',
    severity: 'warning',
    message: 'no model that is called, and that the budget binds, matches',
    advice:
      '`provider` and `model` are matched apart, as the calls name them; `*` stands for any characters',
  });
}

function* useless(
  linted: LintedBudget,
  { match, field, limit }: LintedException,
  later: readonly LintedException[],
): Generator<Finding> {
  const { budget, rule } = linted;
  const isForAll = Object.entries(match).every(
    ([dimension, pattern]) => /^\*+$/.test(pattern) && budget.per.includes(dimension),
  );
  if (isForAll) {
    yield about(linted, field, {
      code: 'exception-for-all',
      severity: 'warning',
      message:
        limit === undefined
          ? 'exempts everybody, so the budget binds nobody'
          : 'holds for everybody, so the limit of the budget is for nobody',
      advice: 'Name the identities that it is for, or change the budget itself',
    });
  } else if (limit === rule.limit && later.every((other) => !coversAll(other.match, match))) {
    const amount = limit === null ? 'no limit' : formatAmount(limit, rule.unit);
    yield about(linted, `${field}.limit`, {
      code: 'exception-as-default',
      severity: 'info',
      message: `${amount} is what the budget says for everybody`,
      advice: 'Leave it out, or write another limit',
    });
  } else if (budget.per.length === 0 && limit !== undefined) {
    yield about(linted, field, {
      code: 'limit-by-caller',
      severity: 'info',
      message:
        'the budget is one account for all, which is compared with this limit or with its own, by who calls',
      advice: 'Give those a budget of their own with `match`, or keep this one `per` a dimension',
    });
  }
}

/** Who is exempt from a budget, and has no other above. */
function* ungoverned({ budgets }: LintScope): Generator<Finding> {
  for (const linted of budgets) {
    for (const [place, match] of (linted.budget.exempt ?? []).entries()) {
      const isCapped = budgets.some(
        (other) => other !== linted && bindsExempt(other, linted, match),
      );
      if (isCapped || !caps(linted)) continue;
      yield about(linted, `exempt[${place}]`, {
        code: 'exempt-uncapped',
        severity: 'info',
        message:
          'no other budget is sure to bind these identities, so nothing limits what they spend',
        advice:
          'Add a budget above all, such as one with `per: []`, or raise their limit in `overrides`',
      });
    }
  }
}

/** Whether a budget caps those whom another exempts, for every call that the other would bind. */
function bindsExempt(
  other: LintedBudget,
  { budget }: LintedBudget,
  exempt: Readonly<Record<string, string>>,
): boolean {
  const known = new Set([
    ...budget.per,
    ...Object.keys(budget.match ?? {}),
    ...Object.keys(exempt),
  ]);
  const { per, match = {} } = other.budget;
  const isExempt = (other.budget.exempt ?? []).some((each) =>
    Object.entries(each).every(([dimension, pattern]) => meet(pattern, exempt[dimension] ?? '*')),
  );
  return (
    caps(other) &&
    !isExempt &&
    per.every((dimension) => known.has(dimension)) &&
    coversAll(match, { ...budget.match, ...exempt })
  );
}
