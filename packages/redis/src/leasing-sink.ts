import {
  type Account,
  type AccountReading,
  type AdjustAnswer,
  type AdjustRequest,
  type EntryQuery,
  type ExtendAnswer,
  type ExtendRequest,
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
import { checkCharges, checkClaims, checkTtl } from '@hardcap/core/sink';
import { drawCall, growCall, settleCall } from './draw-call.ts';
import { type DrawnCall, DrawnCalls, isSameCall } from './drawn-calls.ts';
import { HotAccounts } from './hot-accounts.ts';
import type { Lease } from './lease.ts';
import { LeaseClock } from './lease-clock.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { LeaseTerms } from './lease-options.ts';
import { LeaseTimer } from './lease-timer.ts';
import { findIds } from './part-operations.ts';
import { type RedisUsageSinkOptions, sessionOptions } from './redis-usage-sink-options.ts';
import type { StoreScripts } from './store-scripts.ts';
import type { StoreSink } from './store-sink.ts';

/** With so many settlements the store is told at once, and with very many a call waits for it. */
const MANY_UNSENT = 512;
const MOST_UNSENT = 16_384;

/** So many expire with one operation, so that with what else is due in the store it is no more work than ever. */
const MOST_EXPIRED = 60;

/**
 * A store of which this process leases blocks of the accounts that it uses a lot: calls on them are
 * admitted here, and the store is told what they cost, many at a time. Every other call goes to the
 * store, and so does one that needs more than its lease has.
 */
export class LeasingSink implements UsageSink {
  readonly #store: StoreSink;
  readonly #calls: DrawnCalls;
  readonly #hot: HotAccounts;
  readonly #clock: LeaseClock;
  readonly #keeper: LeaseKeeper;
  readonly #timer: LeaseTimer;
  #isSoon = false;
  #isClosed = false;

  /** @param owner what ids of leases begin with */
  constructor(store: StoreSink, terms: LeaseTerms, options: RedisUsageSinkOptions, owner: string) {
    const { now = null } = options;
    this.#store = store;
    this.#calls = new DrawnCalls(sessionOptions(options).endedMs);
    this.#hot = new HotAccounts(terms);
    this.#clock = new LeaseClock(store.scripts.session, now);
    const [calls, hot, clock] = [this.#calls, this.#hot, this.#clock];
    this.#keeper = new LeaseKeeper({ store, calls, hot, terms, clock, owner });
    this.#timer = new LeaseTimer(
      { intervalMs: terms.syncMs, isOn: now === null },
      () => !hot.isEmpty || this.#keeper.size + this.#keeper.unsent > 0,
      () => this.sync(),
    );
  }

  get scripts(): StoreScripts {
    return this.#store.scripts;
  }

  get repeats(): WeakMap<ReserveAnswer, number> {
    return this.#store.repeats;
  }

  /** @param deadline here and below: of the operation that it is part of, in ms since the epoch */
  async reserve(
    request: ReserveRequest,
    deadline: number = this.#deadline,
  ): Promise<ReserveAnswer> {
    this.#store.check(request);
    await this.#expire(deadline);
    const { id, claims, ttlMs } = request;
    const known = await this.#known(id, deadline);
    const { at } = this;
    if (known !== undefined) return this.#again(known, request);
    const first = this.#calls.endedAs(id, at);
    if (first !== undefined) throw new ReservationMismatchError(this.#store.shown(id), first);
    const used = this.#isClosed ? null : this.#hot.use(claims);
    const isStores = this.#calls.isInStore(id) || this.#calls.hasExpiredInStore(at);
    if (used === null || isStores) return this.#reserveInStore(request, deadline);
    this.#timer.start();
    const parts = drawCall(used, claims, this.#clock.moment(), this.#epoch);
    if (parts === null) return this.#reserveInStore(request, deadline);
    const expiresAt = at + ttlMs;
    this.#calls.add({ id, parts, admittedAt: at, expiresAt, isDoubtful: false });
    if (parts.some(({ lease }) => lease.room < lease.low)) this.#soon();
    return { admitted: true, expiresAt, at, notices: this.#keeper.takeNotices() };
  }

  async extend(request: ExtendRequest, deadline: number = this.#deadline): Promise<ExtendAnswer> {
    const { id, claims, ttlMs } = request;
    checkClaims(claims);
    checkTtl(ttlMs);
    await this.#expire(deadline);
    const call = await this.#known(id, deadline);
    const { at } = this;
    if (call !== undefined) {
      const asked = growCall(call, claims, this.#clock.moment(), this.#epoch);
      if (asked === 'mismatch') throw new ReservationMismatchError(this.#store.shown(id));
      if (asked === 'grown') {
        this.#calls.expireAt(call, at + ttlMs);
        const { expiresAt } = call;
        return { status: 'extended', expiresAt, at, notices: this.#keeper.takeNotices() };
      }
      await this.#toStore(call, deadline);
    }
    const first = this.#calls.endedAs(id, at);
    if (first !== undefined) return this.#resolved(first);
    const extend = () => this.#store.extend(request, deadline);
    const answer = await this.#unlessOwn(extend, [], deadline);
    if (answer.status === 'extended') this.#calls.extended(id, claims, answer.expiresAt);
    return this.#told(answer);
  }

  async settle(request: SettleRequest, deadline: number = this.#deadline): Promise<SettleAnswer> {
    const { id } = request;
    checkCharges(request.charges);
    await this.#expire(deadline);
    const call = await this.#known(id, deadline);
    const { at } = this;
    const settled = call && settleCall(call, request);
    if (call !== undefined && settled) {
      this.#calls.end(id, 'settled', at);
      this.#keeper.add(settled);
      await this.#tellInTime(settled.isAlarming, deadline);
      const { charged } = settled;
      const notices = this.#keeper.takeNotices();
      return { status: 'settled', charged, overshoot: [], at, notices };
    }
    if (call !== undefined) await this.#toStore(call, deadline);
    const first = this.#calls.endedAs(id, at);
    if (first !== undefined) return this.#resolved(first);
    await this.#giveRoomFor(request, deadline);
    const answer = await this.#store.settle(request, deadline);
    this.#calls.endedInStore(id, answer);
    return this.#told(answer);
  }

  async release(id: string, deadline: number = this.#deadline): Promise<ReleaseAnswer> {
    await this.#expire(deadline);
    const call = await this.#known(id, deadline);
    const { at } = this;
    if (call !== undefined) {
      for (const { lease, amount } of call.parts) lease.giveBack(amount);
      this.#calls.end(id, 'released', at);
      this.#keeper.add({ id, request: null, parts: [] });
      return { status: 'released', at, notices: this.#keeper.takeNotices() };
    }
    const first = this.#calls.endedAs(id, at);
    if (first !== undefined) return this.#resolved(first);
    const answer = await this.#store.release(id, deadline);
    this.#calls.endedInStore(id, answer);
    return this.#told(answer);
  }

  async read(accounts: readonly Account[]): Promise<AccountReading[]> {
    return (await this.readAt(accounts)).readings;
  }

  /** What this process can draw is held by nobody. */
  readAt(
    accounts: readonly Account[],
    deadline: number = this.#deadline,
  ): Promise<{ at: number; readings: AccountReading[] }> {
    return this.#afterFlush(deadline, async () => {
      const { at, readings } = await this.#store.readAt(accounts, deadline);
      const figures = readings.map((reading) => {
        const lease = this.#hot.get(reading.account)?.lease;
        const isIn = lease?.window === reading.window.id;
        return isIn ? { ...reading, held: reading.held - lease.room } : reading;
      });
      return { at, readings: figures };
    });
  }

  adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    const deadline = this.#deadline;
    return this.#afterFlush(deadline, async () => {
      const lease = this.#hot.get(request.account.key)?.lease;
      if (lease) {
        await this.#keeper.giveBack([lease], [], deadline);
        lease.isPaused = true;
      }
      return this.#told(await this.#store.adjust(request));
    });
  }

  async *entries(query: EntryQuery = {}, pageSize?: number): AsyncGenerator<SinkEntry> {
    await this.#afterFlush(this.#deadline, async () => {});
    yield* this.#store.entries(query, pageSize);
  }

  async verify(): Promise<VerifyReport> {
    await this.#afterFlush(this.#deadline, async () => {});
    return this.#withCalls(await this.#store.verify());
  }

  async rebuild(): Promise<VerifyReport> {
    // Where the store was lost nobody is told anything before it is rebuilt.
    await this.flush();
    return this.#withCalls(await this.#store.rebuild());
  }

  /** Tells the store what calls have cost. @returns how many it was not told of, where it is away */
  async flush(): Promise<number> {
    await this.#afterFlush(this.#deadline, async () => {}).catch(() => {});
    return this.#keeper.unsent;
  }

  /** What is done again and again: tells what calls have cost, and sees to the leases. */
  async sync(): Promise<void> {
    await this.renew();
    this.#hot.roll();
  }

  /** The same between two intervals. */
  renew(): Promise<void> {
    return this.#afterFlush(this.#deadline, () => this.#keeper.renew());
  }

  /** Leaves nothing with this process: open calls are reservations of their own from then on. */
  async handOver(): Promise<void> {
    await this.#expire(this.#deadline);
    await this.#keeper.inTurn(() => this.#keeper.handOver());
  }

  /** @throws SinkUnavailableError where the store was not told of all settlements: what is leased is charged. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer.stop();
    await this.handOver().catch((error) => {
      if (this.#keeper.unsent > 0) throw error;
    });
    await this.#store.close();
  }

  /** The time on the server's clock, as far as it is known here. */
  get at(): number {
    return this.#store.scripts.session.at;
  }

  get #deadline(): number {
    return this.#store.scripts.runner.deadline;
  }

  get #epoch(): string | null {
    return this.#store.scripts.session.epoch;
  }

  /** A call that was drawn; undefined where the store is to say what became of it, or may have it. */
  async #known(id: string, deadline: number): Promise<DrawnCall | undefined> {
    const call = this.#calls.open.get(id);
    if (call === undefined) return undefined;
    const isHere = !call.isDoubtful && call.parts.every(({ lease }) => lease.isIn(this.#epoch));
    if (isHere) return call;
    await this.#toStore(call, deadline);
    return undefined;
  }

  #again(call: DrawnCall, { claims }: ReserveRequest): ReserveAnswer {
    if (!isSameCall(call, claims)) throw new ReservationMismatchError(this.#store.shown(call.id));
    const notices = this.#keeper.takeNotices();
    const { expiresAt, admittedAt } = call;
    const answer: ReserveAnswer = { admitted: true, expiresAt, at: this.at, notices };
    this.repeats.set(answer, admittedAt);
    return answer;
  }

  async #reserveInStore(request: ReserveRequest, deadline: number): Promise<ReserveAnswer> {
    const { id, claims } = request;
    this.#calls.toStore(id, claims, null);
    const reserve = () => this.#store.reserve(request, deadline);
    const answer = await this.#unlessOwn(reserve, claims.map(({ account }) => account.key), deadline);
    if (answer.admitted) this.#calls.toStore(id, claims, answer.expiresAt);
    else this.#calls.refused(id);
    return this.#told(answer);
  }

  /** Asks the store, and once more where it refused what this process has of the account without need. */
  async #unlessOwn<Answer extends Refusable>(
    ask: () => Promise<Answer>,
    denied: readonly string[],
    deadline: number,
  ): Promise<Answer> {
    const answer = await ask();
    const isRefused = answer.admitted === false || answer.status === 'refused';
    const refusing = isRefused ? (answer.refusals ?? []).map(({ account }) => account) : [];
    const own = this.#roomFor(refusing);
    if (own.length === 0) return answer;
    const undenied = denied.filter((key) => refusing.includes(key));
    try {
      await this.#keeper.inTurn(() => this.#keeper.giveBack(own, undenied, deadline));
    } catch {
      // It is refused as things are.
      return answer;
    }
    this.#keeper.hear(answer.notices);
    return ask();
  }

  /** What this process can draw is not to count as overshoot of a call that costs more than it holds. */
  async #giveRoomFor(request: SettleRequest, deadline: number): Promise<void> {
    const own = this.#roomFor(this.#calls.uncovered(request, this.at));
    if (own.length === 0) return;
    await this.#keeper.inTurn(() => this.#keeper.giveBack(own, [], deadline));
  }

  #roomFor(keys: Iterable<string>): Lease[] {
    return [...new Set(keys)].flatMap((key) => {
      const lease = this.#hot.get(key)?.lease ?? null;
      return lease !== null && lease.room > 0 ? [lease] : [];
    });
  }

  #toStore(call: DrawnCall, deadline: number): Promise<void> {
    return this.#afterFlush(deadline, () => this.#keeper.adopt([call], deadline));
  }

  /** Has those calls expire in the store whose time is over. */
  async #expire(deadline: number): Promise<void> {
    if (this.at < this.#calls.earliest) return;
    const expired = this.#calls.expired(this.at).slice(0, MOST_EXPIRED);
    if (expired.length === 0) return;
    await this.#keeper.inTurn(async () => {
      await this.#keeper.flush(deadline);
      await this.#keeper.adopt(expired, deadline);
      this.#keeper.hear((await findIds(this.#store, [], deadline)).notices);
    });
  }

  async #afterFlush<Result>(deadline: number, work: () => Promise<Result>): Promise<Result> {
    await this.#expire(deadline);
    return this.#keeper.inTurn(async () => {
      await this.#keeper.flush(deadline);
      return work();
    });
  }

  async #tellInTime(isAlarming: boolean, deadline: number): Promise<void> {
    const { unsent } = this.#keeper;
    if (isAlarming || unsent >= MOST_UNSENT) {
      // What fails is told later: the call has ended.
      await this.#keeper.inTurn(() => this.#keeper.flush(deadline)).catch(() => {});
    } else if (unsent >= MANY_UNSENT) this.#soon();
  }

  /** Does so beside the calls, once at a time. */
  #soon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.renew()
      .catch(() => {})
      .finally(() => {
        this.#isSoon = false;
      });
  }

  #resolved(first: Resolution): Extract<ReleaseAnswer, { status: 'already-resolved' }> {
    return { status: 'already-resolved', first, at: this.at, notices: this.#keeper.takeNotices() };
  }

  /** An answer with what the store said meanwhile. */
  #told<Answer extends { readonly notices: readonly SinkNotice[] }>(answer: Answer): Answer {
    const before = this.#keeper.takeNotices();
    if (before.length === 0) return answer;
    const told = { ...answer, notices: [...before, ...answer.notices] };
    const first = this.repeats.get(answer as never);
    if (first !== undefined) this.repeats.set(told as never, first);
    return told;
  }

  /** Counts calls, and not leases. */
  #withCalls(report: VerifyReport): VerifyReport {
    const { reservations } = report;
    const drawn = [...this.#calls.open.keys()].filter((id) => this.#store.isCounted(id)).length;
    return { ...report, reservations: reservations - this.#keeper.size + drawn };
  }
}

interface Refusable {
  readonly admitted?: boolean;
  readonly status?: string;
  readonly refusals?: readonly Refusal[];
  readonly notices: readonly SinkNotice[];
}
