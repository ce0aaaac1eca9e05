import type { EventPort } from './event.ts';
import type { Identity } from './identity.ts';
import type { Outcome, SettleAnswer } from './usage-sink.ts';

/** Whose settlement it was. */
export interface SettledCall {
  readonly id: string;
  readonly identity: Identity;
  readonly provider: string;
  readonly model: string;
}

/** The cost of a settlement: as reckoned, or else what the hold came to; null where nobody knows. */
export function costOfSettlement(reckoned: number | null, answer: SettleAnswer): number | null {
  // The charges of a late settlement are differences, and say nothing of its cost.
  if (reckoned !== null || answer.status !== 'settled') return reckoned;
  const money = answer.charged.filter(({ unit }) => unit === 'usd').map(({ amount }) => amount);
  return money.length === 0 ? null : Math.max(...money);
}

/** Tells what a settlement came to, and what the sink came upon on the way. */
export function reportSettlement(
  events: EventPort,
  { id, identity, provider, model }: SettledCall,
  outcome: Outcome,
  costNanoUsd: number | null,
  answer: SettleAnswer,
): void {
  const call = { id, identity, provider, model, at: answer.at };
  if ('charged' in answer) {
    events.emit({ type: 'settled', ...call, outcome, costNanoUsd, charges: answer.charged });
    const { overshoot } = answer;
    if (overshoot.length > 0) events.emit({ type: 'overshoot', ...call, overshoot });
  }
  events.emitAll(answer.notices);
}
