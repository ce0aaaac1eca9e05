import { describe, expect, test } from 'vitest';
import { ConfigError } from '../src/errors.ts';
import { type CalendarWindowSpec, compileWindow, type WindowSpec } from '../src/window.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const utc = (text: string) => Date.parse(text);

function spanAt(spec: CalendarWindowSpec, at: string) {
  const { startsAt, endsAt, id } = compileWindow(spec).at(utc(at));
  if (startsAt === null || endsAt === null) throw new Error('a calendar span has two ends');
  return { id, startsAt, endsAt, hours: (endsAt - startsAt) / HOUR };
}

/** Local wall clock of an instant, by Intl: an implementation that shares nothing with ours. */
function wallClock(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(ms);
}

describe('days when the clocks change', () => {
  const day: CalendarWindowSpec = { calendar: 'day', timeZone: 'America/New_York' };

  test('2026-03-08 in New York has 23 hours', () => {
    expect(spanAt(day, '2026-03-08T12:00:00Z')).toEqual({
      id: 'day:2026-03-08T05:00:00Z',
      startsAt: utc('2026-03-08T05:00:00Z'),
      endsAt: utc('2026-03-09T04:00:00Z'),
      hours: 23,
    });
  });

  test('2026-11-01 in New York has 25 hours', () => {
    expect(spanAt(day, '2026-11-01T12:00:00Z')).toEqual({
      id: 'day:2026-11-01T04:00:00Z',
      startsAt: utc('2026-11-01T04:00:00Z'),
      endsAt: utc('2026-11-02T05:00:00Z'),
      hours: 25,
    });
  });

  test.each([
    ['Asia/Beirut', '2022-03-27T10:00:00Z', '2022-03-27 01:00:00', 23],
    ['America/Sao_Paulo', '2018-11-04T10:00:00Z', '2018-11-04 01:00:00', 23],
    ['America/Havana', '2012-11-04T12:00:00Z', '2012-11-04 00:00:00', 25],
    ['Africa/Cairo', '2023-04-28T10:00:00Z', '2023-04-28 01:00:00', 23],
    ['Australia/Lord_Howe', '2026-04-05T01:00:00Z', '2026-04-05 00:00:00', 24.5],
    ['Australia/Lord_Howe', '2026-10-04T01:00:00Z', '2026-10-04 00:00:00', 23.5],
  ])('%s at %s: starts at %s, %d hours', (timeZone, at, start, hours) => {
    const span = spanAt({ calendar: 'day', timeZone }, at);
    expect(wallClock(span.startsAt, timeZone)).toBe(start);
    expect(span.hours).toBe(hours);
  });

  test('a date that a zone left out is in no span', () => {
    const apia: CalendarWindowSpec = { calendar: 'day', timeZone: 'Pacific/Apia' };
    const before = spanAt(apia, '2011-12-30T09:59:59Z');
    const after = spanAt(apia, '2011-12-30T10:00:00Z');
    expect(wallClock(before.startsAt, 'Pacific/Apia')).toBe('2011-12-29 00:00:00');
    expect(wallClock(after.startsAt, 'Pacific/Apia')).toBe('2011-12-31 00:00:00');
    expect(before.endsAt).toBe(after.startsAt);
  });

  test('an hour that repeats over midnight belongs to the day that had begun', () => {
    // St. John's went back from 00:01 to 23:01 of the day before.
    const stJohns: CalendarWindowSpec = { calendar: 'day', timeZone: 'America/St_Johns' };
    const repeated = spanAt(stJohns, '2006-10-29T02:45:00Z');
    expect(wallClock(utc('2006-10-29T02:45:00Z'), 'America/St_Johns')).toBe('2006-10-28 23:15:00');
    expect(repeated.id).toBe('day:2006-10-29T02:30:00Z');
    expect(repeated.hours).toBe(25);
  });
});

describe('zones', () => {
  test('case C-29: Asia/Shanghai turns at local midnight, to the second', () => {
    const day: CalendarWindowSpec = { calendar: 'day', timeZone: 'Asia/Shanghai' };
    const before = spanAt(day, '2026-11-30T15:59:59Z');
    const midnight = spanAt(day, '2026-11-30T16:00:00Z');
    const after = spanAt(day, '2026-11-30T16:00:01Z');
    expect(before.id).toBe('day:2026-11-29T16:00:00Z');
    expect(midnight.id).toBe('day:2026-11-30T16:00:00Z');
    expect(after).toEqual(midnight);
    expect(before.endsAt).toBe(utc('2026-11-30T16:00:00Z'));
  });

  test('case C-31: a zone is honoured across local midnight', () => {
    const at = '2026-07-01T02:00:00Z';
    expect(spanAt({ calendar: 'day', timeZone: 'America/Los_Angeles' }, at).id).toBe(
      'day:2026-06-30T07:00:00Z',
    );
    expect(spanAt({ calendar: 'day' }, at).id).toBe('day:2026-07-01T00:00:00Z');
    expect(spanAt({ calendar: 'day', timeZone: 'america/los_angeles' }, at)).toEqual(
      spanAt({ calendar: 'day', timeZone: 'America/Los_Angeles' }, at),
    );
  });

  test.each([
    '',
    null,
    5,
    'Mars/Phobos',
    '+05:30',
    '+5.5',
    'UTC+5.5',
    'UTC+5',
    '-0800',
    'PST',
    '5',
    ' UTC',
  ])('case C-31: zone %j is refused when configured', (timeZone) => {
    const compile = () => compileWindow({ calendar: 'day', timeZone } as WindowSpec);
    expect(compile).toThrow(ConfigError);
    expect(compile).toThrow(/^window\.timeZone: .*Write an IANA zone such as "America\/New_York"/);
  });

  test.each([
    ['Asia/Kolkata', '2026-06-14T18:30:00Z'],
    ['Asia/Kathmandu', '2026-06-14T18:15:00Z'],
    ['America/St_Johns', '2026-06-15T02:30:00Z'],
    ['Pacific/Chatham', '2026-06-14T11:15:00Z'],
    ['Pacific/Kiritimati', '2026-06-14T10:00:00Z'],
  ])('%s starts its day at %s', (timeZone, startsAt) => {
    const span = spanAt({ calendar: 'day', timeZone }, startsAt);
    expect(span.startsAt).toBe(utc(startsAt));
    expect(wallClock(span.startsAt, timeZone)).toBe('2026-06-15 00:00:00');
  });
});

describe('months', () => {
  const starts = (spec: CalendarWindowSpec, from: string, count: number) => {
    const window = compileWindow(spec);
    let at = utc(from);
    return Array.from({ length: count }, () => {
      const span = window.at(at);
      at = span.endsAt as number;
      return new Date(span.startsAt as number).toISOString().slice(0, 10);
    });
  };

  test('anchored on 31 start on the last day of a short month, and on 31 again after it', () => {
    expect(starts({ calendar: 'month', anchorDay: 31 }, '2026-01-31T00:00:00Z', 5)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2026-05-31',
    ]);
    expect(starts({ calendar: 'month', anchorDay: 30 }, '2028-02-29T00:00:00Z', 2)).toEqual([
      '2028-02-29',
      '2028-03-30',
    ]);
  });

  test('the day before the anchor is still the month before', () => {
    const month: CalendarWindowSpec = { calendar: 'month', anchorDay: 15, timeZone: 'Asia/Tokyo' };
    expect(spanAt(month, '2026-03-14T14:59:59.999Z').id).toBe('month:2026-02-14T15:00:00Z');
    expect(spanAt(month, '2026-03-14T15:00:00Z').id).toBe('month:2026-03-14T15:00:00Z');
    expect(spanAt(month, '2026-01-01T00:00:00Z').id).toBe('month:2025-12-14T15:00:00Z');
  });

  test('quarters and years', () => {
    expect(starts({ calendar: 'quarter' }, '2026-02-10T00:00:00Z', 5)).toEqual([
      '2026-01-01',
      '2026-04-01',
      '2026-07-01',
      '2026-10-01',
      '2027-01-01',
    ]);
    expect(starts({ calendar: 'quarter', anchorDay: 31 }, '2026-02-10T00:00:00Z', 3)).toEqual([
      '2026-01-31',
      '2026-04-30',
      '2026-07-31',
    ]);
    expect(starts({ calendar: 'year', anchorDay: 6 }, '2026-01-05T23:59:59Z', 3)).toEqual([
      '2025-01-06',
      '2026-01-06',
      '2027-01-06',
    ]);
  });

  test.each(['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland'])(
    'case C-40: on every day of a leap year the month starts with its first instant in %s',
    (timeZone) => {
      const window = compileWindow({ calendar: 'month', timeZone });
      for (let day = 0; day < 366; day++) {
        const now = utc('2028-01-01T12:00:00Z') + day * DAY;
        const { startsAt } = window.at(now);
        const month = wallClock(now, timeZone).slice(0, 7);
        expect(wallClock(startsAt as number, timeZone)).toBe(`${month}-01 00:00:00`);
        expect(wallClock((startsAt as number) - 1, timeZone).slice(0, 7)).not.toBe(month);
      }
    },
  );

  test.each([0, 32, -1, 1.5, Number.NaN, '15', null])(
    'case C-39: anchor day %j is refused',
    (anchorDay) => {
      const spec = { calendar: 'month', anchorDay } as WindowSpec;
      expect(() => compileWindow(spec)).toThrow(ConfigError);
      expect(() => compileWindow(spec)).toThrow('Write a whole number from 1 to 31');
    },
  );

  test.each(['day', 'week'] as const)('a %s has no anchor day', (calendar) => {
    expect(() => compileWindow({ calendar, anchorDay: 1 })).toThrow('window.anchorDay: a');
  });
});

describe('weeks', () => {
  test.each([
    ['monday', '2026-11-30'],
    ['tuesday', '2026-11-24'],
    ['wednesday', '2026-11-25'],
    ['thursday', '2026-11-26'],
    ['friday', '2026-11-27'],
    ['saturday', '2026-11-28'],
    ['sunday', '2026-11-29'],
  ] as const)('from %s: Monday 2026-11-30 is in the week of %s', (weekStart, date) => {
    const span = spanAt({ calendar: 'week', weekStart }, '2026-11-30T03:21:00Z');
    expect(span.id).toBe(`week:${date}T00:00:00Z`);
    expect(span.hours).toBe(168);
  });

  test('start on monday by default', () => {
    expect(spanAt({ calendar: 'week' }, '2026-11-29T23:59:59Z').id).toBe(
      'week:2026-11-23T00:00:00Z',
    );
  });

  test.each(['day', 'month', 'year'] as const)('a %s has no week start', (calendar) => {
    expect(() => compileWindow({ calendar, weekStart: 'monday' })).toThrow('window.weekStart: a');
  });

  test.each(['Monday', 'mon', 1, null])('week start %j is refused', (weekStart) => {
    const spec = { calendar: 'week', weekStart } as WindowSpec;
    expect(() => compileWindow(spec)).toThrow('Write one of monday, tuesday');
  });
});
