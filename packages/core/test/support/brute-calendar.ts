import type { CalendarWindowSpec, Weekday } from '../../src/window.ts';

const HALF_HOUR = 1_800_000;
const DAY = 86_400_000;

// As `Date` numbers them.
const WEEKDAYS: readonly Weekday[] = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
];

const MONTHS = { day: 0, week: 0, month: 1, quarter: 3, year: 12 };

interface Day {
  readonly date: string;
  readonly firstMoment: number;
}

/**
 * A calendar that shares nothing with the one under test: it asks Intl what date it is at every half
 * hour of some years, and does its sums with UTC dates. It knows zones whose clocks change by whole
 * half hours.
 */
export class BruteCalendar {
  readonly #days: Day[] = [];

  constructor(timeZone: string, from: number, until: number) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    let latest = '';
    for (let at = from; at < until; at += HALF_HOUR) {
      const date = format.format(at);
      if (date <= latest) continue;
      this.#days.push({ date, firstMoment: at });
      latest = date;
    }
    // The date of `from` may have begun before it.
    this.#days.shift();
  }

  /** When the periods of a window begin, ascending. A date that was left out begins with the next. */
  startsOf(spec: CalendarWindowSpec): number[] {
    const starts = new Set<number>();
    let index = 0;
    for (const date of this.#firstDates(spec)) {
      while ((this.#days[index]?.date ?? '~') < date) index += 1;
      const day = this.#days[index];
      if (day !== undefined) starts.add(day.firstMoment);
    }
    return [...starts];
  }

  /** First dates of periods, whether the zone had them or not, ascending. */
  *#firstDates(spec: CalendarWindowSpec): Generator<string> {
    const first = this.#days[0]?.date ?? '';
    const last = this.#days.at(-1)?.date ?? '';
    for (let at = Date.parse(first); ; at += DAY) {
      const date = new Date(at).toISOString().slice(0, 10);
      if (date > last) return;
      if (isFirstDate(date, spec)) yield date;
    }
  }
}

function isFirstDate(date: string, spec: CalendarWindowSpec): boolean {
  const { calendar, weekStart = 'monday', anchorDay = 1 } = spec;
  const day = new Date(date);
  if (calendar === 'day') return true;
  if (calendar === 'week') return WEEKDAYS[day.getUTCDay()] === weekStart;
  if (day.getUTCMonth() % MONTHS[calendar] !== 0) return false;
  const isLastOfMonth = new Date(day.getTime() + DAY).getUTCDate() === 1;
  return day.getUTCDate() === anchorDay || (isLastOfMonth && day.getUTCDate() < anchorDay);
}
