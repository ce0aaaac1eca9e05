import type { JsonObject } from '@hardcap/core/adapter';
import type { Attempt } from './attempt.ts';
import { StreamTally } from './stream-tally.ts';

/**
 * The provider's stream, metered. It is read as fast as it comes, whether or not anybody reads the
 * result: a stream that was abandoned must still settle at what the provider bills.
 */
export function meteredStream<Part>(
  source: ReadableStream<Part>,
  attempt: Attempt,
): ReadableStream<Part> {
  const pump = new StreamPump(source as ReadableStream<JsonObject>, attempt);
  return new ReadableStream<JsonObject>({
    start: (controller) => pump.start(controller),
    cancel: (reason) => pump.cancel(reason),
  }) as ReadableStream<Part>;
}

/** Carries parts from the provider's stream to the reader's. */
class StreamPump {
  readonly #attempt: Attempt;
  readonly #tally: StreamTally;
  readonly #reader: ReadableStreamDefaultReader<JsonObject>;
  #controller!: ReadableStreamDefaultController<JsonObject>;
  /** Nothing more of the source is passed on. */
  #isOver = false;
  #isSettled = false;
  /** A part that was read is yet to be passed on. */
  #isWaiting = false;

  constructor(source: ReadableStream<JsonObject>, attempt: Attempt) {
    this.#attempt = attempt;
    this.#tally = new StreamTally(attempt);
    this.#reader = source.getReader();
  }

  start(controller: ReadableStreamDefaultController<JsonObject>): void {
    this.#controller = controller;
    const { spend } = this.#attempt;
    if (spend.stopReason !== undefined) {
      void this.#cut();
      return;
    }
    // An account may be blocked while nothing comes.
    spend.signal.addEventListener('abort', this.#stopped, { once: true });
    this.#read();
  }

  /** The reader has had enough. */
  async cancel(reason: unknown): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const cancelled = this.#reader.cancel(reason).catch(() => {});
    await this.#settleUnreported();
    await cancelled;
  }

  #read(): void {
    this.#reader.read().then(this.#take, this.#fail);
  }

  // The hot path: nothing in it waits, and it allocates no more than what the meter is told.
  readonly #take = (read: ReadableStreamReadResult<JsonObject>): void => {
    if (this.#isOver) return;
    if (read.done) {
      void this.#end();
      return;
    }
    try {
      const part = read.value;
      const verdict = this.#tally.count(part);
      if (verdict === true && part['type'] !== 'finish') {
        this.#pass(part);
        this.#read();
      } else {
        this.#passLater(part, verdict).catch(this.#fail);
      }
    } catch (error) {
      void this.#fail(error);
    }
  };

  #pass(part: JsonObject): void {
    if (part['type'] === 'raw' && this.#attempt.swallowsRaw) return;
    this.#controller.enqueue(part);
  }

  readonly #stopped = (): void => {
    if (!this.#isOver && !this.#isWaiting) void this.#cut();
  };

  /** A part that must wait: for the hold to be extended, or for the books to be closed. */
  async #passLater(part: JsonObject, verdict: boolean | Promise<boolean>): Promise<void> {
    this.#isWaiting = true;
    const isCovered = await verdict;
    if (part['type'] === 'finish') await this.#settleFinish(part);
    this.#isWaiting = false;
    if (this.#isOver) return;
    // What crossed the hold is paid for like everything before it.
    this.#pass(part);
    if (isCovered && this.#attempt.spend.stopReason === undefined) this.#read();
    else await this.#cut();
  }

  /** Before the reader sees the end: a serverless runtime may freeze after the last byte. */
  async #settleFinish(part: JsonObject): Promise<void> {
    const reported = this.#tally.reported(part);
    if (reported === undefined) return this.#settleUnreported();
    this.#isSettled = true;
    await this.#attempt.settle(reported);
  }

  async #settleUnreported(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    await this.#attempt.settle(this.#tally.unreported);
  }

  async #end(): Promise<void> {
    await this.#settleUnreported();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.close();
  }

  /** The provider's own failure, which the reader sees as it is. */
  readonly #fail = async (error: unknown): Promise<void> => {
    if (this.#isOver) return;
    await this.#settleUnreported();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.error(error);
  };

  /** Stops the provider at once, however far behind the reader is, and then tells the reader. */
  async #cut(): Promise<void> {
    this.#isOver = true;
    const { stopReason } = this.#attempt.spend;
    this.#reader.cancel(stopReason).catch(() => {});
    await this.#settleUnreported();
    try {
      for (const part of this.#tally.cutParts(stopReason)) this.#controller.enqueue(part);
      this.#controller.close();
    } catch {
      // The reader has gone in the meantime.
    }
  }
}
