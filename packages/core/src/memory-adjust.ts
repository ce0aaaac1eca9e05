import type { MemoryBooks } from './memory-books.ts';
import { resetCharges } from './reset-charges.ts';
import { checkAdjustment, checkId } from './sink-request.ts';
import type { AdjustAnswer, AdjustRequest } from './usage-sink.ts';

/**
 * Carries out an adjustment, once by its id, and writes its entry.
 *
 * @param sweep lets holds expire, and says the time.
 */
export function adjustMemory(
  { accounts, adjusted, ledger }: MemoryBooks,
  request: AdjustRequest,
  sweep: () => number,
): Omit<AdjustAnswer, 'notices'> {
  checkId(request.id);
  checkAdjustment(request.change);
  const at = sweep();
  accounts.tidy(at);
  const account = accounts.open(request.account, at);
  const { rule } = request.account;
  const counters = account.at(rule, at);
  const repeated = adjusted.get(request.id) !== undefined;
  if (!repeated) {
    const { change, details, id } = request;
    const charges = change.type === 'reset' ? resetCharges(account) : [];
    if (change.type === 'reset') counters.resets += 1;
    else account.adjust(change);
    for (const charge of charges) counters.charge(charge.amount, charge.slot);
    adjusted.set(id, true);
    const names = { account: account.key, budget: rule.budget };
    ledger.append({ kind: 'adjustment', id, at, ...names, charges, change, details });
  }
  const status = repeated ? 'already-adjusted' : 'adjusted';
  return { status, reading: account.read(rule, at), at };
}
