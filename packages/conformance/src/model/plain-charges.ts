import type {
  Account,
  Charge,
  CorrectionCharge,
  Overshoot,
  SinkNotice,
  WindowSpan,
} from '@hardcap/core';
import { type PlainBooks, sum } from './plain-books.ts';
import { type PlainHold, type PlainReservation, payTime, spanFor } from './plain-reservation.ts';
import { PlainThresholds } from './plain-thresholds.ts';

interface Figures {
  readonly amount: number;
  readonly held: number;
  /** Decides which window pays. */
  readonly time: number;
  readonly now: number;
}

/** Makes charges, and says what follows from them. */
export class PlainCharges {
  readonly notices: SinkNotice[] = [];
  readonly #books: PlainBooks;
  readonly #thresholds: PlainThresholds = new PlainThresholds();

  constructor(books: PlainBooks) {
    this.#books = books;
  }

  expire(reservation: PlainReservation, now: number): Charge[] {
    reservation.state = 'expired';
    return reservation.holds.map((hold) => {
      const { account, amount: held } = hold;
      const amount = account.rule.onExpiry === 'charge' ? held : 0;
      const time = payTime(account, reservation.admittedAt, reservation.expiresAt);
      const charge = this.#charge(account, { amount, held, time, now }, []);
      hold.expired = { charge, time, adjustments: this.#books.adjustments.length };
      return charge;
    });
  }

  settle(
    { admittedAt }: PlainReservation,
    { account, amount: held, expired }: PlainHold,
    actual: number,
    overshoot: Overshoot[],
    now: number,
  ): Charge {
    if (expired === null) {
      const time = payTime(account, admittedAt, now);
      return this.#charge(account, { amount: actual, held, time, now }, overshoot);
    }
    const { charge, time, adjustments } = expired;
    const difference = actual - charge.amount;
    // What a reset gave back cannot be given back again.
    const isForgiven = this.#books.isForgiven(charge, adjustments);
    const amount = isForgiven ? Math.max(0, difference) : difference;
    return this.#charge(account, { amount, held: 0, time, now }, overshoot);
  }

  /** Brings the settled spend of the current window to 0, slot by slot, the oldest first. */
  reset({ key, rule }: Account, now: number): Charge[] {
    const { id, startsAt } = rule.window.at(now);
    const counted = this.#books.charges.filter(
      ({ account, window, slot }) =>
        account === key && window === id && (slot === null || slot >= (startsAt ?? 0)),
    );
    const slots = [...new Set(counted.map(({ slot }) => slot))].sort(
      (one, other) => (one ?? 0) - (other ?? 0),
    );
    const charges = slots.map((slot): Charge => {
      const spent = sum(counted.filter((charge) => charge.slot === slot).map((it) => it.amount));
      const names = { account: key, budget: rule.budget, unit: rule.unit };
      return { ...names, window: id, slot, amount: -spent, held: 0 };
    });
    const made = charges.filter(({ amount }) => amount !== 0);
    this.#books.charges.push(...made);
    return made;
  }

  /** Adds to a window that is not over, and takes no more away than it has there. */
  correct({ account: key, window, slot, amount }: CorrectionCharge, now: number): Charge[] {
    const rule = this.#books.terms.get(key);
    const span = rule?.window.at(now);
    if (rule === undefined || span?.id !== window) return [];
    if ((rule.window.kind === 'rolling') !== (slot !== null)) return [];
    if (slot !== null && slot < (span.startsAt ?? 0)) return [];
    const there = this.#books.charges.filter((charge) => {
      return charge.account === key && charge.window === window && charge.slot === slot;
    });
    const applied = Math.max(amount, -Math.max(0, sum(there.map((charge) => charge.amount))));
    if (applied === 0) return [];
    const { budget, unit } = rule;
    return [
      this.#book(
        { key, rule },
        span,
        { account: key, budget, unit, window, slot, amount: applied, held: 0 },
        now,
      ),
    ];
  }

  #charge(account: Account, figures: Figures, overshoot: Overshoot[]): Charge {
    const { amount, held, time, now } = figures;
    const { window, budget, unit } = account.rule;
    const names = { account: account.key, budget, unit };
    const span = spanFor(account, time, now);
    const slot = window.kind === 'rolling' ? window.slotOf(time) : null;
    const charge: Charge = { ...names, window: span.id, slot, amount, held };
    this.#book(account, span, charge, now);
    const limit = this.#books.bound(this.#books.inForce(account), span, now);
    if (limit === null || amount <= held) return charge;
    const above = this.#books.committed(account, span) + this.#books.held(account, span) - limit;
    const excess = Math.min(above, amount - held);
    if (excess > 0) overshoot.push({ ...names, amount: excess });
    return charge;
  }

  /** Writes a charge down, and notices the thresholds that it crosses. */
  #book(account: Account, span: WindowSpan, charge: Charge, now: number): Charge {
    const before = this.#books.committed(account, span);
    this.#books.charges.push(charge);
    const committed = this.#books.committed(account, span);
    const inForce = this.#books.inForce(account);
    const limit = this.#books.limit(inForce, span, now);
    const rise = { span, limit, before, committed, at: now };
    this.notices.push(...this.#thresholds.cross(inForce, rise));
    return charge;
  }
}
