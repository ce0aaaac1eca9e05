import type { Charge, Claim, SettleRequest } from '@hardcap/core';
import type { DrawnCall, DrawnPart } from './drawn-calls.ts';
import type { DrawnEnd, SettledPart } from './drawn-ends.ts';
import type { UsedAccount } from './hot-accounts.ts';
import type { Lease } from './lease.ts';
import type { Moment } from './lease-clock.ts';

function canCarry(
  lease: Lease | null,
  { account, amount }: Claim,
  moment: Moment,
  epoch: string | null,
): lease is Lease {
  if (lease === null || !lease.hasRoomFor(amount) || !lease.isIn(epoch)) return false;
  return lease.isUnder(account.rule) && lease.until(moment);
}

/** Takes what a call asks for out of leases; null, and nothing, where they do not have all of it. */
export function drawCall(
  used: readonly UsedAccount[],
  claims: readonly Claim[],
  moment: Moment,
  epoch: string | null,
): DrawnPart[] | null {
  for (let place = 0; place < used.length; place += 1) {
    const { lease } = used[place] as UsedAccount;
    if (!canCarry(lease, claims[place] as Claim, moment, epoch)) return null;
  }
  return claims.map(({ amount }, place) => {
    const lease = (used[place] as UsedAccount).lease as Lease;
    lease.draw(amount);
    return { lease, amount, reserved: amount };
  });
}

/** Changes what a drawn call holds to new totals; all of it, or nothing where its leases cannot carry it. */
export function growCall(
  { parts }: DrawnCall,
  claims: readonly Claim[],
  moment: Moment,
  epoch: string | null,
): 'grown' | 'mismatch' | 'too-much' {
  const asked: { readonly part: DrawnPart; readonly amount: number }[] = [];
  let isCarried = true;
  for (const claim of claims) {
    const part = parts.find(({ lease }) => lease.account.key === claim.account.key);
    if (part === undefined) return 'mismatch';
    const by = claim.amount - part.amount;
    const more = { account: claim.account, amount: by };
    isCarried &&= by <= 0 || canCarry(part.lease, more, moment, epoch);
    asked.push({ part, amount: claim.amount });
  }
  if (!isCarried) return 'too-much';
  for (const { part, amount } of asked) {
    part.lease.grow(amount - part.amount);
    part.amount = amount;
  }
  return 'grown';
}

/** What a settlement comes to that was answered here. */
export interface SettledCall extends DrawnEnd {
  readonly charged: readonly Charge[];
  /** It may come to a threshold. */
  readonly isAlarming: boolean;
}

/** Settles a drawn call at what it cost; null, and nothing, where that is more than it held. */
export function settleCall({ parts }: DrawnCall, request: SettleRequest): SettledCall | null {
  const settled: SettledPart[] = [];
  for (const { lease, amount: held } of parts) {
    const asked = request.charges.find(({ account }) => account === lease.account.key)?.amount;
    const amount = asked === undefined || asked === 'hold' ? held : asked;
    if (amount > held) return null;
    settled.push({ lease, amount, held });
  }
  const isAlarming = settled.some(({ lease, amount }) => lease.isAlarmedBy(amount));
  for (const { lease, amount, held } of settled) lease.settle(held, amount);
  return { id: request.id, request, parts: settled, charged: settled.map(chargeOf), isAlarming };
}

function chargeOf({ lease, amount, held }: SettledPart): Charge {
  const { account, window } = lease;
  const { budget, unit } = account.rule;
  return { account: account.key, budget, unit, window, slot: null, amount, held };
}
