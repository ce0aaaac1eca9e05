import type { CalendarUnit, CalendarWindow, Window } from '../window.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Fewest and most days of a span of the calendar, whatever the day on which it starts. */
const DAYS: Readonly<Record<CalendarUnit, readonly [number, number]>> = {
  day: [1, 1],
  week: [7, 7],
  month: [28, 31],
  quarter: [89, 92],
  year: [365, 366],
};

/** How many spans of the calendar one of another kind has, where none of them goes over its end. */
const NESTED: Readonly<Record<string, number>> = {
  'day in week': 7,
  'day in month': 31,
  'day in quarter': 92,
  'day in year': 366,
  'month in quarter': 3,
  'month in year': 12,
  'quarter in year': 4,
};

/** The most windows of one kind that a window of another can have a part in; at least 1. */
export function mostWindowsWithin(outer: Window, inner: Window): number {
  if (inner.kind === 'total' || isSame(outer, inner)) return 1;
  if (outer.kind === 'total') return Number.POSITIVE_INFINITY;
  const nested = nestedIn(outer, inner);
  if (nested !== undefined) return nested;
  const spans = Math.ceil(longest(outer) / shortest(inner));
  // What any stretch of time has, a rolling window has had; others begin when they begin.
  return inner.kind === 'rolling' || isAligned(outer, inner) ? spans : spans + 1;
}

function isSame(one: Window, other: Window): boolean {
  if (one.kind === 'calendar' && other.kind === 'calendar') {
    return one.spec.calendar === other.spec.calendar && hasSameStart(one, other);
  }
  return one.kind === other.kind && one.lengthMs === other.lengthMs;
}

function hasSameStart({ spec: one }: CalendarWindow, { spec: other }: CalendarWindow): boolean {
  return (
    (one.timeZone ?? 'UTC') === (other.timeZone ?? 'UTC') &&
    (one.anchorDay ?? 1) === (other.anchorDay ?? 1) &&
    (one.weekStart ?? 'monday') === (other.weekStart ?? 'monday')
  );
}

function nestedIn(outer: Window, inner: Window): number | undefined {
  if (outer.kind !== 'calendar' || inner.kind !== 'calendar') return undefined;
  const count = NESTED[`${inner.spec.calendar} in ${outer.spec.calendar}`];
  // Days begin with whatever they are part of; months only with those that have their anchor.
  const isDay = inner.spec.calendar === 'day';
  const sameZone = (outer.spec.timeZone ?? 'UTC') === (inner.spec.timeZone ?? 'UTC');
  return sameZone && (isDay || hasSameStart(outer, inner)) ? count : undefined;
}

/** Whether an outer window begins and ends where inner ones do. */
function isAligned(outer: Window, inner: Window): boolean {
  if (inner.kind !== 'fixed') return false;
  if (outer.kind === 'fixed') return outer.lengthMs % inner.lengthMs === 0;
  return outer.kind === 'calendar' && isUtc(outer) && DAY % inner.lengthMs === 0;
}

function isUtc({ spec }: CalendarWindow): boolean {
  return (spec.timeZone ?? 'UTC') === 'UTC';
}

function longest(window: Window): number {
  if (window.kind === 'calendar') return lengthOf(window, 1);
  // A rolling window counts up to one slot too much.
  return (window.lengthMs ?? Number.POSITIVE_INFINITY) + (window.resolutionMs ?? 0);
}

function shortest(window: Window): number {
  return window.kind === 'calendar' ? lengthOf(window, -1) : (window.lengthMs as number);
}

/** The length of a span of the calendar, with an hour more or less where clocks change. */
function lengthOf(window: CalendarWindow, sign: 1 | -1): number {
  const [least, most] = DAYS[window.spec.calendar];
  return (sign > 0 ? most : least) * DAY + (isUtc(window) ? 0 : sign * HOUR);
}
