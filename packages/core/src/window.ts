import { calendarWindow } from './calendar-window.ts';
import { ConfigError } from './errors.ts';
import { fixedWindow } from './fixed-window.ts';
import { rollingWindow } from './rolling-window.ts';

export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

export type Weekday =
  | 'monday'
  | 'tuesday'
  | 'wednesday'
  | 'thursday'
  | 'friday'
  | 'saturday'
  | 'sunday';

/** Spans of one length, aligned to the epoch. */
export interface FixedWindowSpec {
  /** A duration: `1m`, `24h`. */
  readonly fixed: string;
}

/** Days, weeks, months, quarters or years as the people of a time zone count them. */
export interface CalendarWindowSpec {
  readonly calendar: CalendarUnit;
  /** An IANA zone such as `America/New_York`. @default 'UTC' */
  readonly timeZone?: string;
  /**
   * Of a month, quarter or year: the day of its first month on which it starts, 1 to 31; the last
   * day of a month that is shorter.
   *
   * @default 1
   */
  readonly anchorDay?: number;
  /** Of a week: its first day. @default 'monday' */
  readonly weekStart?: Weekday;
}

/** The last stretch of time, at every moment. */
export interface RollingWindowSpec {
  /** A duration: `24h`, `7d`. */
  readonly rolling: string;
  /** A duration: how finely spend leaves the window. @default about a sixtieth of the length */
  readonly resolution?: string;
}

/** When a budget starts anew. `'total'` is never. */
export type WindowSpec = FixedWindowSpec | CalendarWindowSpec | RollingWindowSpec | 'total';

/** The times [startsAt, endsAt) that count together, in ms since the epoch; null is without end. */
export interface WindowSpan {
  /**
   * Says where counting began, so it is the same in every process: what is counted under a new id
   * starts at 0, and nothing has to run at midnight.
   */
  readonly id: string;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

interface WindowBase {
  readonly spec: WindowSpec;
  /**
   * The span that a time is in.
   *
   * @param now ms since the epoch, at most 2.5e14 from it (about the year 9892).
   * @throws RangeError for a number that is none.
   */
  at(now: number): WindowSpan;
}

export interface FixedWindow extends WindowBase {
  readonly kind: 'fixed';
  readonly lengthMs: number;
  readonly resolutionMs: null;
}

export interface CalendarWindow extends WindowBase {
  readonly spec: CalendarWindowSpec;
  readonly kind: 'calendar';
  readonly lengthMs: null;
  readonly resolutionMs: null;
}

export interface RollingWindow extends WindowBase {
  readonly kind: 'rolling';
  readonly lengthMs: number;
  /** Width of a slot. */
  readonly resolutionMs: number;
  /** Start of the slot that a time is in. It counts at `t` while `at(t).startsAt <= slot`. */
  slotOf(now: number): number;
  /** The first ms at which a slot, given by its start, is out of the window. */
  slotLeavesAt(slot: number): number;
}

interface TotalWindow extends WindowBase {
  readonly kind: 'total';
  readonly lengthMs: null;
  readonly resolutionMs: null;
}

/** A window specification that was found sound, ready to answer. */
export type Window = FixedWindow | CalendarWindow | RollingWindow | TotalWindow;

const TOTAL: WindowSpan = { id: 'total', startsAt: null, endsAt: null };

const KEYS: Readonly<Record<string, readonly string[]>> = {
  fixed: ['fixed'],
  calendar: ['calendar', 'timeZone', 'anchorDay', 'weekStart'],
  rolling: ['rolling', 'resolution'],
};

/**
 * Checks a window and makes it answer. `{ fixed: '1d' }` (24 hours from 00:00 UTC),
 * `{ calendar: 'day' }` (from midnight in a zone, 23 to 25 hours) and `{ rolling: '24h' }` (the
 * last 24 hours) are three different things.
 *
 * @param where what is configured; opens the messages. @default 'window'
 * @throws ConfigError for anything that is not a window, saying what to write instead.
 */
export function compileWindow(spec: WindowSpec, where = 'window'): Window {
  if (spec === 'total') {
    return { spec, kind: 'total', lengthMs: null, resolutionMs: null, at: () => TOTAL };
  }
  checkKeys(spec, where);
  if ('fixed' in spec) return fixedWindow(spec, where);
  if ('calendar' in spec) return calendarWindow(spec, where);
  return rollingWindow(spec, where);
}

function checkKeys(spec: unknown, where: string): void {
  const forms = '`{ fixed: 1m }`, `{ calendar: day }`, `{ rolling: 24h }` or `total`';
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) {
    throw new ConfigError(
      `${where}: ${JSON.stringify(spec) ?? 'nothing'} is not a window. Write ${forms}.`,
    );
  }
  const keys = Object.keys(spec);
  const kinds = keys.filter((key) => Object.hasOwn(KEYS, key));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const found = kinds.length > 1 ? `both \`${kinds.join('` and `')}\`` : 'no kind of window';
    throw new ConfigError(`${where}: has ${found}. Write one of ${forms}.`);
  }
  const known = KEYS[kind] as readonly string[];
  for (const key of keys) {
    if (known.includes(key)) continue;
    const allowed = known.length > 1 ? `\`${known.slice(1).join('`, `')}\`` : 'nothing else';
    throw new ConfigError(
      `${where}: a ${kind} window has no \`${key}\`. Beside \`${kind}\` it takes ${allowed}.`,
    );
  }
}
