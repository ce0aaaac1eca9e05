import { ceilingAmount } from './call-amounts.ts';
import { type BoundClaim, type CallHold, countsTokens, type Extending } from './call-hold.ts';
import { denialOf, type Refusal } from './denial.ts';
import { BudgetExceededError, type HardcapError, ReservationMismatchError } from './errors.ts';

/** How many output tokens a growing hold takes at a time. */
const SLICE_TOKENS = 256;
/** How often other calls may get in between asking what is left and taking it. */
const MAX_ATTEMPTS = 4;

/**
 * Extends a hold to so many output tokens and a slice beyond, or else as far as the budgets go.
 * Undefined when the hold suffices now, otherwise why not.
 */
export async function growHold(
  hold: CallHold,
  books: Extending,
  produced: number,
): Promise<HardcapError | undefined> {
  let target = produced + SLICE_TOKENS;
  let refusals: readonly Refusal[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const claims = claimsFor(hold, target);
    const answer = await books.extend(claims);
    if (answer.status === 'extended') {
      hold.claims = claims;
      return undefined;
    }
    if (answer.status !== 'refused') {
      const ended = answer.status === 'never-held' ? 'forgotten by the sink' : answer.first;
      return new ReservationMismatchError(books.id, ended);
    }
    refusals = answer.refusals;
    if (target === produced) break;
    // What was produced is asked for at last, so that the refusal is about what is missing.
    target = Math.max(produced, outputFitting(hold, refusals));
  }
  return new BudgetExceededError(denialOf(refusals));
}

/** What to hold for so many output tokens. */
function claimsFor(hold: CallHold, outputTokens: number): BoundClaim[] {
  return hold.claims.map((held) => {
    const { account } = held;
    if (!countsTokens(account)) return held;
    const { amount, inputTokens } = hold.inputOf(account);
    const size = { inputTokens, outputTokens };
    const ceiling = amount + ceilingAmount(account.rule, size, hold.price.rates);
    return { account, amount: Math.max(held.amount, ceiling) };
  });
}

/** The output tokens for which the hold could be raised, going by the figures of a refusal. */
function outputFitting(hold: CallHold, refusals: readonly Refusal[]): number {
  return hold.outputWithin(({ account, amount }) => {
    const refusal = refusals.find(({ account: key }) => key === account.key);
    if (refusal === undefined) return Number.MAX_SAFE_INTEGER;
    if (refusal.kind === 'blocked') return amount;
    return Math.max(amount, (refusal.limit ?? 0) - refusal.committed - refusal.held);
  });
}
