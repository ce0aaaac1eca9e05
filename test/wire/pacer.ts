import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Pace } from './reply.ts';

/** Decides when the next step of a reply may be made. */
export class Pacer {
  readonly #pace: Pace;
  readonly #open = new AbortController();
  /** What ends the `step()` calls that are not carried out yet, oldest first. */
  #steps: (() => void)[] = [];
  #wake = (): void => {};

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Resolves when the reply may go one step further. */
  async turn(): Promise<void> {
    if (this.#pace === 'immediate' || this.#open.signal.aborted) return setImmediate();
    if (this.#pace !== 'manual') return this.#sleep(this.#pace.everyMs);
    if (this.#steps.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** To be said by the reply when the step is made. */
  stepMade(): void {
    this.#steps.shift()?.();
  }

  /** Allows one step; resolves when it is made, or will never be. */
  step(): Promise<void> {
    if (this.#pace !== 'manual') throw new Error("sendChunk() needs a reply with pace: 'manual'");
    if (this.#open.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#steps.push(resolve);
      this.#wake();
    });
  }

  /** From here on nothing waits. */
  open(): void {
    this.#open.abort();
    this.#wake();
  }

  /** No further step will be made. */
  close(): void {
    this.open();
    for (const resolve of this.#steps.splice(0)) resolve();
  }

  async #sleep(milliseconds: number): Promise<void> {
    try {
      await setTimeout(milliseconds, undefined, { signal: this.#open.signal });
    } catch {
      // Opened in the meantime: the sleep is over.
    }
  }
}
