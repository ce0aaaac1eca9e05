import type { Account, AccountRule, AdjustRequest, Charge, WindowSpan } from '@hardcap/core';
import { goesAlong, type PlainReservation } from './plain-reservation.ts';

type Dated = AdjustRequest & { readonly at: number };

/** Lists of everything that happened, added up anew for each question. */
export class PlainBooks {
  readonly charges: Charge[] = [];
  readonly reservations: PlainReservation[] = [];
  readonly adjustments: Dated[] = [];
  readonly denials: { readonly account: string; readonly window: string }[] = [];
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
  limit({ key, rule }: Account, span: WindowSpan, now: number): number | null {
    const changes = this.#changesOf(key);
    // Only the latest change of each kind is looked at, even when its time is over.
    const latest = (type: 'limit' | 'limit-add') => {
      const last = changes.findLast(({ change }) => change.type === type)?.change;
      const isInForce = last && 'until' in last && (last.until === null || now < last.until);
      return isInForce ? last : undefined;
    };
    const replaced = latest('limit');
    const base = replaced?.type === 'limit' ? replaced.limit : rule.limit;
    if (base === null) return null;
    const raised = latest('limit-add');
    const topUps = changes.map(({ change, account, at }) => {
      const isOfSpan = account.rule.window.at(at).id === span.id;
      return change.type === 'top-up' && isOfSpan ? change.amount : 0;
    });
    return base + (raised?.type === 'limit-add' ? raised.amount : 0) + sum(topUps);
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

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
