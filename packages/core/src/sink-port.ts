import { type Awaitable, isPending } from './awaitable.ts';
import { HardcapError, SinkUnavailableError } from './errors.ts';
import type { EventPort } from './event.ts';
import type { EntryQuery, SinkEntry } from './sink-entry.ts';
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

/**
 * The guard's side of a sink. What the sink throws is reported as an event, and reaches the caller as
 * a hardcap error. An answer that is there at once is given at once: a promise around it would cost
 * more than the memory sink takes to make it, and so would a closure for each call.
 */
export class SinkPort {
  readonly #sink: UsageSink;
  readonly #events: EventPort;

  constructor(sink: UsageSink, events: EventPort) {
    this.#sink = sink;
    this.#events = events;
  }

  reserve(request: ReserveRequest): Awaitable<ReserveAnswer> {
    try {
      const answer = this.#sink.reserve(request);
      return isPending(answer) ? this.#reserveLater(answer, request.id) : answer;
    } catch (error) {
      throw this.#unreserved(error, request.id);
    }
  }

  extend(request: ExtendRequest): Awaitable<ExtendAnswer> {
    try {
      return this.#watched('extend', this.#sink.extend(request));
    } catch (error) {
      throw this.failure('extend', error);
    }
  }

  settle(request: SettleRequest): Awaitable<SettleAnswer> {
    try {
      return this.#watched('settle', this.#sink.settle(request));
    } catch (error) {
      throw this.failure('settle', error);
    }
  }

  release(id: string): Awaitable<ReleaseAnswer> {
    try {
      return this.#watched('release', this.#sink.release(id));
    } catch (error) {
      throw this.failure('release', error);
    }
  }

  entries(query: EntryQuery): AsyncIterable<SinkEntry> {
    return this.#sink.entries(query);
  }

  /** An operation beside the path of calls. */
  async ask<Answer>(
    operation: string,
    ask: (sink: UsageSink) => Awaitable<Answer>,
  ): Promise<Answer> {
    try {
      return await ask(this.#sink);
    } catch (error) {
      throw this.failure(operation, error);
    }
  }

  /**
   * Reports an error of the sink, and makes it the one that a caller gets: hardcap's own as they are,
   * all else `SinkUnavailableError`, since nobody knows whether the operation was carried out.
   */
  failure(operation: string, error: unknown): HardcapError {
    if (HardcapError.isInstance(error) && !SinkUnavailableError.isInstance(error)) return error;
    this.#events.emit({ type: 'sink-unavailable', operation, error });
    if (SinkUnavailableError.isInstance(error)) return error;
    const reason = error instanceof Error ? error.message : String(error);
    return new SinkUnavailableError(
      `The usage sink failed to ${operation}: ${reason}. Whether it was carried out is unknown; ` +
        'repeating it with the same id is safe.',
      { cause: error },
    );
  }

  #watched<Answer>(operation: string, answer: Awaitable<Answer>): Awaitable<Answer> {
    return isPending(answer) ? this.#later(operation, answer) : answer;
  }

  async #later<Answer>(operation: string, answer: PromiseLike<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw this.failure(operation, error);
    }
  }

  async #reserveLater(answer: PromiseLike<ReserveAnswer>, id: string): Promise<ReserveAnswer> {
    try {
      return await answer;
    } catch (error) {
      throw this.#unreserved(error, id);
    }
  }

  /** The call will not be sent: a hold that was made all the same must not be charged. */
  #unreserved(error: unknown, id: string): HardcapError {
    const failure = this.failure('reserve', error);
    if (SinkUnavailableError.isInstance(failure)) void this.#tryRelease(id);
    return failure;
  }

  async #tryRelease(id: string): Promise<void> {
    try {
      const { notices } = await this.#sink.release(id);
      this.#events.emitAll(notices);
    } catch {
      // The hold expires, if there is one.
    }
  }
}
