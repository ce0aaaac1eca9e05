import type { Attempt } from './attempt.ts';
import { inAttempt } from './attempt-context.ts';
import { type Tally, unreported } from './tally.ts';

/** A stream of the provider that is metered. */
export interface MeteredSource<Item> {
  readonly attempt: Attempt;
  readonly tally: Tally;
  readonly items: AsyncIterable<Item>;
  /** Sees each item before the provider is asked for the next. */
  readonly prepare?: ((item: Item) => void) | undefined;
}

/**
 * The provider's items, metered. They are read as fast as they come, whether or not anybody takes
 * them: the provider generates and bills them all the same, and a stream that was abandoned must
 * still settle.
 */
export async function* meteredStream<Item>(source: MeteredSource<Item>): AsyncGenerator<Item> {
  const pump = new StreamPump(source);
  void inAttempt(source.attempt, () => pump.run());
  try {
    for (let item = await pump.next(); item !== undefined; item = await pump.next()) {
      yield item.value;
    }
  } finally {
    await pump.leave();
  }
}

class StreamPump<Item> {
  readonly #source: MeteredSource<Item>;
  readonly #queue: Item[] = [];
  #taken = 0;
  #wake: (() => void) | undefined;
  #isCounting = false;
  /** Nothing more of the source is passed on. */
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #settled: Promise<void> | undefined;

  constructor(source: MeteredSource<Item>) {
    this.#source = source;
  }

  /** Reads the source to its end; never rejects. */
  async run(): Promise<void> {
    const { attempt, items, tally, prepare } = this.#source;
    const { signal } = attempt;
    // Some models only see an abort when the next item comes, which may be never.
    const abort = (): void => this.#aborted();
    signal.addEventListener('abort', abort);
    try {
      for await (const item of items) {
        if (this.#isOver) return;
        prepare?.(item);
        this.#isCounting = true;
        const verdict = tally.count(item);
        const isCovered = verdict === true || (await verdict);
        this.#isCounting = false;
        // What crossed the hold is paid for like everything before it.
        this.#pass(item);
        if (!isCovered) return await this.#cut();
        if (signal.aborted) this.#aborted();
      }
      // Models may end a stream that was aborted as if it were complete.
      await this.#settle(!signal.aborted);
    } catch (error) {
      await this.#settle(false, error);
      this.#failure ??= { error };
      // What breaks in the package, as a callback does there, does not always close its socket.
      attempt.abort(error);
    } finally {
      signal.removeEventListener('abort', abort);
      // A stream that nobody reads never comes to the end of its call.
      attempt.unlink();
      this.#isOver = true;
      this.#wake?.();
    }
  }

  /** The next item; undefined at the end. Throws what ended the stream. */
  async next(): Promise<{ readonly value: Item } | undefined> {
    while (this.#taken === this.#queue.length) {
      if (this.#isOver) {
        if (this.#failure !== undefined) throw this.#failure.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#queue[this.#taken] as Item;
    this.#taken += 1;
    if (this.#taken === this.#queue.length) {
      this.#queue.length = 0;
      this.#taken = 0;
    }
    return { value };
  }

  /** The reader is done, or has had enough. */
  async leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.attempt.abort(new DOMException('The reader left the stream.', 'AbortError'));
    await this.#settle(false);
  }

  #pass(item: Item): void {
    this.#queue.push(item);
    this.#wake?.();
  }

  #aborted(): void {
    // A budget that carries no more of an item is told when the item is passed on.
    if (this.#isCounting) return;
    if (this.#source.attempt.stopReason !== undefined) void this.#cut();
    else void this.#settle(false);
  }

  /** The reader is told at once, also where the provider does not go away. */
  async #cut(): Promise<void> {
    const { attempt } = this.#source;
    const error = attempt.stopReason;
    this.#failure ??= { error };
    attempt.abort(error);
    await this.#settle(false);
    this.#isOver = true;
    this.#wake?.();
  }

  /** Before the reader sees the end: a serverless runtime may freeze after the last item. */
  #settle(isAtEnd: boolean, error?: unknown): Promise<void> {
    const { attempt, tally } = this.#source;
    this.#settled ??= attempt.settle(tally.reported(isAtEnd) ?? this.#unreported(error));
    return this.#settled;
  }

  #unreported(error: unknown): Parameters<Attempt['settle']>[0] {
    const { attempt, tally } = this.#source;
    if (tally.hasBegun) return unreported(tally, attempt.spend);
    // An answer that had not begun may still have cost anything.
    return error === undefined ? { outcome: 'unknown' } : attempt.failure(error);
  }
}
