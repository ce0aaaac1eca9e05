import { type Awaitable, isPending } from './awaitable.ts';
import type { EndingSink, EndRequest, ReleaseRequest } from './end-request.ts';
import { type HardcapError, SinkUnavailableError } from './errors.ts';
import type { EventPort } from './event.ts';
import type { SpendGuardOptions } from './guard-options.ts';
import { inTime } from './in-time.ts';
import type { EntryQuery, SinkEntry } from './sink-entry.ts';
import type { FlushOptions, FlushReport, Queued, UnsentSettlements } from './unsent-settlements.ts';
import type {
  ExtendAnswer,
  ExtendRequest,
  ReleaseAnswer,
  ReserveAnswer,
  ReserveRequest,
  SettleAnswer,
  SettleRequest,
  UsageSink,
} from './usage-sink.ts';

const FLUSH_MS = 5_000;
/** The longest that a timer can wait. */
export const NO_TIMEOUT: number = 2 ** 31 - 1;

/** Puts something before a sink that calls pass on their way to it. */
export interface SinkWrapper {
  wrapped(sink: UsageSink, port: SinkPort, timeoutMs: number): UsageSink;
  /** What settlements pass first, a journal included. */
  readonly marked: (sink: EndingSink) => EndingSink;
  /** Goes by the terms of another from here on. */
  adopt(other: SinkWrapper, port: SinkPort): void;
}

/**
 * The guard's side of a sink. What the sink throws is reported as an event, and reaches the caller as
 * a hardcap error. An answer that is there at once is given at once: a promise around it would cost
 * more than the memory sink takes to make it, and so would a closure for each call.
 */
export class SinkPort {
  /** What calls need is being loaded or opened, or could not be: until then none may pass. */
  opening: Promise<void> | null = null;
  /** What stands before the sink. */
  wrapper: SinkWrapper | null = null;
  #sink: UsageSink;
  readonly events: EventPort;
  readonly #unsentLimit: number;
  readonly #timeoutMs: number;
  /** For what decides on calls: a sink that may be away has a deadline of its own for that. */
  #decisionMs: number;
  /** The sink, or the journal that stands before it. */
  #ending: EndingSink;
  /** Loaded when the sink first fails to take a settlement, and to flush: no call waits for it. */
  #unsent: Promise<UnsentSettlements | undefined> | null = null;
  /** Settlements and releases that a sink has yet to answer. */
  readonly #inFlight: Set<Promise<unknown>> = new Set();

  /** @param wrapper what is to stand before the sink, once it is loaded. */
  constructor(
    sink: UsageSink,
    events: EventPort,
    options: SpendGuardOptions,
    wrapper: Promise<SinkWrapper> | null,
  ) {
    const { unsentLimit = 10_000, timeoutMs = 1_000, journal } = options;
    this.#sink = sink;
    this.#ending = sink;
    this.events = events;
    this.#unsentLimit = unsentLimit;
    this.#timeoutMs = timeoutMs;
    this.#decisionMs = timeoutMs;
    if (journal === undefined && wrapper === null && !sink.opening) return;
    this.opening = this.#open(wrapper, journal);
    // Whoever waits for it is told.
    this.opening.catch(() => {});
  }

  reserve(request: ReserveRequest): Awaitable<ReserveAnswer> {
    try {
      const answer = this.#sink.reserve(request);
      return isPending(answer) ? this.#reserveLater(answer, request) : answer;
    } catch (error) {
      return this.#unreserved(error, request);
    }
  }

  extend(request: ExtendRequest): Promise<ExtendAnswer> {
    return this.ask('extend', (sink) => sink.extend(request));
  }

  /** `queued`: the sink did not answer, and is told again until it does. */
  settle(request: SettleRequest): SettleAnswer | Promise<SettleAnswer | Queued> {
    try {
      const answer = this.#ending.settle(request);
      return isPending(answer) ? this.#tracked(answer, request) : answer;
    } catch (error) {
      return this.#queue(request, error);
    }
  }

  release(request: ReleaseRequest): Promise<ReleaseAnswer | Queued> {
    const answer = async () => this.#ending.release(request.id);
    return this.#tracked(answer(), request);
  }

  entries(query: EntryQuery): AsyncIterable<SinkEntry> {
    return this.#sink.entries(query);
  }

  /** Sends what was queued, and waits for what is under way. */
  async flush({ timeoutMs = FLUSH_MS }: FlushOptions = {}): Promise<FlushReport> {
    await this.opening;
    const unsent = await this.#loadUnsent();
    return unsent?.flush(timeoutMs, [...this.#inFlight]) ?? { unsent: this.#inFlight.size };
  }

  /** Flushes, closes the sink, and queues nothing any more. */
  async close({ timeoutMs = FLUSH_MS }: FlushOptions = {}): Promise<void> {
    await this.opening?.catch(() => {});
    const unsent = await this.#loadUnsent();
    await (unsent?.close(timeoutMs, [...this.#inFlight]) ?? this.#sink.close());
  }

  /** An operation beside the path of calls. */
  async ask<Answer>(
    operation: string,
    ask: (sink: UsageSink) => Awaitable<Answer>,
    timeoutMs?: number,
  ): Promise<Answer> {
    let answer: Awaitable<Answer> | undefined;
    try {
      if (this.opening !== null) await this.opening;
      answer = ask(this.#sink);
      return isPending(answer) ? await inTime(answer, timeoutMs ?? this.#decisionMs) : answer;
    } catch (error) {
      throw await this.failure(operation, error, answer);
    }
  }

  /**
   * What a caller gets for an error of the sink.
   *
   * @param late what may yet be answered: it is told then.
   */
  async failure(
    operation: string,
    error: unknown,
    late?: unknown,
    request?: EndRequest,
  ): Promise<HardcapError> {
    const { sinkFailure } = await import('./on-demand.ts');
    return sinkFailure(this.events, operation, error, late, request);
  }

  async #reserveLater(
    answer: PromiseLike<ReserveAnswer>,
    request: ReserveRequest,
  ): Promise<ReserveAnswer> {
    try {
      return await inTime(answer, this.#decisionMs);
    } catch (error) {
      return this.#unreserved(error, request, answer);
    }
  }

  /** The call will not be sent: a hold that was made all the same must not be charged. */
  async #unreserved(
    error: unknown,
    request: ReserveRequest,
    answer?: PromiseLike<unknown>,
  ): Promise<never> {
    const failure = await this.failure('reserve', error, answer);
    if (SinkUnavailableError.isInstance(failure)) this.releaseDoubtful(request, answer);
    throw failure;
  }

  /** Releases what may be held for a call that is not sent, once more where its answer comes late. */
  releaseDoubtful(request: ReserveRequest, answer?: PromiseLike<unknown>): void {
    void this.#loadUnsent().then((unsent) => unsent?.releaseDoubtful(request, answer));
  }

  #tracked<Answer>(answer: PromiseLike<Answer>, request: EndRequest): Promise<Answer | Queued> {
    const sent: Promise<Answer | Queued> = inTime(answer, this.#timeoutMs)
      .catch((error) => this.#queue(request, error, answer))
      .finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
    return sent;
  }

  /** @throws what the caller gets where the error is no outage, or nothing can be queued. */
  async #queue(request: EndRequest, error: unknown, late?: unknown): Promise<Queued> {
    const operation = 'outcome' in request ? 'settle' : 'release';
    const failure = await this.failure(operation, error, late, request);
    const isAway = SinkUnavailableError.isInstance(failure);
    const queued = isAway && (await this.#loadUnsent())?.add(request, error);
    if (queued) return queued;
    throw failure;
  }

  /** Puts something before the sink, for all that is asked of it or sent again from now on. */
  async wrap(wrapper: SinkWrapper): Promise<void> {
    const bare = this.#sink;
    this.wrapper = wrapper;
    this.#sink = wrapper.wrapped(bare, this, this.#timeoutMs);
    this.#ending = wrapper.marked(this.#ending === bare ? this.#sink : this.#ending);
    this.#decisionMs = NO_TIMEOUT;
    (await this.#unsent)?.through(this.#sink);
  }

  /** @throws ConfigError where a journal cannot be kept at this path. */
  async #open(loading: Promise<SinkWrapper> | null, path: string | undefined): Promise<void> {
    try {
      await this.#sink.opening;
    } catch (error) {
      throw await this.failure('load', error);
    }
    const wrapper = await loading;
    if (wrapper !== null) void this.wrap(wrapper);
    if (path !== undefined) {
      const { openJournal } = await import('./on-demand.ts');
      const journal = openJournal(path, this.#sink, this.events);
      this.#ending = wrapper?.marked(journal) ?? journal;
      (await this.#loadUnsent())?.keepIn(journal);
    }
    this.opening = null;
  }

  /** Undefined where its code cannot be loaded, as after the files of a running process were replaced. */
  #loadUnsent(): Promise<UnsentSettlements | undefined> {
    this.#unsent ??= import('./on-demand.ts').then(
      ({ UnsentSettlements }) =>
        new UnsentSettlements(this.#sink, this.events, this.#unsentLimit, this.#timeoutMs),
      () => undefined,
    );
    return this.#unsent;
  }
}
