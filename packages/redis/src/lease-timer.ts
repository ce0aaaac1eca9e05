import { type BackgroundTimer, setBackgroundTimer } from '@hardcap/core/sink';

/** Calls back every so many ms for as long as that is needed, and keeps no process alive for it. */
export class LeaseTimer {
  readonly #intervalMs: number;
  readonly #isNeeded: () => boolean;
  readonly #tick: () => Promise<void>;
  #timer: BackgroundTimer | null = null;
  #isStopped: boolean;

  /** @param intervalMs without end where somebody else says when it is time */
  constructor(intervalMs: number, isNeeded: () => boolean, tick: () => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#isStopped = intervalMs === Number.POSITIVE_INFINITY;
    this.#isNeeded = isNeeded;
    this.#tick = tick;
  }

  start(): void {
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setBackgroundTimer(() => void this.#run(), this.#intervalMs);
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    // What fails is tried again at the next tick.
    await this.#tick().catch(() => {});
    this.#timer = null;
    if (this.#isNeeded()) this.start();
  }
}
