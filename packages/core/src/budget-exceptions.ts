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
import type { SinkPort, SinkWrapper } from './sink-port.ts';
import type { EndingSink } from './unsent-settlements.ts';
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
  readonly #now: () => number;
  #sink: ExceptedSink | null = null;

  /** @param rules of the budgets, in their order. */
  constructor(
    budgets: readonly Budget[],
    rules: readonly BudgetRule[],
    now: () => number = Date.now,
  ) {
    this.#now = now;
    for (const [place, budget] of budgets.entries()) {
      const rule = { ...(rules[place] as BudgetRule), ...modeOf(budget) };
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

  wrapped(sink: UsageSink, port: SinkPort, timeoutMs: number): UsageSink {
    const accountOf = (key: string) => this.#accountOf(key);
    this.#sink = new ExceptedSink({ sink, port, timeoutMs, now: this.#now, accountOf });
    return this.#sink;
  }

  marked(sink: EndingSink): EndingSink {
    return {
      settle: (request) => sink.settle(this.#sink?.marked(request) ?? request),
      release: (id) => sink.release(id),
    };
  }

  #accountOf(key: string): BoundAccount | undefined {
    const [budget = ''] = key.split('|');
    const rule = this.#terms.get(budget)?.rule;
    if (rule === undefined) return undefined;
    return key.endsWith(EXEMPT)
      ? exempted({ key: key.slice(0, -EXEMPT.length), rule })
      : { key, rule };
  }
}

const EXEMPT = '|exempt';

/** How a budget refuses, and whether it does without the sink. */
function modeOf({ mode, onSinkError, emergencyLimit: limit }: Budget): Partial<BudgetRule> {
  if (mode === 'shadow') return { shadow: true, withoutSink: { limit: null } };
  if (onSinkError !== 'allow') return {};
  return { withoutSink: { limit: limit === undefined ? null : unitAndLimit({ limit }).limit } };
}

/** An account of its own: on that of the others it would take what they may spend. */
function exempted({ key, rule: { rollover: _, ...rule } }: BoundAccount): BoundAccount {
  const open = { limit: null, blocked: false, withoutSink: { limit: null } };
  return { key: `${key}${EXEMPT}`, rule: { ...rule, ...open, exempt: true } };
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
