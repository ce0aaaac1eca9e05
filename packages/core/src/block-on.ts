import type { CallBooks } from './call-books.ts';
import type { BoundClaim } from './call-hold.ts';
import { denialOf, type Refusal } from './denial.ts';
import { BudgetExceededError } from './errors.ts';

/** Why an open call must stop: accounts of it that were blocked. Undefined where none was. */
export async function blockOn(
  books: CallBooks,
  claims: readonly BoundClaim[],
): Promise<BudgetExceededError | undefined> {
  const readings = await books.read();
  const refusals = claims.flatMap(({ account, amount: requested }): Refusal[] => {
    const { budget, unit, shadow } = account.rule;
    const reading = readings.find((each) => each.account === account.key);
    if (reading === undefined || !reading.blocked || shadow) return [];
    const { limit, committed, held, window } = reading;
    const figures = { limit, committed, held: Math.max(0, held - requested), requested };
    const names = { budget, account: account.key, unit, kind: 'blocked' } as const;
    return [{ ...names, ...figures, resetsAt: window.endsAt, retryAfterMs: null }];
  });
  return refusals.length === 0 ? undefined : new BudgetExceededError(denialOf(refusals));
}
