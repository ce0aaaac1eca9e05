import {
  type Account,
  type AccountReading,
  type AdjustAnswer,
  type AdjustRequest,
  type EntryQuery,
  type ExtendAnswer,
  type ExtendRequest,
  type ReleaseAnswer,
  ReservationMismatchError,
  type ReserveAnswer,
  type ReserveRequest,
  type SettleAnswer,
  type SettleRequest,
  type SinkEntry,
  type UsageSink,
  type VerifyReport,
} from '@hardcap/core';
import { checkCharges, checkClaims, checkTtl } from '@hardcap/core/sink';
import type { CorrectionPart } from './adjust-store.ts';
import { drawCall, growCall, settleCall } from './draw-call.ts';
import type { LeaseSteps } from './lease-steps.ts';
import { LeaseTimer } from './lease-timer.ts';
import {
  type Asking,
  type Found,
  findIds,
  growthRefusalsOf,
  type Refusing,
  refusalsOf,
  type Undoing,
  undoHold,
} from './part-operations.ts';
import type { StoreScripts } from './store-scripts.ts';
import type { StoreSink } from './store-sink.ts';

/**
 * A store of which this process leases blocks of the accounts that it uses a lot: calls on them are
 * admitted here, and the store is told what they cost, many at a time. Every other call goes to the
 * store, and so does one that needs more than its lease has.
 */
export class LeasingSink implements UsageSink {
  readonly #store: StoreSink;
  readonly #steps: LeaseSteps;
  readonly #timer: LeaseTimer;

  /** @param steps on a store; with terms that say how often they are taken, or never */
  constructor(steps: LeaseSteps) {
    this.#store = steps.store;
    this.#steps = steps;
    const { hot, keeper, terms } = steps;
    const isNeeded = () => !hot.isEmpty || keeper.size + keeper.unsent > 0;
    this.#timer = new LeaseTimer(terms.syncMs, isNeeded, () => this.sync());
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
    deadline: number = this.#steps.deadline,
  ): Promise<ReserveAnswer> {
    this.#store.check(request);
    await this.#steps.expire(deadline);
    const { id, claims, ttlMs } = request;
    return this.#steps.onCall(id, deadline, async (known) => {
      const { at, calls, hot, keeper, clock, epoch } = this.#steps;
      if (known !== undefined) return this.#steps.again(known, request);
      const first = calls.endedAs(id, at);
      if (first !== undefined) throw new ReservationMismatchError(this.#store.shown(id), first);
      const used = this.#steps.isClosed ? null : hot.use(claims);
      const isStores = calls.isInStore(id) || calls.hasExpiredInStore(at);
      if (used === null || isStores) return this.#steps.reserveInStore(request, deadline);
      this.#timer.start();
      const parts = drawCall(used, claims, clock.moment(), epoch);
      if (parts === null) return this.#steps.reserveInStore(request, deadline);
      const expiresAt = at + ttlMs;
      calls.add({ id, parts, admittedAt: at, expiresAt, isDoubtful: false });
      if (parts.some(({ lease }) => lease.room < lease.low)) this.#steps.soon();
      return { admitted: true, expiresAt, at, notices: keeper.takeNotices() };
    });
  }

  async extend(
    request: ExtendRequest,
    deadline: number = this.#steps.deadline,
  ): Promise<ExtendAnswer> {
    const { id, claims, ttlMs } = request;
    checkClaims(claims);
    checkTtl(ttlMs);
    await this.#steps.expire(deadline);
    return this.#steps.onCall(id, deadline, async (call) => {
      const { at, calls, keeper, clock, epoch } = this.#steps;
      if (call !== undefined) {
        const asked = growCall(call, claims, clock.moment(), epoch);
        if (asked === 'mismatch') throw new ReservationMismatchError(this.#store.shown(id));
        if (asked === 'grown') {
          calls.expireAt(call, at + ttlMs);
          return { status: 'extended', expiresAt: at + ttlMs, at, notices: keeper.takeNotices() };
        }
        await this.#steps.toStore(call, deadline);
      }
      const first = calls.endedAs(id, at);
      if (first !== undefined) return this.#steps.resolved(first);
      const extend = () => this.#store.extend(request, deadline);
      const answer = await this.#steps.unlessOwn(extend, [], deadline);
      if (answer.status === 'extended') calls.extended(id, claims, answer.expiresAt);
      return this.#steps.told(answer);
    });
  }

  async settle(
    request: SettleRequest,
    deadline: number = this.#steps.deadline,
  ): Promise<SettleAnswer> {
    const { id } = request;
    checkCharges(request.charges);
    await this.#steps.expire(deadline);
    return this.#steps.onCall(id, deadline, async (call) => {
      const { at, calls, keeper } = this.#steps;
      const settled = call && settleCall(call, request);
      if (settled) {
        calls.end(id, 'settled', at);
        keeper.add(settled);
        await this.#steps.tellInTime(settled.isAlarming, deadline);
        const notices = keeper.takeNotices();
        return { status: 'settled', charged: settled.charged, overshoot: [], at, notices };
      }
      if (call !== undefined) await this.#steps.toStore(call, deadline);
      const first = calls.endedAs(id, at);
      if (first !== undefined) return this.#steps.resolved(first);
      await this.#steps.giveRoomFor(request, deadline);
      const answer = await this.#store.settle(request, deadline);
      calls.endedInStore(id, answer);
      return this.#steps.told(answer);
    });
  }

  async release(id: string, deadline: number = this.#steps.deadline): Promise<ReleaseAnswer> {
    await this.#steps.expire(deadline);
    return this.#steps.onCall(id, deadline, async (call) => {
      const { at, calls, keeper } = this.#steps;
      if (call !== undefined) {
        for (const { lease, amount } of call.parts) lease.giveBack(amount);
        calls.end(id, 'released', at);
        keeper.add({ id, request: null, parts: [] });
        await this.#steps.tellInTime(false, deadline);
        return { status: 'released', at, notices: keeper.takeNotices() };
      }
      const first = calls.endedAs(id, at);
      if (first !== undefined) return this.#steps.resolved(first);
      const answer = await this.#store.release(id, deadline);
      calls.endedInStore(id, answer);
      return this.#steps.told(answer);
    });
  }

  read(accounts: readonly Account[]): Promise<AccountReading[]> {
    return this.readAt(accounts).then(({ readings }) => readings);
  }

  /** What this process can draw is held by nobody. */
  readAt(
    accounts: readonly Account[],
    deadline: number = this.#steps.deadline,
  ): Promise<{ at: number; readings: AccountReading[] }> {
    return this.#steps.afterFlush(deadline, async () => {
      const { at, readings } = await this.#store.readAt(accounts, deadline);
      const figures = readings.map((reading) => {
        const lease = this.#steps.hot.get(reading.account)?.lease;
        const isIn = lease?.window === reading.window.id;
        return isIn ? { ...reading, held: reading.held - lease.room } : reading;
      });
      return { at, readings: figures };
    });
  }

  /** Nothing is drawn of the account until the store was asked for it again. */
  adjust(request: AdjustRequest, part?: CorrectionPart): Promise<AdjustAnswer> {
    const { deadline = this.#steps.deadline } = part ?? {};
    return this.#steps.afterFlush(deadline, async () => {
      const lease = this.#steps.hot.get(request.account.key)?.lease;
      if (lease) {
        await this.#steps.keeper.giveBack([lease], [], deadline);
        lease.isPaused = true;
      }
      return this.#steps.told(await this.#store.adjust(request, part));
    });
  }

  adjustElsewhere(
    request: AdjustRequest,
    part: CorrectionPart,
  ): Promise<Omit<AdjustAnswer, 'reading'>> {
    return this.#steps.afterFlush(part.deadline, () => this.#store.adjustElsewhere(request, part));
  }

  /** Takes back a hold of a call that another store has refused, as if it had never been. */
  async undo(undoing: Undoing): Promise<ReleaseAnswer> {
    return this.#steps.onCall(undoing.id, undoing.deadline, async (call) => {
      const { at, calls, keeper } = this.#steps;
      calls.forget(undoing.id);
      if (call === undefined) return this.#steps.told(await undoHold(this.#store, undoing));
      for (const { lease, amount } of call.parts) lease.giveBack(amount);
      return { status: 'released', at, notices: keeper.takeNotices() };
    });
  }

  async find(ids: readonly string[], deadline: number): Promise<Found> {
    const find = () => findIds(this.#store, ids, deadline);
    return this.#steps.told(await this.#steps.afterFlush(deadline, find));
  }

  async refusalsOf(asking: Asking): Promise<Refusing> {
    const keys = asking.claims.map(({ account }) => account.key);
    const ask = () => refusalsOf(this.#store, asking);
    return this.#steps.told(await this.#steps.unlessOwn(ask, keys, asking.deadline));
  }

  growthRefusalsOf(asking: Asking): Promise<Refusing> {
    const { id, deadline } = asking;
    const ask = () => growthRefusalsOf(this.#store, asking);
    return this.#steps.onCall(id, deadline, async (call) => {
      if (call !== undefined) await this.#steps.toStore(call, deadline);
      return this.#steps.told(await this.#steps.unlessOwn(ask, [], deadline));
    });
  }

  async *entries(query: EntryQuery = {}, pageSize?: number): AsyncGenerator<SinkEntry> {
    await this.#told();
    yield* this.#store.entries(query, pageSize);
  }

  async verify(): Promise<VerifyReport> {
    await this.#told();
    return this.#withCalls(await this.#store.verify());
  }

  async rebuild(): Promise<VerifyReport> {
    // Where the store was lost nobody is told anything before it is rebuilt.
    await this.flush();
    return this.#withCalls(await this.#store.rebuild());
  }

  /** Tells the store how calls have ended. @returns of how many it was not told, where it is away */
  async flush(): Promise<number> {
    await this.#told().catch(() => {});
    return this.#steps.keeper.unsent;
  }

  /** What is done in each interval. */
  async sync(): Promise<void> {
    await this.renew();
    this.#steps.hot.roll();
  }

  /** The same in the middle of an interval. */
  renew(): Promise<void> {
    return this.#steps.renew();
  }

  handOver(): Promise<void> {
    return this.#steps.handOver();
  }

  /** @throws SinkUnavailableError where the store was not told how all calls ended: it charges the leases. */
  async close(): Promise<void> {
    this.#steps.isClosed = true;
    // Where that fails it is tried again in each interval, for as long as the process lives.
    try {
      await this.handOver();
      this.#timer.stop();
    } catch (error) {
      if (this.#steps.keeper.unsent > 0) throw error;
    }
    await this.#store.close();
  }

  #told(): Promise<void> {
    return this.#steps.afterFlush(this.#steps.deadline, async () => {});
  }

  /** Those that were drawn here are open, too. */
  #withCalls({ reservations, ...report }: VerifyReport): VerifyReport {
    const drawn = [...this.#steps.calls.open.keys()].filter((id) => this.#store.isCounted(id));
    return { ...report, reservations: reservations + drawn.length };
  }
}
