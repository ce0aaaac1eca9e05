const DAY_MS = 86_400_000;
/** More than any account refuses in a day. */
const MOST_PER_DAY = 1e10;

/** The day of a time, in UTC, counted from the epoch. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

/**
 * An account counts its denials in one number that never falls: the day, in UTC, and how many it had.
 * This is the tally of one that has refused nothing yet on the day of a time.
 */
export function dayTally(at: number): number {
  return utcDay(at) * MOST_PER_DAY;
}

/** The tally with one more denial. */
export function tallied(tally: number, at: number): number {
  return Math.max(tally, dayTally(at)) + 1;
}

export function denialsToday(tally: number, at: number): number {
  return Math.max(tally - dayTally(at), 0);
}
