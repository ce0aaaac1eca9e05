import {
  addDays,
  addMonths,
  compare,
  create as createDate,
  dayOfWeek,
  type Record as PlainDate,
  subtractDays,
  toZonedDateTime,
  withDayOfMonth,
} from 'temporal-polyfill/fns/PlainDate';
import { create as createZoned, toPlainDate } from 'temporal-polyfill/fns/ZonedDateTime';
import { ConfigError } from './errors.ts';
import { isoInstant } from './instant.ts';
import { memoiseSpan, type SpanAnswer } from './memo-span.ts';
import type { CalendarUnit, CalendarWindow, CalendarWindowSpec, Weekday } from './window.ts';

/** How the periods of a calendar follow one another, in dates without a zone. */
interface Periods {
  /** First date of the period that a date is in. */
  startOf(date: PlainDate): PlainDate;
  /** First date of the period after the one that starts on a date. */
  after(start: PlainDate): PlainDate;
}

const WEEKDAYS: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];

const MONTHS_IN: Readonly<Partial<Record<CalendarUnit, number>>> = {
  month: 1,
  quarter: 3,
  year: 12,
};

const UNITS: readonly CalendarUnit[] = ['day', 'week', 'month', 'quarter', 'year'];

/**
 * Days, weeks, months, quarters or years of a zone. A period starts with the first moment of its
 * first date, which is not always midnight, and ends where the next one starts, so a day has 23 or
 * 25 hours when the clocks change.
 *
 * Ids are unit and start, `day:2026-03-08T05:00:00Z`: two definitions share an id only where they
 * count from the same moment.
 */
export function calendarWindow(spec: CalendarWindowSpec, where: string): CalendarWindow {
  const { calendar: unit, timeZone = 'UTC' } = spec;
  if (!UNITS.includes(unit)) throw unknownUnit(unit, where);
  const zone = checkedZone(timeZone, where);
  const periods = periodsOf(spec, where);
  const at = memoiseSpan((now) => spanOf(now, unit, zone, periods));
  return { spec, kind: 'calendar', lengthMs: null, resolutionMs: null, at };
}

function spanOf(now: number, unit: CalendarUnit, timeZone: string, periods: Periods): SpanAnswer {
  const today = toPlainDate(createZoned(BigInt(now) * 1_000_000n, timeZone));
  const start = periods.startOf(today);
  let from = firstMoment(start, timeZone);
  let next = periods.after(start);
  let until = firstMoment(next, timeZone);
  // Clocks that go back over midnight repeat a part of the day before; it belongs to the new day,
  // which has begun.
  while (until <= now) {
    next = periods.after(next);
    from = until;
    until = firstMoment(next, timeZone);
  }
  const span = { id: `${unit}:${isoInstant(from)}`, startsAt: from, endsAt: until };
  return { span, from, until };
}

function firstMoment(date: PlainDate, timeZone: string): number {
  return toZonedDateTime(date, timeZone).epochMilliseconds;
}

function periodsOf(spec: CalendarWindowSpec, where: string): Periods {
  const { calendar: unit, anchorDay, weekStart } = spec;
  const months = MONTHS_IN[unit];
  if (anchorDay !== undefined && months === undefined) {
    throw new ConfigError(
      `${where}.anchorDay: a ${unit} has none. ` +
        'Leave it out; `weekStart` chooses the first day of a week.',
    );
  }
  if (weekStart !== undefined && unit !== 'week') {
    throw new ConfigError(
      `${where}.weekStart: a ${unit} has none. ` +
        'Leave it out; `anchorDay` chooses the day on which a month, quarter or year starts.',
    );
  }
  if (months !== undefined) {
    return monthlyPeriods(months, anchorDay === undefined ? 1 : checkedAnchor(anchorDay, where));
  }
  if (unit === 'day') return DAYS;
  return weeklyPeriods(weekStart === undefined ? 1 : isoWeekday(weekStart, where));
}

const DAYS: Periods = { startOf: (date) => date, after: (start) => addDays(start, 1) };

function weeklyPeriods(firstDay: number): Periods {
  return {
    startOf: (date) => subtractDays(date, (dayOfWeek(date) - firstDay + 7) % 7),
    after: (start) => addDays(start, 7),
  };
}

function monthlyPeriods(months: number, anchorDay: number): Periods {
  // The day is set anew in each month, so that after the 28th of February comes the 31st of March.
  const anchored = (firstOfMonth: PlainDate) => withDayOfMonth(firstOfMonth, anchorDay);
  return {
    startOf(date) {
      const { year, month } = date;
      const first = createDate(year, month - ((month - 1) % months), 1);
      const start = anchored(first);
      return compare(date, start) < 0 ? anchored(addMonths(first, -months)) : start;
    },
    after: (start) => anchored(addMonths(withDayOfMonth(start, 1), months)),
  };
}

function checkedZone(timeZone: string, where: string): string {
  const advice = 'Write an IANA zone such as "America/New_York", "Asia/Kolkata" or "UTC".';
  // Temporal also takes offsets such as "+05:30", which know nothing of summer time.
  const isName = typeof timeZone === 'string' && /^[A-Za-z]/.test(timeZone);
  if (!isName) {
    throw new ConfigError(
      `${where}.timeZone: ${JSON.stringify(timeZone)} is not a time zone. ${advice}`,
    );
  }
  try {
    return createZoned(0n, timeZone).timeZoneId;
  } catch (cause) {
    throw new ConfigError(`${where}.timeZone: "${timeZone}" is not a known time zone. ${advice}`, {
      cause,
    });
  }
}

function checkedAnchor(day: number, where: string): number {
  if (Number.isInteger(day) && day >= 1 && day <= 31) return day;
  throw new ConfigError(
    `${where}.anchorDay: ${JSON.stringify(day)} is not a day of a month. ` +
      'Write a whole number from 1 to 31; in a shorter month 31 means its last day.',
  );
}

/** Number of a weekday, monday being 1, as in ISO 8601. */
function isoWeekday(day: Weekday, where: string): number {
  const index = WEEKDAYS.indexOf(day);
  if (index >= 0) return index + 1;
  throw new ConfigError(
    `${where}.weekStart: ${JSON.stringify(day)} is not a day of the week. Write one of ` +
      `${WEEKDAYS.join(', ')}.`,
  );
}

function unknownUnit(unit: unknown, where: string): ConfigError {
  const fixed: Readonly<Record<string, string>> = { second: '1s', minute: '1m', hour: '1h' };
  const advice =
    typeof unit === 'string' && Object.hasOwn(fixed, unit)
      ? `Write \`{ fixed: ${fixed[unit]} }\`.`
      : `Write one of ${UNITS.join(', ')}.`;
  return new ConfigError(
    `${where}.calendar: ${JSON.stringify(unit)} is not a span of the calendar. ${advice}`,
  );
}
