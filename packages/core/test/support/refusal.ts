import type { Refusal } from '../../src/index.ts';

/** A refusal by a budget of 100 nano-USD, with whatever is said otherwise. */
export function refusalOf(fields: Partial<Refusal> = {}): Refusal {
  return {
    budget: 'b',
    account: 'b',
    unit: 'usd',
    limit: 100,
    committed: 40,
    held: 30,
    requested: 50,
    kind: 'spent',
    resetsAt: null,
    retryAfterMs: null,
    ...fields,
  };
}
