import { type BackgroundTimer, setBackgroundTimer } from './background-timer.ts';
import { askedToEnd, type EndRequest, isSettlement } from './end-request.ts';
import type { EndingAnswer } from './ending-answer.ts';
import type { EventPort } from './event.ts';
import { ExceptedSink } from './excepted-sink.ts';
import { unwatchExit, watchExit } from './exit-watch.ts';
import { inTime } from './in-time.ts';
import type { Journal } from './journal.ts';
import { sinkFailure, tellSettlement } from './sink-failure.ts';
import type { ReserveRequest, SettleAnswer, UsageSink } from './usage-sink.ts';

/** What a call is told of its end instead of the sink's answer. */
export interface Queued {
  readonly status: 'queued';
  readonly at: number;
  readonly notices: readonly [];
}

const QUEUED: Queued = { status: 'queued', at: 0, notices: [] };

export interface FlushOptions {
  /** The most to wait, in ms. @default 5_000 */
  readonly timeoutMs?: number;
}

/** What {@link UnsentSettlements.flush} left behind: settlements that the sink has not answered. */
export interface FlushReport {
  readonly unsent: number;
}

type LostReason = 'queue-full' | 'closed' | 'exit' | 'refused';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A timer of more, such as of `Infinity`, would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** So many are sent before the rest of the process gets a turn, even if the sink answers at once. */
const SENT_IN_A_ROW = 64;

/**
 * Settlements and releases that the sink did not take. They are sent again, one at a time, until the
 * sink answers each; ids make that safe. What fails goes to the end, so that one that can never be
 * sent holds up no other. One timer serves them all, with exponential backoff and jitter.
 */
export class UnsentSettlements {
  readonly #events: EventPort;
  readonly #limit: number;
  readonly #timeoutMs: number;
  #sink: UsageSink;
  #journal: Journal | null = null;
  readonly #waiting: Map<string, EndRequest> = new Map();
  readonly #onExit = () => this.#lose('exit', [...this.#waiting.values()]);
  #timer: BackgroundTimer | null = null;
  #isSending = false;
  #isClosed = false;
  #failures = 0;
  /** Called when nothing waits any more. */
  #onEmpty: (() => void)[] = [];

  /**
   * @param limit the most that are kept
   * @param timeoutMs how long an answer of the sink is waited for
   */
  constructor(sink: UsageSink, events: EventPort, limit: number, timeoutMs: number) {
    this.#sink = sink;
    this.#events = events;
    this.#limit = limit;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends through a journal from here on, and again what it has of an earlier process, however much. */
  keepIn(journal: Journal): void {
    this.#journal = journal;
    for (const request of journal.open) this.#waiting.set(request.id, request);
    this.#begin();
  }

  /** Sends through another sink from here on. */
  through(sink: UsageSink): void {
    this.#sink = sink;
    this.#journal?.through(sink);
  }

  /**
   * Takes over what the sink did not answer. Undefined when there is no room, or the guard is closed: then
   * nobody sends it again, and an event says so.
   */
  add(request: EndRequest, error: unknown): Queued | undefined {
    if (this.#isClosed || this.#waiting.size >= this.#limit) {
      this.#lose(this.#isClosed ? 'closed' : 'queue-full', [request]);
      return undefined;
    }
    this.#keep(request);
    const operation = isSettlement(request) ? 'settle' : 'release';
    const unsent = this.#waiting.size;
    this.#events.emit({ type: 'settlement-queued', id: request.id, operation, error, unsent });
    return QUEUED;
  }

  /**
   * Releases a reservation that nobody knows to be held. Where that fails, it is the first to be left
   * out: settlements of calls that were made need the room more, and an outage brings many of these.
   */
  async releaseDoubtful(reserve: ReserveRequest, lateAnswer?: PromiseLike<unknown>): Promise<void> {
    // It may have been overtaken by the release, and hold after it.
    lateAnswer?.then(
      () => this.releaseDoubtful(reserve),
      () => {},
    );
    const { id, claims } = reserve;
    const request = {
      id,
      charges: claims.map(({ account: { key } }) => ({ account: key, amount: 0 })),
    };
    try {
      const answer = askedToEnd(this.#sink, request);
      const { notices } = await inTime(answer, this.#timeoutMs, setBackgroundTimer);
      this.#events.emitAll(notices);
    } catch {
      // If it is never released, the hold expires; if there is one.
      if (!this.#isClosed && this.#waiting.size < this.#limit / 2) this.#keep(request);
    }
  }

  /**
   * Waits for those in flight, tries at once, and goes on until nothing waits or time is up. The
   * process is kept alive for as long.
   */
  async flush(timeoutMs: number, inFlight: readonly Promise<unknown>[]): Promise<FlushReport> {
    let unanswered = inFlight.length;
    const landed = inFlight.map((each) => each.finally(() => (unanswered -= 1)));
    let unwritten = 0;
    const sent = Promise.allSettled(landed)
      .then(() => this.#emptied())
      .then(async () => {
        unwritten = (await this.#sink.flush?.()) ?? 0;
      })
      // It says so with the next answer, and when it is closed.
      .catch(() => {});
    let timer: unknown;
    const timeIsUp = new Promise<void>((done) => {
      timer = setTimeout(done, Math.min(timeoutMs, LONGEST_TIMER_MS));
    });
    await Promise.race([sent, timeIsUp]);
    clearTimeout(timer as never);
    return { unsent: this.#waiting.size + unanswered + unwritten };
  }

  /**
   * Flushes, and closes the sink and the journal. Nothing is sent or taken any more: what still waits
   * is lost, unless the journal keeps it.
   */
  async close(timeoutMs: number, inFlight: readonly Promise<unknown>[]): Promise<void> {
    await this.flush(timeoutMs, inFlight);
    this.#isClosed = true;
    this.#stopTimer();
    this.#lose('closed', [...this.#waiting.values()]);
    this.#waiting.clear();
    this.#end();
    try {
      await this.#sink.close();
    } finally {
      this.#journal?.close();
    }
  }

  #keep(request: EndRequest): void {
    this.#waiting.set(request.id, request);
    if (this.#timer === null && !this.#isSending) this.#later();
    watchExit(this.#onExit);
  }

  #emptied(): Promise<void> | undefined {
    this.#failures = 0;
    this.#begin();
    if (this.#waiting.size === 0) return undefined;
    return new Promise((done) => this.#onEmpty.push(done));
  }

  #begin(): void {
    if (this.#isClosed || this.#isSending || this.#waiting.size === 0) return;
    watchExit(this.#onExit);
    this.#stopTimer();
    void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    let left = SENT_IN_A_ROW;
    let isAway = false;
    // What is added meanwhile is visited too.
    for (const request of this.#waiting.values()) {
      isAway = left === 0 || !(await this.#send(request));
      if (isAway || this.#isClosed) break;
      left -= 1;
    }
    this.#isSending = false;
    if (this.#isClosed) return;
    if (this.#waiting.size === 0) this.#end();
    else this.#later(left === 0 ? 0 : undefined);
  }

  /** False when the sink gave no answer in time. One that comes later counts all the same. */
  async #send(request: EndRequest): Promise<boolean> {
    const answer = askedToEnd(this.#journal ?? this.#sink, request);
    answer.then(
      (heard) => this.#heard(request, heard),
      () => {},
    );
    try {
      await inTime(answer, this.#timeoutMs, setBackgroundTimer);
      return true;
    } catch (error) {
      const operation = isSettlement(request) ? 'settle' : 'release';
      const reported = sinkFailure(this.#events, operation, error);
      const isAway = reported.code === 'SINK_UNAVAILABLE';
      if (!this.#waiting.delete(request.id)) return !isAway;
      if (isAway) this.#waiting.set(request.id, request);
      // To repeat it would give the same error.
      else this.#lose('refused', [request], reported);
      return !isAway;
    }
  }

  #heard(request: EndRequest, answer: EndingAnswer): void {
    this.#failures = 0;
    if (this.#waiting.delete(request.id)) this.#report(request, answer);
    // Another attempt was told that it is done; only this one knows what it came to.
    else if ('charged' in answer && isSettlement(request)) {
      tellSettlement(this.#events, request, answer);
    }
    if (this.#waiting.size > 0 || this.#isSending) return;
    this.#stopTimer();
    this.#end();
  }

  #report(request: EndRequest, answer: EndingAnswer): void {
    const { status, at } = answer;
    const { id } = request;
    const operation = isSettlement(request) ? 'settle' : 'release';
    this.#events.emit({ type: 'settlement-sent', id, operation, status, at });
    if (isSettlement(request)) tellSettlement(this.#events, request, answer as SettleAnswer);
    else this.#events.emitAll(answer.notices);
  }

  #lose(reason: LostReason, requests: readonly EndRequest[], error?: unknown): void {
    // What is kept is sent again by the next process; a refusal is worth telling all the same.
    const lost = requests.filter(
      ({ id }) => reason === 'refused' || this.#journal?.has(id) !== true,
    );
    if (lost.length === 0) return;
    if (this.#sink instanceof ExceptedSink) for (const { id } of lost) this.#sink.lost(id);
    const settlements = lost.map((request) => ({
      id: request.id,
      operation: isSettlement(request) ? ('settle' as const) : ('release' as const),
      charges: request.charges,
    }));
    this.#events.emit({
      type: 'settlements-lost',
      reason,
      settlements,
      ...(error === undefined ? {} : { error }),
    });
  }

  #later(delayMs: number = this.#backoffMs()): void {
    this.#timer = setBackgroundTimer(() => {
      this.#timer = null;
      this.#begin();
    }, delayMs);
  }

  /** Between half and the whole of a span that doubles: processes must not come back all at once. */
  #backoffMs(): number {
    const spanMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#failures += 1;
    return spanMs * (0.5 + Math.random() / 2);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #end(): void {
    unwatchExit(this.#onExit);
    const done = this.#onEmpty;
    this.#onEmpty = [];
    for (const each of done) each();
  }
}
