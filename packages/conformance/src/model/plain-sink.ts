import {
  type Account,
  type AccountReading,
  type AdjustAnswer,
  type Adjustment,
  type AdjustRequest,
  type Charge,
  type Claim,
  type EntryQuery,
  type ExtendAnswer,
  type ExtendRequest,
  type Overshoot,
  type Refusal,
  type ReleaseAnswer,
  ReservationMismatchError,
  type ReserveAnswer,
  type ReserveRequest,
  type Resolution,
  type SettleAnswer,
  type SettleRequest,
  type SinkEntry,
  type SinkNotice,
  type UsageSink,
  type VerifyReport,
} from '@hardcap/core';
import { PlainBooks } from './plain-books.ts';
import { PlainCharges } from './plain-charges.ts';
import { plainRefusal } from './plain-refusal.ts';
import {
  asksForTheSame,
  goesAlong,
  type PlainReservation,
  reservationOf,
} from './plain-reservation.ts';

const SWEEP_LIMIT = 64;

/**
 * A sink by the letter and without any art: lists of everything that happened, added up anew for each
 * question, and the policy to decide. It forgets nothing, and takes every argument to be sound.
 */
export class PlainSink implements UsageSink {
  readonly #clock: () => number;
  readonly #books: PlainBooks = new PlainBooks();
  readonly #charges: PlainCharges = new PlainCharges(this.#books);
  readonly #ledger: SinkEntry[] = [];
  #now = Number.NEGATIVE_INFINITY;

  constructor(context: { readonly now: () => number }) {
    this.#clock = context.now;
  }

  reserve(request: ReserveRequest): ReserveAnswer {
    this.#look();
    const known = this.#find(request.id);
    if (known !== undefined) {
      if (known.state !== 'open') throw new ReservationMismatchError(known.id, known.state);
      if (!asksForTheSame(known, request.claims)) throw new ReservationMismatchError(known.id);
      return { admitted: true, expiresAt: known.expiresAt, ...this.#told() };
    }
    for (const claim of request.claims) this.#meet(claim);
    const now = this.#now;
    const refusals = request.claims.flatMap(({ account, amount: requested }) => {
      const refusal = plainRefusal(this.#books, { account, requested, own: 0, time: now, now });
      const window = account.rule.window.at(now).id;
      if (refusal !== undefined)
        this.#books.denials.push({ account: account.key, window, at: now });
      return refusal ?? [];
    });
    if (refuses(refusals)) return { admitted: false, refusals, ...this.#told() };
    const made = reservationOf(request, this.#now);
    this.#books.reservations.push(made);
    return { admitted: true, expiresAt: made.expiresAt, ...watched(refusals), ...this.#told() };
  }

  extend(request: ExtendRequest): ExtendAnswer {
    this.#look();
    const known = this.#find(request.id);
    if (known?.state !== 'open') return { ...ending(known), ...this.#told() };
    const changes = request.claims.map(({ account, amount }) => {
      const hold = known.holds.find((each) => each.account.key === account.key);
      if (hold === undefined) throw new ReservationMismatchError(known.id);
      return { hold, account, amount };
    });
    const refusals = changes.flatMap(({ hold, account, amount: requested }) => {
      const now = this.#now;
      const time = goesAlong(hold.account) ? now : known.admittedAt;
      const asking = { account, requested, own: hold.amount, time, now };
      return requested > hold.amount ? (plainRefusal(this.#books, asking) ?? []) : [];
    });
    if (refuses(refusals)) return { status: 'refused', refusals, ...this.#told() };
    for (const { hold, amount } of changes) hold.amount = amount;
    known.expiresAt = this.#now + request.ttlMs;
    const { expiresAt } = known;
    return { status: 'extended', expiresAt, ...watched(refusals), ...this.#told() };
  }

  settle({ id, outcome, charges, details }: SettleRequest): SettleAnswer {
    this.#look();
    const known = this.#find(id);
    const isLate = known?.state === 'expired' && !known.isFinal;
    if (known === undefined || (known.state !== 'open' && !isLate)) {
      return { ...ending(known), ...this.#told() };
    }
    known.state = 'settled';
    const overshoot: Overshoot[] = [];
    const charged = known.holds.map((hold) => {
      const asked = charges.find(({ account }) => account === hold.account.key)?.amount ?? 'hold';
      const actual = asked === 'hold' ? hold.amount : asked;
      return this.#charges.settle(known, hold, actual, overshoot, this.#now);
    });
    const base = { reservation: id, at: this.#now, charges: charged, outcome, overshoot, details };
    if (isLate) this.#ledger.push({ kind: 'correction', id: `${id}:late`, ...base });
    else this.#ledger.push({ kind: 'settlement', id, ...base });
    return { status: isLate ? 'late' : 'settled', charged, overshoot, ...this.#told() };
  }

  release(id: string): ReleaseAnswer {
    this.#look();
    const known = this.#find(id);
    if (known?.state !== 'open') return { ...ending(known), ...this.#told() };
    known.state = 'released';
    return { status: 'released', ...this.#told() };
  }

  read(accounts: readonly Account[]): AccountReading[] {
    this.#look();
    return accounts.map((account) => this.#read(account));
  }

  adjust(request: AdjustRequest): AdjustAnswer {
    this.#look();
    const { id, account, change, details } = request;
    this.#meet(request);
    const { adjustments } = this.#books;
    const isRepeated = adjustments.some((done) => done.id === id);
    if (!isRepeated) {
      const at = this.#now;
      const charges = this.#carryOut(account, change);
      const names = { account: account.key, budget: account.rule.budget };
      adjustments.push({ ...request, at });
      this.#ledger.push({ kind: 'adjustment', id, at, ...names, charges, change, details });
    }
    const status = isRepeated ? 'already-adjusted' : 'adjusted';
    return { status, reading: this.#read(account), ...this.#told() };
  }

  async *entries(query: EntryQuery = {}): AsyncGenerator<SinkEntry> {
    this.#look();
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query;
    for (const entry of [...this.#ledger]) {
      const places = entry.kind === 'adjustment' ? [entry, ...entry.charges] : entry.charges;
      const isAskedFor =
        (query.account === undefined && query.budget === undefined) ||
        places.some(
          ({ account, budget }) =>
            account === (query.account ?? account) && budget === (query.budget ?? budget),
        );
      if (entry.at >= from && entry.at < to && isAskedFor) yield entry;
    }
  }

  verify(): VerifyReport {
    this.#look();
    return {
      at: this.#now,
      accounts: this.#books.terms.size,
      entries: this.#ledger.length,
      reservations: this.#books.open().length,
      differences: [],
    };
  }

  rebuild(): VerifyReport {
    return this.verify();
  }

  close(): void {}

  /** What an adjustment charges; all else of it is read from the list of them. */
  #carryOut(account: Account, change: Adjustment): Charge[] {
    if (change.type === 'reset') return this.#charges.reset(account, this.#now);
    if (change.type !== 'correction') return [];
    const call = this.#find(change.reservation);
    if (call?.state === 'expired') call.isFinal = true;
    return change.charges.flatMap((asked) => this.#charges.correct(asked, this.#now));
  }

  /** Takes the time, and lets holds expire. */
  #look(): void {
    this.#now = Math.max(this.#now, this.#clock());
    const due = this.#books.open().filter(({ expiresAt }) => expiresAt <= this.#now);
    due.sort((one, other) => one.expiresAt - other.expiresAt);
    for (const reservation of due.slice(0, SWEEP_LIMIT)) this.#expire(reservation);
  }

  #expire(reservation: PlainReservation): void {
    const { id, details } = reservation;
    const charges = this.#charges.expire(reservation, this.#now);
    const base = { id: `${id}:expiry`, reservation: id, at: this.#now };
    this.#ledger.push({ kind: 'expiry', ...base, charges, details: details?.() ?? {} });
    this.#charges.notices.push({
      type: 'reservation-expired',
      id,
      charged: charges,
      at: this.#now,
    });
  }

  #told(): { readonly at: number; readonly notices: readonly SinkNotice[] } {
    return { at: this.#now, notices: this.#charges.notices.splice(0) };
  }

  #find(id: string): PlainReservation | undefined {
    return this.#books.reservations.find((reservation) => reservation.id === id);
  }

  #meet({ account }: Pick<Claim, 'account'>): void {
    this.#books.terms.set(account.key, account.rule);
  }

  #read(account: Account): AccountReading {
    const window = account.rule.window.at(this.#now);
    return {
      account: account.key,
      limit: this.#books.limit(account, window, this.#now),
      ...(account.rule.rollover && {
        rollover: this.#books.rolledInto(account, window, this.#now),
      }),
      blocked: this.#books.isBlocked(account),
      committed: this.#books.committed(account, window),
      held: this.#books.held(account, window),
      window,
      denials: this.#books.denials.filter((denial) => {
        return denial.account === account.key && dateOf(denial.at) === dateOf(this.#now);
      }).length,
    };
  }
}

/** In UTC. */
function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function ending(
  known: PlainReservation | undefined,
): { status: 'already-resolved'; first: Resolution } | { status: 'never-held' } {
  const state = known?.state ?? 'open';
  return state === 'open' ? { status: 'never-held' } : { status: 'already-resolved', first: state };
}

/** Whether any of these is by an account that refuses in earnest. */
function refuses(refusals: readonly Refusal[]): boolean {
  return refusals.some(({ shadow }) => shadow !== true);
}

function watched(refusals: readonly Refusal[]): { readonly refusals?: readonly Refusal[] } {
  return refusals.length > 0 ? { refusals } : {};
}
