import {
  type BoundAccount,
  type BudgetRule,
  type Matcher,
  matchersOf,
  matchesAll,
  unitAndLimit,
} from './bound-budgets.ts';
import type { Budget } from './budget.ts';
import { ExceptedSink } from './excepted-sink.ts';
import type { Identity } from './identity.ts';
import type { SinkWrapper } from './sink-port.ts';
import type { UsageSink } from './usage-sink.ts';

/** The terms of a budget for some identities. */
interface Exception {
  readonly match: readonly Matcher[];
  readonly rule: BudgetRule;
}

/** What budgets say of single identities: loaded only where one says anything. */
export class BudgetExceptions implements SinkWrapper {
  readonly #byBudget: Map<string, readonly Exception[]> = new Map();

  /** @param rules of the budgets, in their order. */
  constructor(budgets: readonly Budget[], rules: readonly BudgetRule[]) {
    for (const [place, budget] of budgets.entries()) {
      this.#byBudget.set(budget.name, overridesOf(budget, rules[place] as BudgetRule));
    }
  }

  /** The accounts, under the terms that they have for this identity. */
  applied(accounts: readonly BoundAccount[], identity: Identity): BoundAccount[] {
    return accounts.map(({ key, rule }) => {
      const exceptions = this.#byBudget.get(rule.budget);
      const found = exceptions?.find(({ match }) => matchesAll(match, identity));
      return { key, rule: found?.rule ?? rule };
    });
  }

  wrapped(sink: UsageSink): UsageSink {
    return new ExceptedSink(sink);
  }
}

function overridesOf(budget: Budget, rule: BudgetRule): Exception[] {
  return (budget.overrides ?? []).map(({ match, limit }) => {
    const { limit: amount } = unitAndLimit({ limit });
    return {
      match: matchersOf(match),
      rule: { ...rule, limit: amount, limitFrom: `override ${written(match)}` },
    };
  });
}

/** `user=vip, plan=*`. */
function written(match: Readonly<Record<string, string>>): string {
  return Object.entries(match)
    .map(([dimension, pattern]) => `${dimension}=${pattern}`)
    .join(', ');
}
