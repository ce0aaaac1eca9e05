import {
  type Claim,
  type ExtendAnswer,
  type ExtendRequest,
  type Refusal,
  type ReleaseAnswer,
  ReservationMismatchError,
  type ReserveAnswer,
  type ReserveRequest,
} from '@hardcap/core';
import { ended, isRefused, reporting, sameClaims } from '@hardcap/core/sink';
import type { Books } from './books.ts';
import { detailsText } from './details-text.ts';
import type { StoredReservation } from './reservation-table.ts';
import type { StoredHold } from './stored-hold.ts';

export function reserve(books: Books, request: ReserveRequest): ReserveAnswer {
  const { at, tables } = books;
  const { id, claims, ttlMs } = request;
  const known = tables.reservations.find(id);
  if (known !== undefined) return repeated(books, known, claims);
  const holds = claims.map((claim) => holdFor(books, claim));
  const refusals: Refusal[] = [];
  for (const { account, rule, counters, amount } of holds) {
    const refusal = account.refuse(counters ?? account.current, rule, amount, at);
    if (refusal !== undefined) refusals.push(refusal);
  }
  if (refusals.length > 0) {
    for (const { account } of holds) {
      if (refusals.some((refusal) => refusal.account === account.key)) account.deny(at);
    }
  }
  if (isRefused(refusals)) {
    return { admitted: false, refusals, at, notices: books.tell() };
  }
  // Made before anything is held: it is the caller's code, and may fail.
  const details = request.details === undefined ? null : detailsText(request.details());
  for (const { account, counters, amount } of holds) account.beginHold(counters, amount);
  const expiresAt = at + ttlMs;
  tables.reservations.add(id, expiresAt, books.encoded(holds), details);
  books.expects(holds, expiresAt);
  return reporting({ admitted: true, expiresAt, at, notices: books.tell() }, refusals);
}

export function extend(books: Books, request: ExtendRequest): ExtendAnswer {
  const { at, accounts, tables } = books;
  const reservation = tables.reservations.find(request.id);
  if (reservation?.resolution !== null) {
    return { ...ended(reservation), at, notices: books.tell() };
  }
  const holds = books.holdsOf(reservation);
  const changes = request.claims.map(({ account: { key, rule }, amount }) => {
    const hold = holds.find(({ account }) => account.key === key);
    // What is not held cannot grow, and must not be taken for held.
    if (hold === undefined) throw new ReservationMismatchError(request.id);
    return { hold, rule, amount };
  });
  const refusals: Refusal[] = [];
  for (const { hold, rule, amount } of changes) {
    if (amount <= hold.amount) continue;
    const current = accounts.turn(hold.stored, hold.counters ? hold.account.rule : rule, at);
    const counters = hold.counters ?? current;
    const refusal = hold.account.refuse(counters, rule, amount, at, hold.amount);
    if (refusal !== undefined) refusals.push(refusal);
  }
  if (isRefused(refusals)) return { status: 'refused', refusals, at, notices: books.tell() };
  for (const { hold, amount } of changes) {
    hold.account.changeHold(hold.counters, amount - hold.amount);
    hold.amount = amount;
  }
  const expiresAt = at + request.ttlMs;
  tables.reservations.renew(reservation.number, expiresAt, books.encoded(holds));
  books.expects(holds, expiresAt);
  return reporting({ status: 'extended', expiresAt, at, notices: books.tell() }, refusals);
}

export function release(books: Books, id: string): ReleaseAnswer {
  const { at, tables } = books;
  const notices = books.tell();
  const reservation = tables.reservations.find(id);
  if (reservation?.resolution !== null) return { ...ended(reservation), at, notices };
  for (const hold of books.holdsOf(reservation)) {
    hold.account.endHold(hold.counters, hold.amount);
  }
  tables.reservations.resolve(reservation.number, 'released', at, null);
  return { status: 'released', at, notices };
}

function repeated(books: Books, known: StoredReservation, claims: readonly Claim[]): ReserveAnswer {
  const { id, resolution, due_at: expiresAt } = known;
  if (resolution !== null) throw new ReservationMismatchError(id, resolution);
  if (!sameClaims(books.holdsOf(known), claims)) throw new ReservationMismatchError(id);
  return { admitted: true, expiresAt, at: books.at, notices: books.tell() };
}

function holdFor({ accounts, at }: Books, { account, amount }: Claim): StoredHold {
  const { rule } = account;
  const stored = accounts.open(account, at);
  const byReserve = rule.attribute === 'reserve';
  const rolls = rule.window.kind === 'rolling';
  return {
    stored,
    account: stored.account,
    rule,
    counters: byReserve && !rolls ? stored.account.current : null,
    paysAt: byReserve && rolls ? at : null,
    reserved: amount,
    amount,
    expired: null,
  };
}
