import {
  type Account,
  type AccountRule,
  type Adjustment,
  type AdjustRequest,
  type Charge,
  rolledOver,
  type WindowSpan,
} from '@hardcap/core';
import { goesAlong, type PlainReservation } from './plain-reservation.ts';

type Dated = AdjustRequest & { readonly at: number };

/** Lists of everything that happened, added up anew for each question. */
export class PlainBooks {
  readonly charges: Charge[] = [];
  readonly reservations: PlainReservation[] = [];
  readonly adjustments: Dated[] = [];
  readonly denials: { readonly account: string; readonly window: string; readonly at: number }[] =
    [];
  readonly terms: Map<string, AccountRule> = new Map();

  /** An account under the terms that came with the latest call. */
  inForce({ key, rule }: Account): Account {
    return { key, rule: this.terms.get(key) ?? rule };
  }

  open(): PlainReservation[] {
    return this.reservations.filter(({ state }) => state === 'open');
  }

  /** Settled spend of a window, seen from the span given. */
  committed({ key }: Account, span: WindowSpan): number {
    const counted = this.charges.filter(
      ({ account, window, slot }) =>
        account === key && window === span.id && (slot === null || slot >= (span.startsAt ?? 0)),
    );
    return sum(counted.map(({ amount }) => amount));
  }

  /** Open holds that count in a window. */
  held({ key }: Account, span: WindowSpan): number {
    const amounts = this.open().flatMap(({ holds, admittedAt }) =>
      holds
        .filter(({ account }) => account.key === key)
        .filter(({ account }) => {
          return goesAlong(account) || account.rule.window.at(admittedAt).id === span.id;
        })
        .map(({ amount }) => amount),
    );
    return sum(amounts);
  }

  isBlocked({ key, rule }: Account): boolean {
    const types = this.#changesOf(key).map(({ change }) => change.type);
    return rule.blocked || types.lastIndexOf('block') > types.lastIndexOf('unblock');
  }

  /** The limit of a window, as it is now. */
  limit(account: Account, span: WindowSpan, now: number): number | null {
    const own = this.#ownLimit(account, span, now);
    return own === null ? null : own + this.rolledInto(account, span, now);
  }

  /** What of the limit was left by the window before: nothing once a window is over. */
  rolledInto(account: Account, span: WindowSpan, now: number): number {
    const { rollover, window } = account.rule;
    const limit = this.#configured(account, now);
    const isOver = span.endsAt !== null && now >= span.endsAt;
    if (rollover === undefined || limit === null || span.startsAt === null || isOver) return 0;
    const last = window.at(span.startsAt - 1);
    const isKnown = this.#isUsed(account, last) || this.#isUsed(account, before(account, last));
    if (!isKnown) return 0;
    return rolledOver(limit, this.committed(account, last) + this.held(account, last), rollover);
  }

  /** The limit for calls of a window: what the next one has used of its rest is no longer there. */
  bound(account: Account, span: WindowSpan, now: number): number | null {
    const limit = this.#configured(account, now);
    const all = this.limit(account, span, now);
    const { rollover, window } = account.rule;
    if (limit === null || rollover === undefined || span.endsAt === null) return all;
    const next = window.at(span.endsAt);
    const used = this.committed(account, next) + this.held(account, next);
    const lent = used - (this.#ownLimit(account, next, now) ?? 0);
    return span.endsAt <= now && lent > 0 ? Math.max(0, limit - lent) : all;
  }

  /** The limit of the configuration, or what was set by hand in its place. */
  #configured({ key, rule }: Account, now: number): number | null {
    const replaced = this.#latest(key, 'limit', now);
    return replaced?.type === 'limit' ? replaced.limit : rule.limit;
  }

  /** The limit without what was rolled over. */
  #ownLimit(account: Account, span: WindowSpan, now: number): number | null {
    const limit = this.#configured(account, now);
    if (limit === null) return null;
    const raised = this.#latest(account.key, 'limit-add', now);
    const topUps = this.#changesOf(account.key).map(({ change, account: { rule }, at }) => {
      const isOfSpan = rule.window.at(at).id === span.id;
      return change.type === 'top-up' && isOfSpan ? change.amount : 0;
    });
    return limit + (raised?.type === 'limit-add' ? raised.amount : 0) + sum(topUps);
  }

  /** Only the latest change of a kind is looked at, even when its time is over. */
  #latest(key: string, type: 'limit' | 'limit-add', now: number): Adjustment | undefined {
    const last = this.#changesOf(key).findLast(({ change }) => change.type === type)?.change;
    const isInForce = last && 'until' in last && (last.until === null || now < last.until);
    return isInForce ? last : undefined;
  }

  /** Whether a call was admitted or refused in a window, or the account was adjusted. */
  #isUsed({ key, rule }: Account, { id }: WindowSpan): boolean {
    const isIn = (time: number) => rule.window.at(time).id === id;
    return (
      this.denials.some(({ account, window }) => account === key && window === id) ||
      this.#changesOf(key).some(({ at }) => isIn(at)) ||
      this.reservations.some(({ holds, admittedAt }) => {
        return isIn(admittedAt) && holds.some(({ account }) => account.key === key);
      })
    );
  }

  /** Whether a reset has given a charge back, `since` being how many adjustments there were before. */
  isForgiven(charge: Charge, since: number): boolean {
    return this.adjustments.slice(since).some(({ change, account, at }) => {
      if (change.type !== 'reset' || account.key !== charge.account) return false;
      const { id, startsAt } = account.rule.window.at(at);
      return id === charge.window && (charge.slot === null || charge.slot >= (startsAt ?? 0));
    });
  }

  #changesOf(key: string): Dated[] {
    return this.adjustments.filter(({ account }) => account.key === key);
  }
}

function before({ rule }: Account, { startsAt }: WindowSpan): WindowSpan {
  return rule.window.at((startsAt ?? 0) - 1);
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
