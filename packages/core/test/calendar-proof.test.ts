import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CalendarWindowSpec, compileWindow, type Weekday } from '../src/window.ts';
import { BruteCalendar } from './support/brute-calendar.ts';

const HOUR = 3_600_000;
const FROM = Date.UTC(2000, 0);
const UNTIL = Date.UTC(2033, 0);

const WEEKDAYS: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];
const ANCHOR_DAYS = [1, 2, 15, 28, 29, 30, 31];

const SPECS: readonly CalendarWindowSpec[] = [
  { calendar: 'day' },
  ...WEEKDAYS.map((weekStart) => ({ calendar: 'week' as const, weekStart })),
  ...(['month', 'quarter', 'year'] as const).flatMap((calendar) =>
    ANCHOR_DAYS.map((anchorDay) => ({ calendar, anchorDay })),
  ),
];

// How long days last in a zone says whether what is to be proved occurs in it at all.
const ZONES: readonly (readonly [zone: string, what: string, hours: readonly number[]])[] = [
  ['UTC', 'no summer time', [24]],
  ['America/New_York', 'summer time of the north', [23, 24, 25]],
  ['America/Santiago', 'summer time of the south, which takes midnight away', [23, 24, 25]],
  ['Australia/Lord_Howe', 'half an hour of summer time', [23.5, 24, 24.5]],
  ['Pacific/Apia', 'a date that was left out, and three years of summer time', [23, 24, 25]],
];

const calendars = new Map(
  ZONES.map(([timeZone]) => [timeZone, new BruteCalendar(timeZone, FROM, UNTIL)]),
);

const periods = new Map<string, readonly number[]>();

function startsOf(spec: CalendarWindowSpec, timeZone: string): readonly number[] {
  const key = JSON.stringify({ ...spec, timeZone });
  const starts = periods.get(key) ?? calendars.get(timeZone)?.startsOf(spec) ?? [];
  periods.set(key, starts);
  return starts;
}

/** The starts of a window's spans, one after the other, as it gives them itself. */
function walked(spec: CalendarWindowSpec, from: number, until: number): number[] {
  const window = compileWindow(spec);
  const starts: number[] = [];
  for (let at = from; at <= until; ) {
    const { startsAt, endsAt } = window.at(at);
    starts.push(startsAt as number);
    at = endsAt as number;
  }
  return starts;
}

describe.each(ZONES)('%s: %s', (timeZone, _, hours) => {
  test.each(SPECS)('every period of 33 years begins when it should: %j', (spec) => {
    const starts = startsOf(spec, timeZone);
    const [first = 0] = starts;
    expect(walked({ ...spec, timeZone }, first, starts.at(-1) ?? 0)).toEqual(starts);
  });

  test(`has days of ${hours.join(', ')} hours`, () => {
    const starts = startsOf({ calendar: 'day' }, timeZone);
    const lengths = new Set(starts.slice(1).map((at, index) => (at - (starts[index] ?? 0)) / HOUR));
    expect([...lengths].sort((a, b) => a - b)).toEqual(hours);
  });
});

test('any moment is in the period that began last, and ends where the next begins', () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`calendar periods: seed ${seed}`);
  const distance = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -4e7, max: 4e7 }));
  const moment = fc.record({
    spec: fc.constantFrom(...SPECS),
    timeZone: fc.constantFrom(...calendars.keys()),
    nth: fc.nat(),
    distance,
  });
  fc.assert(
    fc.property(moment, ({ spec, timeZone, nth, distance }) => {
      const starts = startsOf(spec, timeZone);
      const index = 1 + (nth % (starts.length - 2));
      const at = (starts[index] as number) + distance;
      const nextIndex = starts.findIndex((start) => start > at);
      const startsAt = starts[nextIndex - 1] as number;
      const second = new Date(startsAt).toISOString().replace('.000Z', 'Z');
      expect(compileWindow({ ...spec, timeZone }).at(at)).toEqual({
        id: `${spec.calendar}:${second}`,
        startsAt,
        endsAt: starts[nextIndex],
      });
    }),
    { seed, numRuns: 1_000 },
  );
});
