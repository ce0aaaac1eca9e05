import type { StoreSession } from './store-session.ts';

/** A time on the clocks here. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** Until when something holds that is over at a time on the server's clock. */
export type Until = (moment: Moment) => boolean;

/** A share of its life for which a block is not used any more, for what is under way. */
const MARGIN = 0.1;

/**
 * The server's clock, as far ahead as it can be: a block must not be used once it may be over there. No
 * less time has passed there than here since the question was sent whose answer told the time.
 */
export class LeaseClock {
  readonly #session: StoreSession;
  readonly #now: (() => number) | null;

  /** @param now the time to go by instead: for tests */
  constructor(session: StoreSession, now: (() => number) | null) {
    this.#session = session;
    this.#now = now;
  }

  /** The steady clock stands still while a machine sleeps, and the other can be set back. */
  moment(): Moment {
    return this.#now === null
      ? { steady: performance.now(), wall: Date.now() }
      : { steady: this.#session.at, wall: this.#session.at };
  }

  /**
   * @param sent when the question was sent
   * @param at the time on the server's clock that the answer told
   * @param till when the window is over, or the terms may change
   */
  until(
    sent: Moment,
    { at, till, expiresAt, ttlMs }: { at: number; till: number; expiresAt: number; ttlMs: number },
  ): Until {
    const span = Math.min(till, expiresAt - ttlMs * MARGIN) - at;
    const [steady, wall] = this.#now === null ? [sent.steady, sent.wall] : [at, at];
    return (moment) => moment.steady - steady < span && moment.wall - wall < span;
  }
}
