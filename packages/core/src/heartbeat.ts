import { type BackgroundTimer, setBackgroundTimer } from './background-timer.ts';
import { Chain, type Link } from './chain.ts';

/** An open call that wants its reservation kept alive. */
export interface Beating extends Link {
  readonly startedAt: number;
  isOn(account: string): boolean;
  /** Renews the reservation; never rejects. */
  beat(): Promise<void>;
}

/**
 * Renews the reservations of all open calls with one timer. It runs only while calls are open, and
 * gives up on a call after `maxCallMs`, so that a call nobody ends does expire.
 */
export class Heartbeat {
  readonly #intervalMs: number;
  readonly #maxCallMs: number;
  readonly #now: () => number;
  readonly #open: Chain<Beating> = new Chain();
  #timer: BackgroundTimer | null = null;
  /** When calls were last looked after, on the guard's clock. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: { intervalMs: number; maxCallMs: number; now: () => number }) {
    this.#intervalMs = options.intervalMs;
    this.#maxCallMs = options.maxCallMs;
    this.#now = options.now;
  }

  add(call: Beating): void {
    this.#open.append(call);
    if (this.#timer === null) this.#schedule();
    // Asked for before that, and answered only now.
    if (call.startedAt <= this.#lookedAt) void call.beat();
  }

  delete(call: Beating): void {
    this.#open.remove(call);
  }

  /** Looks at once after the calls on an account, and after those that are being reserved. */
  lookAfter(account: string): void {
    this.#lookedAt = this.#now();
    for (const call of this.#open) if (call.isOn(account)) void call.beat();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const call of this.#open) this.#open.remove(call);
  }

  #schedule(): void {
    this.#timer = setBackgroundTimer(() => this.#tick(), this.#intervalMs);
  }

  #tick(): void {
    this.#timer = null;
    const now = this.#now();
    for (const call of this.#open) {
      const age = now - call.startedAt;
      if (age >= this.#maxCallMs) this.#open.remove(call);
      // A call younger than half an interval is safe until the next tick; a negative age says that
      // the clock was set back, and nothing of the call's.
      else if (age < 0 || age >= this.#intervalMs / 2) void call.beat();
    }
    if (this.#open.first !== null) this.#schedule();
  }
}
