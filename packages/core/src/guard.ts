import type { AccountStatus } from './account-status.ts';
import type {
  AccountSelector,
  AdjustmentNote,
  AdjustmentOrder,
  LimitChange,
  UnitAmount,
} from './adjustment-order.ts';
import { heldInMoney, planAdmission } from './admission.ts';
import type { Alert, AlertFilter } from './alerts.ts';
import { CallAdmission, type Reservation } from './call-admission.ts';
import { CallBinder } from './call-binder.ts';
import type { BookKeeping } from './call-books.ts';
import { type CallRequest, checkCallRequest } from './call-request.ts';
import type { Correction } from './correction-order.ts';
import { BudgetExceededError } from './errors.ts';
import { EventPort } from './event.ts';
import type { Grant } from './grant.ts';
import type { GrantRequest, Grants } from './grants.ts';
import type { SpendGuardOptions, SpendGuardTerms } from './guard-options.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Identity } from './identity.ts';
import type { LedgerEntry, LedgerQuery } from './ledger-entry.ts';
import { MemoryUsageSink } from './memory-usage-sink.ts';
import { reservationIds } from './reservation-ids.ts';
import { NO_TIMEOUT, SinkPort } from './sink-port.ts';
import type { SpendCall } from './spend-call.ts';
import type { FlushOptions, FlushReport } from './unsent-settlements.ts';
import type { VerifyReport } from './usage-sink.ts';

/**
 * Makes the guard that every call passes: it holds the worst case before the call is sent, and
 * settles what it cost.
 *
 * @throws ConfigError for budgets or options that cannot mean what was intended.
 */
export function createSpendGuard(options: SpendGuardOptions): SpendGuard {
  return new SpendGuard(options);
}

/** See {@link createSpendGuard}. */
export class SpendGuard {
  #binder: CallBinder;
  readonly #now: () => number;
  readonly #keeping: BookKeeping;
  readonly #heartbeat: Heartbeat;
  readonly #admission: CallAdmission;
  readonly #nextId: () => string = reservationIds();
  #grants: Grants | null = null;
  // Of the call that is being reserved: a sink of the guard's own making need not ask for the time again.
  #reading: number | null = null;

  constructor(options: SpendGuardOptions) {
    this.#binder = new CallBinder(options);
    this.#now = options.now ?? Date.now;
    const { reservationTtlMs: ttlMs = 120_000, maxCallMs = 3_600_000 } = options;
    const { waitForHeadroomMs: waitMs = 0 } = options;
    const sink = options.sink ?? new MemoryUsageSink({ now: () => this.#reading ?? this.#now() });
    const events = new EventPort(options.onEvent);
    const port = new SinkPort(sink, events, options, this.#binder.exceptions);
    this.#keeping = { sink: port, events, ttlMs, waitMs, onEnd: null };
    // A third of the time to live leaves two more tries when one renewal is lost.
    this.#heartbeat = new Heartbeat({ intervalMs: ttlMs / 3, maxCallMs, now: this.#now });
    this.#admission = new CallAdmission(this.#keeping, this.#heartbeat);
  }

  /**
   * Holds the worst case of a call on every budget that binds it, all or nothing.
   *
   * @throws MissingIdentityError when no budget binds; UnpricedModelError when money counts and
   * nobody knows the price; SinkUnavailableError when the sink, ConfigError when the journal fails.
   */
  reserve(request: CallRequest): Promise<Reservation> {
    // Its caller may change it and use it again, while this call is open.
    const own: OwnRequest = { ...request };
    const { tags, fallbackModels } = own;
    if (tags !== undefined) own.tags = { ...tags };
    if (Array.isArray(fallbackModels)) own.fallbackModels = [...fallbackModels];
    const { opening } = this.#keeping.sink;
    if (opening === null) return this.#reserve(own);
    keepIdentity(own);
    return opening.then(() => this.reserve(own));
  }

  /** @param since when limits were first asked for on behalf of the call. */
  #reserve(request: OwnRequest, since?: number): Promise<Reservation> {
    try {
      checkCallRequest(request);
      const startedAt = this.#now();
      const { identity, accounts, price, isBound } = this.#binder.bind(request, startedAt, since);
      if (!isBound) return this.#binder.refuseUnbound(request, identity);
      const estimate = request.estimate ?? this.#binder.options.estimate ?? 'ceiling';
      const plan = planAdmission(request, accounts, price, estimate);
      const id = this.#nextId();
      this.#reading = startedAt;
      const heldNanoUsd = heldInMoney(plan);
      const call = { id, request, identity, accounts, price, startedAt, heldNanoUsd };
      return Promise.resolve(this.#admission.admit(call, plan));
    } catch (error) {
      // Limits have to be asked for first.
      const { pending, at } = (error ?? {}) as { pending?: Promise<unknown>; at?: number };
      keepIdentity(request);
      return pending?.then(() => this.#reserve(request, since ?? at)) ?? Promise.reject(error);
    } finally {
      this.#reading = null;
    }
  }

  /**
   * Reserves, runs `fn`, and settles as `unknown` what `fn` has not settled itself. A sink that does
   * not answer that shows in the events, and takes away neither the result nor the error of `fn`.
   *
   * @throws BudgetExceededError when a budget refuses; `fn` is not called then.
   */
  async run<T>(request: CallRequest, fn: (call: SpendCall) => Promise<T>): Promise<T> {
    const reservation = await this.reserve(request);
    if (!reservation.admitted) throw new BudgetExceededError(reservation.denial);
    try {
      return await fn(reservation.call);
    } finally {
      await reservation.call.settle({ outcome: 'unknown' }).catch(() => {});
    }
  }

  /**
   * Runs `fn` with these dimensions for every call made in it, however deep and asynchronous.
   *
   * @throws ConfigError where the runtime has no AsyncLocalStorage.
   */
  withIdentity<T>(identity: Identity, fn: () => T): T {
    return this.#binder.ambient.run(identity, fn);
  }

  /** The figures of every account of an identity, added to that of the context and of the guard. */
  async status(identity?: Identity): Promise<AccountStatus[]> {
    const { statusOf } = await import('./on-demand.ts');
    return statusOf(this.#binder, this.#keeping.sink, identity);
  }

  /**
   * The accounts of an identity that somebody should look at, by the tier that `status` gives them, and
   * those that refused calls. An account that cannot be read is left out.
   */
  async alerts(filter: AlertFilter = {}): Promise<Alert[]> {
    const { alertsOf } = await import('./on-demand.ts');
    return alertsOf(this.#binder, this.#keeping.sink, filter);
  }

  /** Ledger entries, oldest first, as a stream. */
  async *ledger(query: LedgerQuery = {}): AsyncGenerator<LedgerEntry> {
    const { readLedger } = await import('./on-demand.ts');
    yield* readLedger(this.#keeping.sink, query, this.#binder);
  }

  /** Recomputes every counter from the ledger and the open reservations, and lists what differs. */
  verify(): Promise<VerifyReport> {
    return this.#keeping.sink.ask('verify', (sink) => sink.verify(), NO_TIMEOUT);
  }

  /** Restores counters from the ledger and the open reservations; the report says what differed. */
  rebuild(): Promise<VerifyReport> {
    return this.#keeping.sink.ask('rebuild', (sink) => sink.rebuild(), NO_TIMEOUT);
  }

  /**
   * Raises the limit of an account for its current window. As all adjustments by hand, it is in the
   * ledger, is seen by the next call of every process, and answers with the figures afterwards.
   *
   * @throws InvalidArgumentError for a budget that there is not, another unit than that of the budget,
   * or what is no amount; MissingIdentityError when the identity lacks a dimension of the budget;
   * SinkUnavailableError when the sink does not answer: repeating it is safe with an `id` of yours.
   */
  topUp(
    selector: AccountSelector,
    amount: UnitAmount,
    note?: AdjustmentNote,
  ): Promise<AccountStatus> {
    return this.#adjust(selector, { type: 'top-up', amount }, note);
  }

  /** Replaces the limit of an account or adds to it, in all its windows, for good or until a time. */
  setLimit(
    selector: AccountSelector,
    change: LimitChange,
    note?: AdjustmentNote,
  ): Promise<AccountStatus> {
    return this.#adjust(selector, { type: 'limit', change }, note);
  }

  /**
   * Refuses every call of an account until it is unblocked. Open calls of this guard are stopped at
   * once (their `signal` aborts), those of others when they next need more than they hold, and at the
   * latest within half of `reservationTtlMs`.
   */
  block(selector: AccountSelector, note?: AdjustmentNote): Promise<AccountStatus> {
    return this.#adjust(selector, { type: 'block' }, note);
  }

  /** Lifts what `block` did; `block: true` of a budget stays. */
  unblock(selector: AccountSelector, note?: AdjustmentNote): Promise<AccountStatus> {
    return this.#adjust(selector, { type: 'unblock' }, note);
  }

  /** Sets the settled spend of the current window to 0; open calls stay held, and are charged in full. */
  reset(selector: AccountSelector, note?: AdjustmentNote): Promise<AccountStatus> {
    return this.#adjust(selector, { type: 'reset' }, note);
  }

  /**
   * Changes what the call of a ledger entry was charged to what it should have been, on all its
   * accounts in one step, by an entry beside the others; gives that entry. A window that is over stays
   * as it was; so does what a reset has given back.
   *
   * @throws InvalidArgumentError for an entry that there is not, or that is not of a call.
   */
  async correct(
    entryId: string,
    correction: Correction,
    note?: AdjustmentNote,
  ): Promise<LedgerEntry> {
    const { correctEntry } = await import('./on-demand.ts');
    return correctEntry(this.#binder, this.#keeping, entryId, correction, note);
  }

  /**
   * Puts other terms in force for the calls that are reserved from then on, all of them at once. Accounts
   * keep what was spent and held by their keys; open calls settle under the terms they were admitted with.
   *
   * @throws ConfigError for terms that are not valid, or that a guard cannot change; nothing changes then.
   */
  async reconfigure(terms: SpendGuardTerms): Promise<void> {
    const { reconfigured } = await import('./on-demand.ts');
    const next = await reconfigured(this.#binder, terms, this.#keeping.sink);
    this.#grants?.adopt(next);
    this.#binder = next;
  }

  /** Tells the sink at once what it has not answered yet, and waits for it. The rest is sent later. */
  flush(options?: FlushOptions): Promise<FlushReport> {
    return this.#keeping.sink.flush(options);
  }

  /** Stops keeping open calls alive, flushes, and closes the sink. */
  close(options?: FlushOptions): Promise<void> {
    this.#heartbeat.stop();
    return this.#keeping.sink.close(options);
  }

  /**
   * Takes a slice out of the budgets in USD of an identity, for others to spend; or, with the `token`
   * of a grant of another process, makes that one known here.
   *
   * @throws BudgetExceededError where the budgets cannot carry it; InvalidArgumentError for a grant
   * that may not be divided further.
   */
  async grant(of: GrantRequest | string): Promise<Grant> {
    const { opening } = this.#keeping.sink;
    const { Grants } = await import('./on-demand.ts');
    await opening;
    this.#grants ??= new Grants({
      binder: this.#binder,
      keeping: this.#keeping,
      heartbeat: this.#heartbeat,
      now: this.#now,
    });
    return typeof of === 'string' ? this.#grants.join(of) : this.#grants.make(of);
  }

  async #adjust(
    selector: AccountSelector,
    order: AdjustmentOrder,
    note?: AdjustmentNote,
  ): Promise<AccountStatus> {
    const { adjustAccount } = await import('./on-demand.ts');
    const status = await adjustAccount(this.#binder, this.#keeping, selector, order, note);
    if (order.type === 'block') this.#heartbeat.lookAfter(status.account);
    return status;
  }
}

type OwnRequest = { -readonly [Field in keyof CallRequest]: CallRequest[Field] };

/** Of a call that waits before it is bound. */
function keepIdentity(request: OwnRequest): void {
  if (request.identity !== undefined) request.identity = { ...request.identity };
}
