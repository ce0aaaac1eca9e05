import type { SettleAnswer, SettleRequest } from '@hardcap/core';
import { amountAsked, ChargeReport, ended, settleHold } from '@hardcap/core/sink';
import type { Books } from './books.ts';

/** @param details of the entry, as JSON. */
export function settle(books: Books, request: SettleRequest, details: string): SettleAnswer {
  const { at, accounts, tables } = books;
  const { id, outcome } = request;
  const report = new ChargeReport(books.tell());
  const reservation = tables.reservations.find(id);
  const isOpen = reservation?.resolution === null;
  // After that what it was held on may be forgotten.
  const isAwaited = reservation?.resolution === 'expired' && reservation.due_at > at;
  const holds = isOpen || isAwaited ? books.holdsOf(reservation) : [];
  if (reservation === undefined || !(isOpen || (isAwaited && holds.length > 0))) {
    return { ...ended(reservation), at, notices: report.notices };
  }
  const charges = holds.map((hold, place) => {
    const { stored, account } = hold;
    accounts.turn(stored, account.rule, at);
    const asked = amountAsked(request.charges, account.key, place);
    const amount = asked === 'hold' ? hold.amount : asked;
    return books.booked(hold, settleHold(hold, amount, at, report));
  });
  const { notices, overshoot } = report;
  tables.reservations.resolve(reservation.number, 'settled', at, null);
  const kind = isAwaited ? 'correction' : 'settlement';
  books.append({ kind, at, subject: id, outcome, charges, overshoot, details });
  const charged = charges.map(({ charge }) => charge);
  return { status: isAwaited ? 'late' : 'settled', charged, overshoot, at, notices };
}
