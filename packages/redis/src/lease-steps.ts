import {
  type Refusal,
  type ReleaseAnswer,
  ReservationMismatchError,
  type ReserveAnswer,
  type ReserveRequest,
  type Resolution,
  type SettleRequest,
  type SinkNotice,
} from '@hardcap/core';
import { type DrawnCall, DrawnCalls, isSameCall } from './drawn-calls.ts';
import { HotAccounts } from './hot-accounts.ts';
import type { Lease } from './lease.ts';
import { LeaseClock } from './lease-clock.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { LeaseTerms } from './lease-options.ts';
import { type RedisUsageSinkOptions, sessionOptions } from './redis-usage-sink-options.ts';
import type { StoreSink } from './store-sink.ts';

/** So many expire with one operation, so that with what else is due in the store it is no more work than ever. */
const MOST_EXPIRED = 60;

/** With so many ended calls the store is told at once, and with very many a call waits for it. */
const MANY_UNSENT = 512;
const MOST_UNSENT = 16_384;

interface Refusable {
  readonly admitted?: boolean;
  readonly status?: string;
  readonly refusals?: readonly Refusal[];
  readonly notices: readonly SinkNotice[];
}

/** Of what operations on a store with leases are made. */
export class LeaseSteps {
  readonly store: StoreSink;
  readonly terms: LeaseTerms;
  readonly calls: DrawnCalls;
  readonly hot: HotAccounts;
  readonly clock: LeaseClock;
  readonly keeper: LeaseKeeper;
  /** Nothing is drawn any more. */
  isClosed = false;
  #isSoon = false;

  /** @param owner what ids of leases begin with */
  constructor(store: StoreSink, terms: LeaseTerms, options: RedisUsageSinkOptions, owner: string) {
    this.store = store;
    this.terms = terms;
    this.calls = new DrawnCalls(sessionOptions(options).endedMs);
    this.hot = new HotAccounts(terms);
    this.clock = new LeaseClock(store.scripts.session, options.now ?? null);
    const { calls, hot, clock } = this;
    this.keeper = new LeaseKeeper({ store, calls, hot, terms, clock, owner });
  }

  /** The time on the server's clock, as far as it is known here. */
  get at(): number {
    return this.store.scripts.session.at;
  }

  get epoch(): string | null {
    return this.store.scripts.session.epoch;
  }

  get deadline(): number {
    return this.store.scripts.runner.deadline;
  }

  /**
   * Does something about a call, at once after it was looked for: undefined where it was not drawn, or
   * the store is to say what became of it. Until then others may do something about it, too.
   */
  async onCall<Result>(
    id: string,
    deadline: number,
    work: (call: DrawnCall | undefined) => Promise<Result>,
  ): Promise<Result> {
    const { open } = this.calls;
    let call = open.get(id);
    while (call !== undefined && !this.#isHere(call)) {
      await this.toStore(call, deadline);
      call = open.get(id);
    }
    return work(call);
  }

  /** The answer to a repeated reservation of a drawn call. */
  again(call: DrawnCall, { claims }: ReserveRequest): ReserveAnswer {
    if (!isSameCall(call, claims)) throw new ReservationMismatchError(this.store.shown(call.id));
    const notices = this.keeper.takeNotices();
    const answer: ReserveAnswer = {
      admitted: true,
      expiresAt: call.expiresAt,
      at: this.at,
      notices,
    };
    this.store.repeats.set(answer, call.admittedAt);
    return answer;
  }

  async reserveInStore(request: ReserveRequest, deadline: number): Promise<ReserveAnswer> {
    const { id, claims } = request;
    this.calls.toStore(id, claims, null);
    const reserve = () => this.store.reserve(request, deadline);
    const keys = claims.map(({ account }) => account.key);
    const answer = await this.unlessOwn(reserve, keys, deadline);
    if (answer.admitted) this.calls.toStore(id, claims, answer.expiresAt);
    else this.calls.refused(id);
    return this.told(answer);
  }

  /** Makes a drawn call a reservation of its own. */
  toStore(call: DrawnCall, deadline: number): Promise<void> {
    return this.afterFlush(deadline, () => this.keeper.adopt([call], deadline));
  }

  /** Gives those calls to the store whose time is over: they expire there, with the next script. */
  async expire(deadline: number): Promise<void> {
    if (this.at < this.calls.earliest) return;
    const expired = this.calls.expired(this.at).slice(0, MOST_EXPIRED);
    if (expired.length === 0) return;
    await this.keeper.inTurn(async () => {
      await this.keeper.flush(deadline);
      await this.keeper.adopt(expired, deadline);
    });
  }

  /** Does something in turn, once the store knows how calls have ended. */
  async afterFlush<Result>(deadline: number, work: () => Promise<Result>): Promise<Result> {
    await this.expire(deadline);
    return this.keeper.inTurn(async () => {
      await this.keeper.flush(deadline);
      return work();
    });
  }

  /** Tells the store of ended calls where that should not wait for the next interval. */
  async tellInTime(isAlarming: boolean, deadline: number): Promise<void> {
    const { unsent } = this.keeper;
    // Nobody comes back to what is left here then.
    if (this.isClosed) await this.handOver().catch(() => {});
    else if (isAlarming || unsent >= MOST_UNSENT) {
      // What fails is told later: the call has ended.
      await this.keeper.inTurn(() => this.keeper.flush(deadline)).catch(() => {});
    } else if (unsent >= MANY_UNSENT) this.soon();
  }

  renew(): Promise<void> {
    // What is taken now would be given back by nobody.
    if (this.isClosed) return this.handOver();
    return this.afterFlush(this.deadline, () => this.keeper.renew());
  }

  /** Leaves nothing with this process: open calls are reservations of their own from then on. */
  async handOver(): Promise<void> {
    await this.expire(this.deadline);
    await this.keeper.inTurn(() => this.keeper.handOver());
  }

  /** Does so beside the calls, once at a time. */
  soon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.renew()
      .catch(() => {})
      .finally(() => {
        this.#isSoon = false;
      });
  }

  /**
   * Asks the store, and once more where it refused what this process has of the account without need.
   *
   * @param denied accounts on which a denial counts
   */
  async unlessOwn<Answer extends Refusable>(
    ask: () => Promise<Answer>,
    denied: readonly string[],
    deadline: number,
  ): Promise<Answer> {
    const { asked } = this.keeper;
    const answer = await ask();
    const isAdmitted = answer.admitted === true || answer.status === 'extended';
    const refusing = isAdmitted ? [] : (answer.refusals ?? []).map(({ account }) => account);
    const isOthers = asked === this.keeper.asked && !this.keeper.hasLeaseOn(refusing);
    if (refusing.length === 0 || isOthers) return answer;
    // A lease counts that was there meanwhile, too; and none is taken again before the answer.
    return this.keeper.inTurn(async () => {
      const own = this.#roomFor(refusing);
      if (own.length === 0 && asked === this.keeper.asked) return answer;
      const undenied = denied.filter((key) => refusing.includes(key));
      try {
        await this.keeper.giveBack(own, undenied, deadline);
      } catch {
        // It is refused as things are.
        return answer;
      }
      this.keeper.hear(answer.notices);
      return ask();
    });
  }

  /** What this process can draw is not to count as overshoot of a call that costs more than it holds. */
  async giveRoomFor(request: SettleRequest, deadline: number): Promise<void> {
    const own = this.#roomFor(this.calls.uncovered(request, this.at));
    if (own.length === 0) return;
    await this.keeper.inTurn(() => this.keeper.giveBack(own, [], deadline));
  }

  /** The answer about a call that has ended. */
  resolved(first: Resolution): Extract<ReleaseAnswer, { status: 'already-resolved' }> {
    return { status: 'already-resolved', first, at: this.at, notices: this.keeper.takeNotices() };
  }

  /** An answer with what the store said meanwhile. */
  told<Answer extends { readonly notices: readonly SinkNotice[] }>(answer: Answer): Answer {
    const before = this.keeper.takeNotices();
    if (before.length === 0) return answer;
    const told = { ...answer, notices: [...before, ...answer.notices] };
    const { repeats } = this.store;
    const first = repeats.get(answer as never);
    if (first !== undefined) repeats.set(told as never, first);
    return told;
  }

  /** Whether the store surely knows nothing of it, and still has its leases. */
  #isHere({ isDoubtful, parts }: DrawnCall): boolean {
    return !isDoubtful && parts.every(({ lease }) => lease.isIn(this.epoch));
  }

  #roomFor(keys: Iterable<string>): Lease[] {
    return [...new Set(keys)].flatMap((key) => {
      const lease = this.hot.get(key)?.lease ?? null;
      return lease !== null && lease.room > 0 ? [lease] : [];
    });
  }
}
