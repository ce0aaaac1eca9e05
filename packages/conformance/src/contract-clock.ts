import type { Window, WindowSpec } from '@hardcap/core';

const SECOND = 1_000;
const MINUTE: number = 60 * SECOND;
const HOUR: number = 60 * MINUTE;

/** 12:00:00 UTC of Monday 30 November 2026, from which injected clocks start. */
const NOON: number = Date.UTC(2026, 10, 30, 12);

/** The time of a test, as its sink sees it. */
export interface ContractClock {
  readonly now: () => number;
  /** Lets so many ms pass; no fewer, and where time is driven no more. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the window of `now` is over. */
  passWindow(window: Window, now: number): Promise<void>;
  /** Makes sure that the window of now has enough time left for a test. */
  enterWindow(window: Window, now: number): Promise<void>;
  /** Lifetime of a hold that is to expire, in ms. */
  readonly holdMs: number;
  readonly fixed: WindowSpec;
  /** Six slots long. */
  readonly rolling: WindowSpec;
}

/** A clock that stands still until it is told. */
export class DrivenClock implements ContractClock {
  #time = NOON;
  readonly holdMs: number = 2 * MINUTE;
  readonly fixed: WindowSpec = { fixed: '1h' };
  readonly rolling: WindowSpec = { rolling: '1h', resolution: '10m' };
  readonly now: () => number = () => this.#time;

  async pass(ms: number): Promise<void> {
    this.#time += ms;
  }

  async passWindow(window: Window, now: number): Promise<void> {
    this.#time = window.at(now).endsAt ?? now + HOUR;
  }

  async enterWindow(): Promise<void> {}
}

/** Timers may fire a little early, and clocks of two processes differ a little. */
const SLACK_MS = 20;

/** How much of a window a test needs, with time to spare on a busy machine. */
const NEEDED_MS = 1_200;

/** Real time, in windows and lives short enough to wait for. */
export class RealClock implements ContractClock {
  readonly holdMs = 500;
  readonly fixed: WindowSpec = { fixed: '2s' };
  readonly rolling: WindowSpec = { rolling: '1200ms', resolution: '200ms' };
  readonly now: () => number = () => Date.now();

  pass(ms: number): Promise<void> {
    return new Promise((done) => setTimeout(done, ms + SLACK_MS));
  }

  async passWindow(window: Window, now: number): Promise<void> {
    const { endsAt } = window.at(now);
    if (endsAt !== null) await this.pass(endsAt - now);
  }

  async enterWindow(window: Window, now: number): Promise<void> {
    const { endsAt } = window.at(now);
    if (endsAt !== null && endsAt - now < NEEDED_MS) await this.pass(endsAt - now);
  }
}
