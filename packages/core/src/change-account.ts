import type { MemoryAccount } from './memory-account.ts';
import type { Adjustment } from './usage-sink.ts';

/** Does to an account what an adjustment says, where that is not a charge. */
export function changeAccount(
  account: MemoryAccount,
  change: Exclude<Adjustment, { type: 'reset' | 'correction' }>,
): void {
  if (change.type === 'top-up') account.current.topUp += change.amount;
  else if (change.type === 'block') account.blocked = true;
  else if (change.type === 'unblock') account.blocked = false;
  else if (change.type === 'limit') account.newLimit = { to: change.limit, until: change.until };
  else account.raise = { to: change.amount, until: change.until };
}
