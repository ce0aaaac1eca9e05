/**
 * The furthest time from the epoch that a clock may show, in ms: about the year 9892. Beyond it calendars
 * err, and a clock that counts micro- or nanoseconds shows itself.
 */
export const FURTHEST_MS = 2.5e14;

/** The last instant that `Date` can hold, in ms since the epoch (ECMA-262, Time Values). */
const DATE_MAX_MS = 8.64e15;

/** UTC text of an instant: `2026-03-08T05:00:00Z`, with milliseconds only where there are some. */
export function isoInstant(ms: number): string {
  return new Date(Math.min(ms, DATE_MAX_MS)).toISOString().replace('.000Z', 'Z');
}

/** The largest multiple of `stepMs` that is not after `now`; exact for every safe integer. */
export function floorTo(now: number, stepMs: number): number {
  const past = now % stepMs;
  return past === 0 ? now : now - past - (past < 0 ? stepMs : 0);
}
