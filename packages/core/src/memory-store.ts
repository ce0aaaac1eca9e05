import type { Refusal } from './denial.ts';
import { ended } from './ended.ts';
import { ReservationMismatchError } from './errors.ts';
import { MemoryAccount } from './memory-account.ts';
import { MemoryAccounts } from './memory-accounts.ts';
import type { MemoryBooks } from './memory-books.ts';
import type { MemoryCharge } from './memory-charge.ts';
import {
  amountAsked,
  ChargeReport,
  expireHold,
  type Hold,
  sameClaims,
  settleHold,
} from './memory-hold.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { Reservation, ReservationTable } from './memory-reservations.ts';
import type { MemoryUsageSinkOptions } from './memory-usage-sink.ts';
import { RecentMap } from './recent-map.ts';
import { isRefused, reporting } from './shadow-refusals.ts';
import { type EntryQuery, matchesQuery, type SinkEntry } from './sink-entry.ts';
import { checkCharges, checkClaims, checkId, checkTtl } from './sink-request.ts';
import type {
  Account,
  AccountReading,
  AdjustAnswer,
  AdjustRequest,
  Claim,
  ExtendAnswer,
  ExtendRequest,
  ReleaseAnswer,
  ReserveAnswer,
  ReserveRequest,
  SettleAnswer,
  SettleRequest,
  SinkNotice,
  UsageSink,
  VerifyReport,
} from './usage-sink.ts';

/** How many expired holds one call sweeps in passing. */
const SWEEP_LIMIT = 64;
const NO_NOTICES: readonly SinkNotice[] = Object.freeze([]);
const NO_REFUSALS: readonly Refusal[] = Object.freeze([]);

/** Counters and ledger in this process: exact, shared by its async tasks, gone when it ends. */
export class MemoryStore implements UsageSink {
  readonly #clock: () => number;
  readonly #accounts: MemoryAccounts;
  readonly #reservations: ReservationTable;
  readonly #adjusted: RecentMap<true>;
  readonly #ledger: MemoryLedger;
  #latest = Number.NEGATIVE_INFINITY;
  // Of what an operation without notices, or one that failed, came upon: the next answer tells it.
  #untold: readonly SinkNotice[] = NO_NOTICES;

  constructor(options: MemoryUsageSinkOptions = {}) {
    this.#clock = options.now ?? Date.now;
    this.#accounts = new MemoryAccounts(options.maxAccounts ?? 1_000_000);
    const remembered = options.rememberedReservations ?? 512;
    this.#reservations = new ReservationTable(remembered);
    this.#adjusted = new RecentMap(remembered);
    this.#ledger = new MemoryLedger(options.ledgerCapacity ?? 512);
  }

  reserve(request: ReserveRequest): ReserveAnswer {
    checkId(request.id);
    checkClaims(request.claims);
    checkTtl(request.ttlMs);
    const at = this.#sweep();
    const known = this.#reservations.get(request.id);
    if (known !== undefined) {
      const { id, resolution, holds, expiresAt } = known;
      if (resolution !== null) throw new ReservationMismatchError(id, resolution);
      if (!sameClaims(holds, request.claims)) throw new ReservationMismatchError(id);
      return { admitted: true, expiresAt, at, notices: this.#tell() };
    }
    this.#accounts.tidy(at);
    const { claims } = request;
    const holds = new Array<Hold>(claims.length);
    for (let place = 0; place < holds.length; place += 1) {
      holds[place] = this.#hold(claims[place] as Claim, at);
    }
    const refusals = refusalsOf(holds, at);
    if (refusals.length > 0) {
      this.#deny(refusals, at);
      if (isRefused(refusals)) return { admitted: false, refusals, at, notices: this.#tell() };
    }
    for (const hold of holds) hold.account.beginHold(hold.counters, hold.amount);
    const reservation = new Reservation(request, holds, at);
    this.#reservations.add(reservation);
    const { expiresAt } = reservation;
    return reporting({ admitted: true, expiresAt, at, notices: this.#tell() }, refusals);
  }

  extend(request: ExtendRequest): ExtendAnswer {
    checkClaims(request.claims);
    checkTtl(request.ttlMs);
    const at = this.#sweep();
    const reservation = this.#reservations.get(request.id);
    if (reservation?.resolution !== null) {
      return { ...ended(reservation), at, notices: this.#tell() };
    }
    const changes = request.claims.map(({ account: { key, rule }, amount }) => {
      const hold = reservation.holds.find(({ account }) => account.key === key);
      // What is not held cannot grow, and must not be taken for held.
      if (hold === undefined) throw new ReservationMismatchError(request.id);
      return { hold, rule, amount };
    });
    const refusals: Refusal[] = [];
    for (const { hold, rule, amount } of changes) {
      if (amount <= hold.amount) continue;
      const counters = hold.counters ?? hold.account.at(rule, at);
      const refusal = hold.account.refuse(counters, rule, amount, at, hold.amount);
      if (refusal !== undefined) refusals.push(refusal);
    }
    if (isRefused(refusals)) return { status: 'refused', refusals, at, notices: this.#tell() };
    for (const { hold, amount } of changes) {
      hold.account.changeHold(hold.counters, amount - hold.amount);
      hold.amount = amount;
    }
    this.#reservations.renew(reservation, request.ttlMs, at);
    const { expiresAt } = reservation;
    return reporting({ status: 'extended', expiresAt, at, notices: this.#tell() }, refusals);
  }

  settle(request: SettleRequest): SettleAnswer {
    checkCharges(request.charges);
    const at = this.#sweep();
    const report = new ChargeReport(this.#tell());
    const reservation = this.#reservations.get(request.id);
    const late = reservation?.resolution === 'expired' && reservation.holds.length > 0;
    if (reservation === undefined || (reservation.resolution !== null && !late)) {
      return { ...ended(reservation), at, notices: report.notices };
    }
    const { holds } = reservation;
    const charged = new Array<MemoryCharge>(holds.length);
    for (let place = 0; place < charged.length; place += 1) {
      const hold = holds[place] as Hold;
      const asked = amountAsked(request.charges, hold.account.key, place);
      charged[place] = settleHold(hold, asked === 'hold' ? hold.amount : asked, at, report);
    }
    const { notices, overshoot } = report;
    this.#reservations.resolve(reservation, 'settled');
    this.#ledger.append({
      kind: late ? 'correction' : 'settlement',
      id: late ? `${request.id}:late` : request.id,
      reservation: request.id,
      at,
      outcome: request.outcome,
      charges: charged,
      overshoot,
      details: request.details,
    });
    return { status: late ? 'late' : 'settled', charged, overshoot, at, notices };
  }

  release(id: string): ReleaseAnswer {
    const at = this.#sweep();
    const notices = this.#tell();
    const reservation = this.#reservations.get(id);
    if (reservation?.resolution !== null) return { ...ended(reservation), at, notices };
    for (const hold of reservation.holds) hold.account.endHold(hold.counters, hold.amount);
    this.#reservations.resolve(reservation, 'released');
    return { status: 'released', at, notices };
  }

  read(accounts: readonly Account[]): AccountReading[] {
    const at = this.#sweep();
    return accounts.map((account) => {
      const known = this.#accounts.find(account.key) ?? new MemoryAccount(account, at);
      return known.read(account.rule, at);
    });
  }

  async adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    const { adjustMemory } = await import('./on-demand.ts');
    // From here on nothing waits, so that no call comes in between.
    const answer = adjustMemory(this.#books, request, () => this.#sweep());
    return { ...answer, notices: [...this.#tell(), ...answer.notices] };
  }

  async *entries(query: EntryQuery = {}): AsyncGenerator<SinkEntry> {
    this.#sweep();
    for (const entry of this.#ledger.kept()) if (matchesQuery(entry, query)) yield entry;
  }

  verify(): Promise<VerifyReport> {
    return this.#verify(false);
  }

  rebuild(): Promise<VerifyReport> {
    return this.#verify(true);
  }

  close(): void {}

  async #verify(repair: boolean): Promise<VerifyReport> {
    const { verifyMemory } = await import('./on-demand.ts');
    // From here on nothing waits, so that no call comes in between.
    const at = this.#sweep();
    return verifyMemory(this.#books, at, repair);
  }

  get #books(): MemoryBooks {
    return {
      accounts: this.#accounts,
      reservations: this.#reservations,
      ledger: this.#ledger,
      adjusted: this.#adjusted,
    };
  }

  /** The sink's clock, which never runs backwards. */
  #now(): number {
    const now = this.#clock();
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }

  #hold(claim: Claim, now: number): Hold {
    const { rule } = claim.account;
    const account = this.#accounts.open(claim.account, now);
    const counters = account.at(rule, now);
    const byReserve = rule.attribute === 'reserve';
    const rolls = rule.window.kind === 'rolling';
    return {
      account,
      rule,
      counters: byReserve && !rolls ? counters : null,
      paysAt: byReserve && rolls ? now : null,
      reserved: claim.amount,
      amount: claim.amount,
      expired: null,
    };
  }

  #deny(refusals: readonly Refusal[], at: number): void {
    for (const refusal of refusals) {
      this.#accounts.find(refusal.account)?.deny(at);
    }
  }

  #tell(): readonly SinkNotice[] {
    const notices = this.#untold;
    this.#untold = NO_NOTICES;
    return notices;
  }

  /** Charges holds that ran out, a bounded number of them for each call, and says the time. */
  #sweep(): number {
    const now = this.#now();
    const due = this.#reservations.due(now, SWEEP_LIMIT);
    if (due.length === 0) return now;
    const report = new ChargeReport(this.#untold);
    for (const reservation of due) {
      const { id, details, expiresAt } = reservation;
      const charged = reservation.holds.map((hold) => expireHold(hold, expiresAt, now, report));
      this.#reservations.resolve(reservation, 'expired');
      this.#ledger.append({
        kind: 'expiry',
        id: `${id}:expiry`,
        reservation: id,
        at: now,
        charges: charged,
        details: details?.() ?? {},
      });
      report.notice({ type: 'reservation-expired', id, charged, at: now });
    }
    this.#untold = report.notices;
    return now;
  }
}

/** Who refuses what is about to be held; nobody, most often. */
function refusalsOf(holds: readonly Hold[], at: number): readonly Refusal[] {
  let refusals: Refusal[] | null = null;
  for (const { account, counters, rule, amount } of holds) {
    const refusal = account.refuse(counters ?? account.current, rule, amount, at);
    if (refusal === undefined) continue;
    refusals ??= [];
    refusals.push(refusal);
  }
  return refusals ?? NO_REFUSALS;
}
