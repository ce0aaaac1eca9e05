import type { Account, Charge, Claim, ReserveRequest, Resolution, WindowSpan } from '@hardcap/core';

export interface PlainHold {
  readonly account: Account;
  /** What was first asked for. */
  readonly reserved: number;
  amount: number;
  expired: PlainExpiry | null;
}

/** What expiry charged for a hold. */
interface PlainExpiry {
  readonly charge: Charge;
  /** Decides which window pays. */
  readonly time: number;
  /** How many adjustments had been made by then. */
  readonly adjustments: number;
}

export interface PlainReservation {
  readonly id: string;
  readonly holds: readonly PlainHold[];
  readonly admittedAt: number;
  readonly details: ReserveRequest['details'];
  expiresAt: number;
  state: 'open' | Resolution;
  /** A correction was the last word on it. */
  isFinal: boolean;
}

export function reservationOf(request: ReserveRequest, now: number): PlainReservation {
  const { id, claims, details, ttlMs } = request;
  const holds = claims.map(({ account, amount }) => ({
    account,
    reserved: amount,
    amount,
    expired: null,
  }));
  return {
    id,
    holds,
    admittedAt: now,
    details,
    expiresAt: now + ttlMs,
    state: 'open',
    isFinal: false,
  };
}

export function asksForTheSame(known: PlainReservation, claims: readonly Claim[]): boolean {
  return (
    known.holds.length === claims.length &&
    claims.every(({ account, amount }) =>
      known.holds.some((hold) => hold.account.key === account.key && hold.reserved === amount),
    )
  );
}

/** Whether a hold counts in whatever window is current, and not in that of its admission alone. */
export function goesAlong({ rule }: Account): boolean {
  return rule.attribute === 'settle' || rule.window.kind === 'rolling';
}

/** The time that decides which window, or which slot, pays for a hold that ends at a time. */
export function payTime({ rule }: Account, admittedAt: number, endedAt: number): number {
  return rule.attribute === 'reserve' ? admittedAt : endedAt;
}

/** The span in which a charge made for a time counts, seen from now. */
export function spanFor({ rule: { window } }: Account, time: number, now: number): WindowSpan {
  return window.at(window.kind === 'rolling' ? now : time);
}
