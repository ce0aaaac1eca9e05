import type { AdjustAnswer, Adjustment, AdjustRequest, SinkNotice } from '@hardcap/core';
import { changeAccount, checkTopUp, correctionCharge, resetCharges } from '@hardcap/core/sink';
import type { StoredAccount } from './account-table.ts';
import type { Books } from './books.ts';
import type { BookedCharge } from './ledger-table.ts';

type Correction = Extract<Adjustment, { type: 'correction' }>;

/** @param details of the entry, as JSON. */
export function adjust(books: Books, request: AdjustRequest, details: string): AdjustAnswer {
  const { at, accounts, tables } = books;
  const { id, change } = request;
  const stored = accounts.open(request.account, at);
  const repeated = tables.store.isAdjusted(id);
  // Before anything is told, which an error would keep from the caller.
  if (!repeated) checkTopUp(change, stored.account.current.topUp);
  const notices: SinkNotice[] = [...books.tell()];
  if (!repeated) {
    stored.account.current.isUsed = true;
    const charges = carriedOut(books, stored, change, notices);
    tables.store.setAdjusted(id, at + tables.rememberedMs);
    const rule = tables.rules.idOf(stored.account.rule);
    const names = { subject: id, account: stored.id, rule };
    books.append({ kind: 'adjustment', at, ...names, charges, change, details });
  }
  const status = repeated ? 'already-adjusted' : 'adjusted';
  const reading = stored.account.read(request.account.rule, at);
  return { status, reading, at, notices };
}

/** Changes the account; what that charged. */
function carriedOut(
  books: Books,
  stored: StoredAccount,
  change: Adjustment,
  notices: SinkNotice[],
): readonly BookedCharge[] {
  if (change.type === 'correction') return corrected(books, change, notices);
  const { account } = stored;
  if (change.type !== 'reset') {
    changeAccount(account, change);
    return [];
  }
  const { current } = account;
  const window = books.accounts.windowOf(stored, current, books.at);
  const rule = books.tables.rules.idOf(account.rule);
  const charges = resetCharges(account);
  current.resets += 1;
  for (const { amount, slot } of charges) current.charge(amount, slot);
  return charges.map((charge) => ({ charge, window, rule }));
}

function corrected(
  { at, accounts, tables }: Books,
  change: Correction,
  notices: SinkNotice[],
): readonly BookedCharge[] {
  const call = tables.reservations.find(change.reservation);
  // The last word on the call: no late settlement is awaited any more.
  if (call?.resolution === 'expired') tables.reservations.resolve(call.number, 'expired', at, null);
  return change.charges.flatMap((asked): BookedCharge[] => {
    const stored = accounts.find(asked.account, at);
    if (stored === undefined) return [];
    const { account } = stored;
    accounts.turn(stored, account.rule, at);
    accounts.recallNamed(stored, asked.window, at);
    const found = correctionCharge(account, asked, at);
    if (found === undefined) return [];
    const { charge, counters } = found;
    const before = counters.committed;
    counters.charge(charge.amount, charge.slot);
    if (counters.isWhole) notices.push(...account.cross(counters, before, at));
    const window = accounts.windowOf(stored, counters, at);
    return [{ charge, window, rule: tables.rules.idOf(account.rule) }];
  });
}
