/** The Gregorian calendar repeats, weekdays included, after 400 years: 146,097 days, in ms. */
export const GREGORIAN_CYCLE_MS: number = 146_097 * 86_400_000;

/** The last instant that `Date` can hold, in ms since the epoch (ECMA-262, Time Values). */
const DATE_MAX_MS = 8.64e15;

/**
 * UTC text of an instant, for every safe integer of ms since the epoch: `2026-03-08T05:00:00Z`,
 * with milliseconds only where there are some.
 */
export function isoInstant(ms: number): string {
  const cycles = Math.abs(ms) > DATE_MAX_MS ? Math.trunc(ms / GREGORIAN_CYCLE_MS) : 0;
  const text = new Date(ms - cycles * GREGORIAN_CYCLE_MS).toISOString().replace('.000Z', 'Z');
  if (cycles === 0) return text;
  const year = Number(text.slice(0, 4)) + 400 * cycles;
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}${text.slice(4)}`;
}

/** The largest multiple of `stepMs` that is not after `now`; exact for every safe integer. */
export function floorTo(now: number, stepMs: number): number {
  const past = now % stepMs;
  return past === 0 ? now : now - past - (past < 0 ? stepMs : 0);
}
