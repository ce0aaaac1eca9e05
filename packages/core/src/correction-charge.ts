import type { MemoryAccount } from './memory-account.ts';
import { MemoryCharge } from './memory-charge.ts';
import type { CorrectionCharge } from './usage-sink.ts';
import type { WindowCounters } from './window-counters.ts';

/** A charge of a correction, and the counters that it goes to. */
export interface Corrected {
  readonly charge: MemoryCharge;
  readonly counters: WindowCounters;
}

/**
 * What of a correction an account can take; undefined when that is nothing. Must be carried out before
 * the next is asked for, since two may be of one window.
 */
export function correctionCharge(
  account: MemoryAccount,
  { window, slot, amount }: CorrectionCharge,
  now: number,
): Corrected | undefined {
  const counters = openWindow(account, window, now);
  if (counters === undefined) return undefined;
  const isRolling = counters.window.kind === 'rolling';
  if (isRolling !== (slot !== null)) return undefined;
  if (slot !== null && slot < (counters.span.startsAt as number)) return undefined;
  const there = slot === null ? counters.committed : (counters.slots.get(slot) ?? 0);
  const applied = Math.max(amount, -Math.max(0, there));
  if (applied === 0) return undefined;
  return {
    charge: new MemoryCharge(account.key, account.rule, counters, slot, applied, 0),
    counters,
  };
}

/** A window that still counts, whether or not it is current. */
function openWindow(account: MemoryAccount, id: string, now: number): WindowCounters | undefined {
  account.at(account.rule, now);
  const { current, past } = account;
  const counters = current.span.id === id ? current : past.get(id);
  if (counters === undefined) return undefined;
  if (counters.window.kind === 'rolling') counters.advance(counters.window.at(now));
  const { endsAt } = counters.span;
  return endsAt !== null && endsAt <= now ? undefined : counters;
}
