import {
  type BoundAccount,
  type BudgetRule,
  type Matcher,
  matchersOf,
  matchesAll,
  unitAndLimit,
} from './bound-budgets.ts';
import type { Budget } from './budget.ts';
import type { EventPort } from './event.ts';
import { ExceptedSink } from './excepted-sink.ts';
import type { Identity } from './identity.ts';
import type { SinkWrapper } from './sink-port.ts';
import type { UsageSink } from './usage-sink.ts';

/** The terms of a budget, and others for some identities. */
interface Terms {
  readonly rule: BudgetRule;
  readonly exempt: readonly (readonly Matcher[])[];
  readonly exceptions: readonly Exception[];
}

interface Exception {
  readonly match: readonly Matcher[];
  readonly rule: BudgetRule;
}

/** What only some budgets have: loaded where one has any of it. */
export class BudgetExceptions implements SinkWrapper {
  readonly #terms: Map<string, Terms> = new Map();

  /** @param rules of the budgets, in their order. */
  constructor(budgets: readonly Budget[], rules: readonly BudgetRule[]) {
    for (const [place, budget] of budgets.entries()) {
      const shadow = budget.mode === 'shadow';
      const rule: BudgetRule = { ...(rules[place] as BudgetRule), ...(shadow && { shadow }) };
      const exempt = (budget.exempt ?? []).map((match) => matchersOf(match));
      this.#terms.set(budget.name, { rule, exempt, exceptions: overridesOf(budget, rule) });
    }
  }

  /** The accounts, under the terms that they have for this identity. */
  applied(accounts: readonly BoundAccount[], identity: Identity): BoundAccount[] {
    return accounts.map((account) => {
      const terms = this.#terms.get(account.rule.budget);
      if (terms === undefined) return account;
      if (terms.exempt.some((match) => matchesAll(match, identity))) return exempted(account);
      const exception = terms.exceptions.find(({ match }) => matchesAll(match, identity));
      return { key: account.key, rule: (exception ?? terms).rule };
    });
  }

  wrapped(sink: UsageSink, events: EventPort): UsageSink {
    return new ExceptedSink(sink, events);
  }
}

/** An account of its own: on that of the others it would take what they may spend. */
function exempted({ key, rule }: BoundAccount): BoundAccount {
  const terms = { ...rule, limit: null, blocked: false, exempt: true } as const;
  return { key: `${key}|exempt`, rule: terms };
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
