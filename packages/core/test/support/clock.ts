/** A clock that stands still until it is told. */
export interface TestClock {
  /** Ms since the epoch. */
  readonly now: () => number;
  advance(ms: number): void;
  set(ms: number): void;
}

export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;

/** Noon of a Monday, UTC. */
export const NOON: number = Date.UTC(2026, 10, 30, 12);

export function testClock(start: number = NOON): TestClock {
  let time = start;
  return {
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
    set: (ms) => {
      time = ms;
    },
  };
}
