import { about, caps, type Finding, type LintScope, takesModel } from '../finding.ts';
import { MAX_CLAIMS } from '../usage-sink.ts';

/** Budgets that bind no call, too many, or not those that one would think. */
export function* lintBinding(scope: LintScope): Generator<Finding> {
  yield* unboundBudgets(scope);
  yield* openDoors(scope);
  const together = mostTogether(scope);
  if (together > MAX_CLAIMS) {
    yield {
      code: 'too-many-budgets',
      severity: 'error',
      path: 'budgets',
      message: `${together} budgets bind one call, and a call has at most ${MAX_CLAIMS} accounts`,
      advice: 'Join some, or give them a `match` so that fewer bind the same call',
    };
  }
}

function* unboundBudgets({ budgets, dimensions, models }: LintScope): Generator<Finding> {
  for (const linted of budgets) {
    const { per, match = {} } = linted.budget;
    const fields = [
      ...per.map((dimension) => [dimension, 'per'] as const),
      ...Object.keys(match).map((dimension) => [dimension, `match.${dimension}`] as const),
    ];
    for (const [dimension, field] of fields) {
      if (dimensions === undefined || dimensions.has(dimension)) continue;
      yield about(linted, field, {
        code: 'unknown-dimension',
        severity: 'warning',
        message: `no identity has "${dimension}", so the budget binds no call`,
        advice: `Identities have ${[...dimensions].join(', ')}: name one of those, or give "${dimension}" with the calls`,
      });
    }
    if (models !== undefined && !models.some((model) => takesModel(linted, model))) {
      yield about(linted, 'match', {
        code: 'never-matches',
        severity: 'warning',
        message: 'no model that is called matches, so the budget binds no call',
        advice:
          '`provider` and `model` are matched apart, as the calls name them; `*` stands for any characters',
      });
    }
    for (const dimension of ['provider', 'model']) {
      if (!/^\*+$/.test(match[dimension] ?? '')) continue;
      yield about(linted, `match.${dimension}`, {
        code: 'match-anything',
        severity: 'info',
        message: `every call has a ${dimension}, so this says nothing`,
        advice: 'Leave it out, or name what is to match',
      });
    }
  }
}

function* openDoors({ config, budgets }: LintScope): Generator<Finding> {
  const { unbudgeted = 'deny', identity = {} } = config;
  const capped = budgets.filter(caps);
  if (budgets.length === 0 && unbudgeted === 'deny') {
    yield {
      code: 'refuses-everything',
      severity: 'error',
      path: 'budgets',
      message: 'there is no budget, and a call that no budget binds is refused',
      advice: 'Write a budget, or `unbudgeted: allow`',
    };
  } else if (capped.length === 0 && budgets.some(({ budget }) => budget.mode === 'shadow')) {
    yield {
      code: 'all-in-shadow',
      severity: 'info',
      path: 'budgets',
      message: 'every budget with a limit is in the shadow, so nothing is ever refused',
      advice: 'Leave `mode: shadow` out where the figures have shown that it holds',
    };
  } else if (capped.length === 0) {
    yield {
      code: 'nothing-capped',
      severity: 'warning',
      path: 'budgets',
      message: 'no budget has a limit, so nothing is ever refused',
      advice: 'Give one a limit such as { usd: "5.00" }',
    };
  } else if (unbudgeted === 'allow') {
    const bindsAll = capped.some(
      ({ budget, rule }) =>
        rule.match.length === 0 && budget.per.every((dimension) => dimension in identity),
    );
    if (bindsAll) return;
    yield {
      code: 'uncapped-anonymous',
      severity: 'warning',
      path: 'unbudgeted',
      message: 'a call without the dimensions of any budget has no cap at all',
      advice: 'Add a budget with `per: []`, or write `unbudgeted: deny`',
    };
  }
}

/** How many budgets can bind one call. */
function mostTogether({ budgets, models }: LintScope): number {
  const ofCall = ({ dimension }: { dimension: string }): boolean =>
    dimension === 'provider' || dimension === 'model';
  const plain = budgets.filter(({ rule }) => !rule.match.some(ofCall));
  const counts = (models ?? []).map(
    (model) => budgets.filter((linted) => takesModel(linted, model)).length,
  );
  return Math.max(plain.length, ...counts);
}
