import { HardcapError, SinkUnavailableError } from '@hardcap/core';
import type { Books } from './books.ts';
import { type Store, StoreLostError } from './store.ts';

interface Task {
  readonly work: (books: Books) => unknown;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
  /** On the clock of `performance`. */
  readonly deadline: number;
  /** It failed together with others, and is tried by itself. */
  isAlone: boolean;
}

type Outcome = { readonly task: Task } & (
  | { readonly answer: unknown }
  | { readonly error: unknown }
);

/** The most operations of one transaction, and the time after which it takes no more. */
const MOST_TOGETHER = 64;
const MOST_TOGETHER_MS = 5;
/** Operations that may wait in one process. */
const MOST_WAITING = 100_000;
/** The longest that operations follow each other without a turn of the event loop. */
const TURN_MS = 5;
/** Bounds of the pause before the lock is tried again; it is random, so that nobody keeps step. */
const PAUSE_MS = { least: 1, most: 20 };
/** After so many ms in vain the lock is tried in each turn of the event loop: it is never free for long. */
const PATIENCE_MS = 200;

/**
 * Operations that wait for the store, done in the order in which they came. Those that come together go into one transaction, which costs
 * little more than one of them. While another process holds the lock they wait without holding up the
 * event loop, each until its deadline.
 */
export class WorkQueue {
  readonly #store: () => Store;
  readonly #timeoutMs: number;
  #tasks: Task[] = [];
  #isScheduled = false;
  #turnBegan = 0;
  #busySince: number | null = null;
  #isClosed = false;
  #whenEmpty: () => void = () => {};

  constructor(store: () => Store, timeoutMs: number) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws SinkUnavailableError when the deadline passes, or the store fails: nothing was done then. */
  run<Answer>(work: (books: Books) => Answer): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.#tasks.length >= MOST_WAITING) {
      const waiting = `${MOST_WAITING} operations wait for the store already.`;
      return Promise.reject(new SinkUnavailableError(waiting));
    }
    return new Promise<Answer>((resolve, reject) => {
      const deadline = performance.now() + this.#timeoutMs;
      this.#tasks.push({ work, resolve, reject, deadline, isAlone: false });
      this.#schedule();
    });
  }

  /** Takes no more from now on, and resolves when nothing waits any more. */
  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#tasks.length === 0) return Promise.resolve();
    return new Promise((done) => {
      this.#whenEmpty = done;
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Callers that await one answer after the other would keep timers and sockets waiting for ever.
    if (performance.now() - this.#turnBegan < TURN_MS) queueMicrotask(this.#flush);
    else setImmediate(this.#flushInNewTurn);
  }

  readonly #flushInNewTurn = (): void => {
    this.#turnBegan = performance.now();
    this.#flush();
  };

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#tasks.length > 0) this.#carryOutNext();
    if (this.#tasks.length === 0) this.#whenEmpty();
    else if (this.#busySince === null) this.#schedule();
    else this.#pause(this.#busySince);
  };

  #carryOutNext(): void {
    const batch = this.#nextBatch();
    const outcomes: Outcome[] = [];
    try {
      if (!this.#store().write((books) => carryOut(batch, outcomes, books))) {
        this.#busySince ??= performance.now();
        this.#dropOverdue();
        return;
      }
    } catch (error) {
      this.#busySince = null;
      this.#failed(batch, error);
      return;
    }
    this.#busySince = null;
    // Those for which there was no time stay the first.
    this.#tasks.splice(0, outcomes.length);
    for (const outcome of outcomes) {
      if ('error' in outcome) outcome.task.reject(outcome.error);
      else outcome.task.resolve(outcome.answer as never);
    }
  }

  #nextBatch(): Task[] {
    const next = this.#tasks.slice(0, MOST_TOGETHER);
    const alone = next.findIndex(({ isAlone }) => isAlone);
    return alone === -1 ? next : next.slice(0, Math.max(1, alone));
  }

  /** What fails together is tried one by one, so that no operation fails for another's sake. */
  #failed(batch: readonly Task[], error: unknown): void {
    if (batch.length > 1 && !(error instanceof StoreLostError)) {
      for (const task of batch) task.isAlone = true;
      return;
    }
    this.#tasks.splice(0, batch.length);
    for (const task of batch) task.reject(unavailable(error));
  }

  /** Only what was tried can be overdue: a process that was stopped for long has not waited. */
  #dropOverdue(): void {
    const now = performance.now();
    const next = this.#tasks.findIndex(({ deadline }) => deadline >= now);
    // They came in the order of their deadlines.
    const overdue = this.#tasks.splice(0, next === -1 ? this.#tasks.length : next);
    if (overdue.length === 0) return;
    const message =
      `The store was locked by other processes for ${this.#timeoutMs} ms; nothing was done. ` +
      'Try again, or raise `timeoutMs`.';
    for (const task of overdue) task.reject(new SinkUnavailableError(message));
  }

  #pause(busySince: number): void {
    this.#isScheduled = true;
    if (performance.now() - busySince > PATIENCE_MS) setImmediate(this.#flushInNewTurn);
    else {
      const { least, most } = PAUSE_MS;
      setTimeout(this.#flushInNewTurn, least + Math.random() * (most - least));
    }
  }
}

function carryOut(batch: readonly Task[], outcomes: Outcome[], books: Books): void {
  const until = performance.now() + MOST_TOGETHER_MS;
  for (const task of batch) {
    if (outcomes.length > 0 && performance.now() > until) return;
    try {
      books.enter();
      outcomes.push({ task, answer: task.work(books) });
    } catch (error) {
      // An operation that is refused has changed nothing; any other error leaves nobody knows what.
      if (!HardcapError.isInstance(error)) throw error;
      outcomes.push({ task, error });
    }
  }
}

export function closed(): SinkUnavailableError {
  return new SinkUnavailableError('The sink is closed; nothing was done. Make another one.');
}

/** The error that callers get: hardcap's own, or that the store failed. */
export function unavailable(error: unknown): unknown {
  if (HardcapError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SinkUnavailableError(`The store failed: ${reason}. Nothing was done.`, {
    cause: error,
  });
}
