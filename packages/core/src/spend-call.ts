import { type AdmissionPlan, outputBound } from './admission.ts';
import type { BookedCall, CallBooks } from './call-books.ts';
import { CallHold } from './call-hold.ts';
import type { Link } from './chain.ts';
import type { Beating } from './heartbeat.ts';
import { isAmount } from './money.ts';
import type { CallEnd, Settlement, SettleResult } from './settlement.ts';
import { type MeterDelta, StreamMeter } from './stream-meter.ts';
import { inputTokensOf, isKnownUsage, NO_USAGE, type TokenUsage } from './usage.ts';

/** What one streamed chunk tells about the spend of its call. */
export interface CallDelta extends MeterDelta {
  /**
   * Usage the provider reports before the end. Input classes replace the input bound; output is a
   * running total that overwrites. Zero input is taken for unknown: some gateways send it at first.
   */
  readonly usage?: Partial<TokenUsage>;
}

/**
 * One admitted attempt to call a model. Meter what it streams, and settle it exactly once, whatever
 * becomes of it.
 */
export class SpendCall implements Beating {
  readonly id: string;
  /** The output tokens that the hold covers; null when nothing was held for the output. */
  readonly admittedOutputTokens: number | null;
  /** Fewer output tokens were admitted than asked for: lower the provider's limit to them. */
  readonly clamped: boolean;
  /** On the guard's clock, in ms since the epoch. */
  readonly startedAt: number;
  /** Place among the open calls. */
  previous: Link | null = null;
  next: Link | null = null;
  readonly #booked: BookedCall;
  readonly #plan: AdmissionPlan;
  readonly #onEnd: (call: SpendCall) => void;
  readonly #books: CallBooks;
  // Made at the first chunk or beat: a call that does not stream never needs them.
  #hold: CallHold | null = null;
  #meter: StreamMeter | null = null;
  #earlyInput: TokenUsage | null = null;
  #growing: Promise<boolean> | null = null;
  #abort: AbortController | null = null;
  #stopReason: unknown;
  /** How the call ended, to be told to the sink again where that got no answer. */
  #how: Settlement | 'release' | null = null;
  #result: Promise<SettleResult> | null = null;

  /** Made by the guard. */
  constructor(
    booked: BookedCall,
    plan: AdmissionPlan,
    books: CallBooks,
    onEnd: (call: SpendCall) => void,
  ) {
    this.id = booked.id;
    this.admittedOutputTokens = plan.outputTokens;
    this.clamped = plan.clamped;
    this.startedAt = booked.startedAt;
    this.#booked = booked;
    this.#plan = plan;
    this.#books = books;
    this.#onEnd = onEnd;
  }

  /** Aborts when the call must stop; its reason is what {@link stopReason} says. */
  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#stopReason !== undefined) this.#abort.abort(this.#stopReason);
    }
    return this.#abort.signal;
  }

  /** Why the call must stop: a `BudgetExceededError`, or the error of a sink. Undefined: go on. */
  get stopReason(): unknown {
    return this.#stopReason;
  }

  /**
   * Counts a chunk. True: go on. A promise: the chunk took the call past its hold, which is being
   * extended; wait before passing the chunk on. False: nothing can carry more; stop the provider now
   * (`signal` has aborted with the reason) and settle as `metered`.
   */
  meter(delta: CallDelta): boolean | Promise<boolean> {
    if (this.#result !== null) return this.#stopReason === undefined;
    this.#metering().add(delta);
    if (delta.usage !== undefined) this.#reportEarly(delta.usage);
    if (this.#stopReason !== undefined) return false;
    if (this.#produced() <= this.#holding().room) return true;
    this.#growing ??= this.#grow();
    return this.#growing;
  }

  /**
   * Ends the call. The first settlement or release counts; a later one changes nothing and says so.
   * Where the sink does not answer, the guard takes it over (`queued`).
   *
   * @throws SinkUnavailableError when the sink does not answer and the guard's queue is full. To settle
   * again then repeats the first settlement; if nobody does, the hold is charged when it expires.
   */
  settle(settlement: Settlement): Promise<SettleResult> {
    return this.#end(settlement);
  }

  /** Ends a call that was never sent, as if it had not been reserved. */
  release(): Promise<SettleResult> {
    return this.#end('release');
  }

  /** What a settlement as `metered` has for usage: input as reported early, or its bound; visible output. */
  meteredUsage(): TokenUsage {
    const input = this.#earlyInput ?? { ...NO_USAGE, input: this.#plan.inputTokens };
    const { estimated, certain } = this.#metering();
    const limit = this.admittedOutputTokens;
    // An estimate errs upwards, but an enforced limit does not.
    const output = limit === null ? estimated : Math.min(estimated, Math.max(limit, certain));
    return { ...input, output };
  }

  /** Whether it is held on an account. */
  isOn(account: string): boolean {
    return this.#booked.accounts.some(({ key }) => key === account);
  }

  /**
   * Keeps the reservation alive, and stops the call where an account was blocked meanwhile. Called by
   * the guard; a failure shows in its events.
   */
  async beat(): Promise<void> {
    // An extension under way must not be undone by what is held now.
    await this.#growing;
    if (this.#result !== null) return;
    try {
      const { claims } = this.#holding();
      await this.#books.extend(claims);
      const { blockOn } = await import('./on-demand.ts');
      const block = await blockOn(this.#books, claims);
      if (block !== undefined && this.#result === null) this.#stop(block);
    } catch {
      // The guard has told its listener, and the next beat tries again.
    }
  }

  #end(how: Settlement | 'release'): Promise<SettleResult> {
    if (this.#result !== null) return this.#endAgain(this.#result);
    this.#onEnd(this);
    this.#how = how;
    this.#result = this.#tell(how);
    return this.#result;
  }

  #tell(how: Settlement | 'release'): Promise<SettleResult> {
    try {
      return how === 'release'
        ? this.#books.release()
        : Promise.resolve(this.#books.settle(this.#endOf(how)));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #endAgain(first: Promise<SettleResult>): Promise<SettleResult> {
    try {
      return { ...(await first), status: 'already-resolved' };
    } catch {
      // Whoever comes first repeats it; the others hear what that gave.
      if (this.#result !== first) return this.#endAgain(this.#result as Promise<SettleResult>);
      this.#result = this.#tell(this.#how as Settlement | 'release');
      return this.#result;
    }
  }

  /** A settlement, with what was metered where it says nothing better and no hold can be charged. */
  #endOf(settlement: Settlement): CallEnd {
    const end: CallEnd = settlement;
    if (end.outcome === 'not-sent' || isKnownUsage(end.usage)) return end;
    const asksForMetered = end.outcome === 'metered' && end.usage === undefined;
    if (!asksForMetered && this.#plan.estimate !== 'none') return end;
    const usage = this.meteredUsage();
    const billable = this.#billable(usage);
    if (isAmount(end.costNanoUsd)) return { ...end, usage, billable };
    const costNanoUsd = this.#books.meteredCost(billable ?? usage, this.#earlyInput === null);
    const outcome = end.outcome === 'known' ? 'metered' : end.outcome;
    return { ...end, outcome, usage, billable, costNanoUsd };
  }

  /**
   * The most that the provider can have billed, where that is more than was metered: reasoning out of
   * sight may have filled the output limit. With nothing held for output, that is the limit the call
   * has all the same; undefined where it has none.
   */
  #billable(usage: TokenUsage): TokenUsage | undefined {
    const { request, price } = this.#booked;
    if (!request.hiddenReasoning || this.#metering().isReported) return undefined;
    const bound = this.admittedOutputTokens ?? outputBound(request, price) ?? 0;
    return bound > usage.output ? { ...usage, reasoning: bound - usage.output } : undefined;
  }

  /**
   * The output to compare with the hold. Where the provider enforces a limit that the hold covers,
   * only what it has certainly produced counts: an estimate that errs upwards would cut good streams.
   */
  #produced(): number {
    const meter = this.#metering();
    return this.admittedOutputTokens === null ? meter.estimated : meter.certain;
  }

  #holding(): CallHold {
    const { claims, inputTokens } = this.#plan;
    this.#hold ??= new CallHold(claims, inputTokens, this.#booked.price, this.#books);
    return this.#hold;
  }

  #metering(): StreamMeter {
    this.#meter ??= new StreamMeter();
    return this.#meter;
  }

  #reportEarly(usage: Partial<TokenUsage>): void {
    const { output = 0, reasoning = 0, ...input } = usage;
    this.#metering().report(output + reasoning);
    const early = { ...NO_USAGE, ...input };
    if (!isKnownUsage(early) || inputTokensOf(early) === 0) return;
    this.#earlyInput = early;
    this.#holding().replaceInput(early);
  }

  async #grow(): Promise<boolean> {
    try {
      do {
        const refused = await this.#holding().grow(this.#produced());
        // A call that has ended meanwhile needs no more.
        if (this.#result !== null) return true;
        if (refused !== undefined) return this.#stop(refused);
      } while (this.#produced() > this.#holding().room);
      return true;
    } catch (error) {
      return this.#result !== null || this.#stop(error);
    } finally {
      this.#growing = null;
    }
  }

  #stop(reason: unknown): false {
    this.#stopReason = reason;
    this.#abort?.abort(reason);
    return false;
  }
}
