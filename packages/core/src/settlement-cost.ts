import type { Queued } from './unsent-settlements.ts';
import type { SettleAnswer } from './usage-sink.ts';

/** The cost of a settlement: as reckoned, or else what the hold came to; null where nobody knows. */
export function costOfSettlement(
  reckoned: number | null,
  answer: SettleAnswer | Queued,
): number | null {
  // The charges of a late settlement are differences, and say nothing of its cost.
  if (reckoned !== null || answer.status !== 'settled') return reckoned;
  const money = answer.charged.filter(({ unit }) => unit === 'usd').map(({ amount }) => amount);
  return money.length === 0 ? null : Math.max(...money);
}
