import type { MemoryAccount } from './memory-account.ts';
import { MemoryCharge } from './memory-charge.ts';
import type { AccountRule, Claim, Overshoot, SettleRequest, SinkNotice } from './usage-sink.ts';
import type { WindowCounters } from './window-counters.ts';

/** What a reservation holds on one account. */
export interface Hold {
  readonly account: MemoryAccount;
  readonly rule: AccountRule;
  /** The window that will pay; null when that is whichever is current at the settlement. */
  readonly counters: WindowCounters | null;
  /** The time that decides which rolling slot pays; null for the time of the settlement. */
  readonly paysAt: number | null;
  /** What was first asked for: repeating the reservation asks for the same. */
  readonly reserved: number;
  amount: number;
  /** What an expiry charged, and where: a late settlement replaces it. */
  expired: ExpiredHold | null;
}

interface ExpiredHold {
  readonly amount: number;
  readonly counters: WindowCounters;
  readonly slot: number | null;
  /** How often the window had been reset by then. */
  readonly resets: number;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** Collects the by-products of charges; most often there are none. */
export class ChargeReport {
  notices: readonly SinkNotice[];
  overshoot: readonly Overshoot[] = NOTHING;

  constructor(notices: readonly SinkNotice[]) {
    this.notices = notices;
  }

  notice(notice: SinkNotice): void {
    this.notices = [...this.notices, notice];
  }

  overshot(overshoot: Overshoot): void {
    this.overshoot = [...this.overshoot, overshoot];
  }
}

/** What a settlement says of an account, most often in the place in which it was reserved. */
export function amountAsked(
  charges: SettleRequest['charges'],
  key: string,
  place: number,
): number | 'hold' {
  const expected = charges[place];
  if (expected?.account === key) return expected.amount;
  return charges.find(({ account }) => account === key)?.amount ?? 'hold';
}

/** Ends a hold at an amount; after an expiry, charges the difference to what that charged. */
export function settleHold(
  hold: Hold,
  amount: number,
  now: number,
  report: ChargeReport,
): MemoryCharge {
  const { account, rule, expired } = hold;
  if (expired === null) {
    account.endHold(hold.counters, hold.amount);
    const counters = hold.counters ?? account.at(account.rule, now);
    const slot = counters.slotAt(hold.paysAt ?? now);
    const charge = new MemoryCharge(account.key, rule, counters, slot, amount, hold.amount);
    return booked(charge, hold, counters, now, report);
  }
  const { counters, slot, resets } = expired;
  const difference = amount - expired.amount;
  // A reset has given back what the expiry charged: less of it cannot be given back again.
  const given = counters.resets === resets ? difference : Math.max(0, difference);
  const charge = new MemoryCharge(account.key, rule, counters, slot, given, 0);
  return booked(charge, hold, counters, now, report);
}

/** Ends a hold that was not settled in time, and remembers how, for a late settlement. */
export function expireHold(
  hold: Hold,
  expiredAt: number,
  now: number,
  report: ChargeReport,
): MemoryCharge {
  const { account, rule } = hold;
  account.at(account.rule, now);
  account.endHold(hold.counters, hold.amount);
  // However late somebody looks, the window pays in which the hold expired.
  const counters = hold.counters ?? account.windowOf(expiredAt);
  const slot = counters.slotAt(hold.paysAt ?? expiredAt);
  const amount = rule.onExpiry === 'charge' ? hold.amount : 0;
  hold.expired = { amount, counters, slot, resets: counters.resets };
  const charge = new MemoryCharge(account.key, rule, counters, slot, amount, hold.amount);
  return booked(charge, hold, counters, now, report);
}

/** Carries out a charge, and reports thresholds and overshoot. */
function booked(
  charge: MemoryCharge,
  { account, rule }: Hold,
  counters: WindowCounters,
  now: number,
  report: ChargeReport,
): MemoryCharge {
  const { amount, held, slot } = charge;
  const committedBefore = counters.committed;
  counters.charge(amount, slot);
  if (!counters.isWhole) return charge;

  for (const notice of account.cross(counters, committedBefore, now)) report.notice(notice);
  if (amount <= held) return charge;
  const limit = account.boundIn(counters, account.rule, now);
  if (limit !== null) {
    const above = counters.committed + account.heldIn(counters) - limit;
    const excess = Math.min(above, amount - held);
    const { budget, unit } = rule;
    if (excess > 0) report.overshot({ account: account.key, budget, unit, amount: excess });
  }
  return charge;
}

/** True when a repeated reservation asks for exactly what is held. */
export function sameClaims(held: readonly Hold[], claims: readonly Claim[]): boolean {
  return (
    held.length === claims.length &&
    claims.every(({ account, amount }) =>
      held.some((hold) => hold.account.key === account.key && hold.reserved === amount),
    )
  );
}
