import { BindingMemo } from './binding-memo.ts';
import {
  type BoundAccount,
  type BudgetRule,
  type Matcher,
  matchersOf,
  matchesAll,
  unitAndLimit,
} from './bound-budgets.ts';
import type { Budget } from './budget.ts';
import type { CallBinder } from './call-binder.ts';
import type { EndingSink } from './end-request.ts';
import { LimitsPending } from './excepted-accounts.ts';
import { ExceptedSink } from './excepted-sink.ts';
import type { Identity } from './identity.ts';
import { LimitSources } from './limit-sources.ts';
import type { SinkPort, SinkWrapper } from './sink-port.ts';
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
  readonly #limits: LimitSources | null;
  #sink: ExceptedSink | null = null;
  /** The terms of now, for what is not of a call. */
  #latest: BudgetExceptions = this;

  /**
   * @param rules of the budgets, in their order.
   * @param limits those that come from elsewhere.
   */
  constructor(
    budgets: readonly Budget[],
    rules: readonly BudgetRule[],
    now: () => number = Date.now,
    limits: LimitSources | null = null,
  ) {
    this.#now = now;
    this.#limits = limits;
    for (const [place, budget] of budgets.entries()) {
      const rule = { ...(rules[place] as BudgetRule), ...modeOf(budget) };
      const exempt = (budget.exempt ?? []).map((match) => matchersOf(match));
      this.#terms.set(budget.name, { rule, exempt, exceptions: overridesOf(budget, rule) });
    }
  }

  /**
   * The accounts, under the terms that they have for this identity.
   *
   * @param since when limits were first asked for on behalf of whoever asks for the accounts.
   * @throws LimitsPending where some of these have to be asked for first.
   */
  applied(accounts: readonly BoundAccount[], identity: Identity, since?: number): BoundAccount[] {
    const pending: Promise<void>[] = [];
    const applied = accounts.map((account) => {
      const terms = this.#terms.get(account.rule.budget);
      if (terms === undefined) return account;
      if (terms.exempt.some((match) => matchesAll(match, identity))) return exempted(account);
      const exception = terms.exceptions.find(({ match }) => matchesAll(match, identity));
      const excepted = { key: account.key, rule: (exception ?? terms).rule };
      return this.#limits?.applied(excepted, identity, pending, since) ?? excepted;
    });
    if (pending.length > 0) throw new LimitsPending(pending, this.#now());
    return applied;
  }

  wrapped(sink: UsageSink, port: SinkPort, timeoutMs: number): UsageSink {
    this.#tellTo(port);
    const accountOf = (key: string) => this.#latest.#accountOf(key);
    this.#sink = new ExceptedSink({ sink, port, timeoutMs, now: this.#now, accountOf });
    return this.#sink;
  }

  marked(sink: EndingSink): EndingSink {
    return {
      settle: (request) => sink.settle(this.#sink?.marked(request) ?? request),
      release: (id) => sink.release(id),
    };
  }

  adopt(other: BudgetExceptions, port: SinkPort): void {
    this.#latest = other;
    other.#tellTo(port);
  }

  #tellTo({ events }: SinkPort): void {
    if (this.#limits !== null) this.#limits.events = events;
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

/**
 * Has a binder go by the exceptions of its budgets from here on.
 *
 * @throws ConfigError for limits from elsewhere that cannot be.
 */
export function exceptionsFor(binder: CallBinder, budgets: readonly Budget[]): BudgetExceptions {
  const { now = Date.now, limits } = binder.options;
  const sources = limits === undefined ? null : new LimitSources(limits, binder.rules, now);
  const exceptions = new BudgetExceptions(budgets, binder.rules, now, sources);
  binder.except = (...asked) => exceptions.applied(...asked);
  // Limits that may be others by the next call are not to be remembered with the caller.
  if (limits !== undefined) binder.memo = new BindingMemo([]);
  return exceptions;
}

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
