import { changeAccount } from './change-account.ts';
import { checkAdjustment, checkTopUp } from './check-adjustment.ts';
import { correctionCharge } from './correction-charge.ts';
import type { MemoryAccount } from './memory-account.ts';
import type { MemoryBooks } from './memory-books.ts';
import type { MemoryCharge } from './memory-charge.ts';
import { resetCharges } from './reset-charges.ts';
import { checkId } from './sink-request.ts';
import type { AdjustAnswer, Adjustment, AdjustRequest, SinkNotice } from './usage-sink.ts';

/**
 * Carries out an adjustment, once by its id, and writes its entry.
 *
 * @param sweep lets holds expire, and says the time.
 */
export function adjustMemory(
  books: MemoryBooks,
  request: AdjustRequest,
  sweep: () => number,
): AdjustAnswer {
  const { accounts, adjusted, ledger } = books;
  checkId(request.id);
  checkAdjustment(request.change);
  const at = sweep();
  accounts.tidy(at);
  const account = accounts.open(request.account, at);
  const { rule } = request.account;
  account.at(rule, at);
  const notices: SinkNotice[] = [];
  const repeated = adjusted.get(request.id) !== undefined;
  if (!repeated) {
    const { change, details, id } = request;
    checkTopUp(change, account.current.topUp);
    account.current.isUsed = true;
    const charges = carriedOut(books, account, change, at, notices);
    adjusted.set(id, true);
    const names = { account: account.key, budget: rule.budget };
    ledger.append({ kind: 'adjustment', id, at, ...names, charges, change, details });
  }
  const status = repeated ? 'already-adjusted' : 'adjusted';
  return { status, reading: account.read(rule, at), at, notices };
}

/** Changes the account; what that charged. */
function carriedOut(
  books: MemoryBooks,
  account: MemoryAccount,
  change: Adjustment,
  at: number,
  notices: SinkNotice[],
): readonly MemoryCharge[] {
  if (change.type === 'correction') return corrected(books, change, at, notices);
  if (change.type !== 'reset') {
    changeAccount(account, change);
    return [];
  }
  const { current } = account;
  const charges = resetCharges(account);
  current.resets += 1;
  for (const { amount, slot } of charges) current.charge(amount, slot);
  return charges;
}

function corrected(
  { accounts, reservations }: MemoryBooks,
  change: Extract<Adjustment, { type: 'correction' }>,
  at: number,
  notices: SinkNotice[],
): readonly MemoryCharge[] {
  const call = reservations.get(change.reservation);
  if (call?.resolution === 'expired' && call.holds.length > 0) reservations.giveUp(call);
  return change.charges.flatMap((asked) => {
    const account = accounts.find(asked.account);
    const found = account && correctionCharge(account, asked, at);
    if (account === undefined || found === undefined) return [];
    const { charge, counters } = found;
    const before = counters.committed;
    counters.charge(charge.amount, charge.slot);
    if (counters.isWhole) notices.push(...account.cross(counters, before, at));
    return charge;
  });
}
