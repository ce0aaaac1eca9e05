import { compileWindow, type Window, type WindowSpec } from '@hardcap/core';

/** When a window is over, as far as its name says. */
export interface NamedEnd {
  /** It is open before that, ms since the epoch. */
  readonly earliest: number;
  /** It is over from then on. */
  readonly latest: number;
}

const NEVER: NamedEnd = {
  earliest: Number.POSITIVE_INFINITY,
  latest: Number.POSITIVE_INFINITY,
};
const UNKNOWN: NamedEnd = { ...NEVER, earliest: Number.NEGATIVE_INFINITY };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Months and days of the calendar's units. */
const UNITS: Readonly<Record<string, readonly [months: number, days: number]>> = {
  day: [0, 1],
  week: [0, 7],
  month: [1, 0],
  quarter: [3, 0],
  year: [12, 0],
};

/**
 * Names of fixed and calendar windows say where they start (see `fixed-window.ts` and
 * `calendar-window.ts` of core), and that is all that a ledger knows of them.
 */
export function endOf(name: string): NamedEnd {
  if (name === 'total' || name.startsWith('rolling:')) return NEVER;
  const [, unit = '', start = ''] = /^(\w+):(.+)$/.exec(name) ?? [];
  const startsAt = Date.parse(start);
  if (Number.isNaN(startsAt)) return UNKNOWN;
  const calendar = UNITS[unit];
  if (calendar !== undefined) return calendarEnd(startsAt, calendar);
  const end = spanEnd({ fixed: unit }, startsAt);
  return end === null ? UNKNOWN : { earliest: end, latest: end };
}

/** Where a rolling window starts at a time; null for the name of another one. */
export function rollingStart(name: string, at: number): number | null {
  return rollingWindow(name)?.at(at).startsAt ?? null;
}

/**
 * What is needed of a window to make its record: when it is over, where it is, then its length and
 * resolution, where it is rolling.
 */
export function madeOf(name: string, at: number): (number | '')[] {
  const rolling = rollingWindow(name);
  const endsAt = at < endOf(name).earliest ? '' : at;
  return [endsAt, rolling?.lengthMs ?? '', rolling?.resolutionMs ?? ''];
}

function rollingWindow(name: string): Window | null {
  const [, rolling, resolution] = /^rolling:([^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  if (rolling === undefined) return null;
  return compileWindow({ rolling, ...(resolution === undefined ? {} : { resolution }) });
}

function spanEnd(spec: WindowSpec, at: number): number | null {
  try {
    return compileWindow(spec).at(at).endsAt;
  } catch {
    return null;
  }
}

/** Of a window that starts at midnight somewhere; the length of its days, and its anchor, may vary. */
function calendarEnd(
  startsAt: number,
  [months, days]: readonly [months: number, days: number],
): NamedEnd {
  const sinceMidnight = startsAt - Math.floor(startsAt / DAY_MS) * DAY_MS;
  const zones = [-sinceMidnight, DAY_MS - sinceMidnight].filter((zone) => {
    return zone >= -12 * HOUR_MS && zone <= 14 * HOUR_MS;
  });
  const ends = zones.map((zone) => {
    const date = new Date(startsAt + zone);
    const [year, month, day] = [
      date.getUTCFullYear(),
      date.getUTCMonth() + months,
      date.getUTCDate(),
    ];
    const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    return Date.UTC(year, month, months > 0 ? Math.min(day, last) : day + days) - zone;
  });
  const slack = 2 * HOUR_MS;
  // A window that begins on the last of a month may end up to three days later in another.
  const clamped = months > 0 ? 3 * DAY_MS : 0;
  return { earliest: Math.min(...ends) - slack, latest: Math.max(...ends) + clamped + slack };
}
