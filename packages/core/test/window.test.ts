import { describe, expect, test } from 'vitest';
import { ConfigError } from '../src/errors.ts';
import { compileWindow, type WindowSpec } from '../src/window.ts';

const NOW = Date.parse('2026-11-30T03:21:45.678Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const utc = (text: string) => Date.parse(text);

describe('fixed', () => {
  test('is aligned to the epoch and names its length and start', () => {
    const window = compileWindow({ fixed: '1m' });
    expect(window).toMatchObject({ kind: 'fixed', lengthMs: MINUTE, resolutionMs: null });
    expect(window.at(NOW)).toEqual({
      id: '1m:2026-11-30T03:21:00Z',
      startsAt: utc('2026-11-30T03:21:00Z'),
      endsAt: utc('2026-11-30T03:22:00Z'),
    });
  });

  test('starts at its boundary, to the millisecond', () => {
    const window = compileWindow({ fixed: '1m' });
    const boundary = utc('2026-11-30T03:22:00Z');
    expect(window.at(boundary - 1).endsAt).toBe(boundary);
    expect(window.at(boundary).startsAt).toBe(boundary);
  });

  test('before the epoch', () => {
    expect(compileWindow({ fixed: '1d' }).at(-1)).toEqual({
      id: '24h:1969-12-31T00:00:00Z',
      startsAt: -DAY,
      endsAt: 0,
    });
  });

  test('one id for one length, however it is spelt', () => {
    expect(compileWindow({ fixed: '60s' }).at(NOW)).toEqual(compileWindow({ fixed: '1m' }).at(NOW));
  });

  test('milliseconds in an id where the boundary has some', () => {
    expect(compileWindow({ fixed: '250ms' }).at(NOW).id).toBe('250ms:2026-11-30T03:21:45.500Z');
  });
});

describe('total', () => {
  test('never starts and never ends', () => {
    const window = compileWindow('total');
    expect(window).toMatchObject({ kind: 'total', lengthMs: null, resolutionMs: null });
    expect(window.at(NOW)).toEqual({ id: 'total', startsAt: null, endsAt: null });
  });
});

describe('rolling', () => {
  function rolling(spec: { rolling: string; resolution?: string }) {
    const window = compileWindow(spec);
    if (window.kind !== 'rolling') throw new Error('not a rolling window');
    return window;
  }

  test.each([
    ['500ms', 500],
    ['10s', 1_000],
    ['1m', 1_000],
    ['10m', 10_000],
    ['1h', MINUTE],
    ['24h', 30 * MINUTE],
    ['7d', 3 * HOUR],
    ['30d', 12 * HOUR],
    ['365d', 7 * DAY],
    ['36500d', 609 * DAY],
  ])('%s is kept in slots of %d ms', (length, resolutionMs) => {
    expect(rolling({ rolling: length }).resolutionMs).toBe(resolutionMs);
  });

  test('starts at a slot, at most one slot too early', () => {
    const window = rolling({ rolling: '24h' });
    expect(window.at(NOW)).toEqual({
      id: 'rolling:24h',
      startsAt: utc('2026-11-29T03:00:00Z'),
      endsAt: null,
    });
    expect(window.at(utc('2026-11-30T03:30:00Z')).startsAt).toBe(utc('2026-11-29T03:30:00Z'));
    expect(window.at(utc('2026-11-30T03:29:59.999Z')).startsAt).toBe(utc('2026-11-29T03:00:00Z'));
  });

  test('a slot stays until all of it is older than the window', () => {
    const window = rolling({ rolling: '1h', resolution: '10m' });
    const slot = window.slotOf(NOW);
    const leavesAt = window.slotLeavesAt(slot);
    expect(slot).toBe(utc('2026-11-30T03:20:00Z'));
    expect(leavesAt).toBe(utc('2026-11-30T04:30:00Z'));
    expect(window.at(leavesAt - 1).startsAt).toBe(slot);
    expect(window.at(leavesAt).startsAt).toBe(slot + 10 * MINUTE);
  });

  test('the id says the resolution only where it is not the default', () => {
    const id = (resolution: string) => rolling({ rolling: '24h', resolution }).at(NOW).id;
    expect(id('30m')).toBe('rolling:24h');
    expect(id('1h')).toBe('rolling:24h/1h');
    expect(rolling({ rolling: '1d' }).at(NOW).id).toBe('rolling:24h');
  });

  test.each([
    ['25h', 'Write at most "24h"'],
    ['59s', 'Write at least "1m"'],
  ])('a resolution of %s for 24h is refused', (resolution, advice) => {
    expect(() => rolling({ rolling: '24h', resolution })).toThrow(advice);
  });

  test('1,440 slots are the most', () => {
    expect(rolling({ rolling: '24h', resolution: '1m' }).resolutionMs).toBe(MINUTE);
    expect(() => rolling({ rolling: '1441s', resolution: '1s' })).toThrow('Write at least "2s"');
  });
});

test('fixed 1d, calendar day and rolling 24h are three things', () => {
  const now = utc('2026-03-08T12:00:00Z');
  const spans = [
    compileWindow({ fixed: '1d' }).at(now),
    compileWindow({ calendar: 'day', timeZone: 'America/New_York' }).at(now),
    compileWindow({ rolling: '24h' }).at(now),
  ];
  expect(spans).toEqual([
    { id: '24h:2026-03-08T00:00:00Z', startsAt: now - 12 * HOUR, endsAt: now + 12 * HOUR },
    { id: 'day:2026-03-08T05:00:00Z', startsAt: now - 7 * HOUR, endsAt: now + 16 * HOUR },
    { id: 'rolling:24h', startsAt: now - DAY, endsAt: null },
  ]);
  const calendarUtc = compileWindow({ calendar: 'day' }).at(now);
  expect(calendarUtc.id).toBe('day:2026-03-08T00:00:00Z');
});

describe('case C-37: a reset is a new id, with nothing to set to zero', () => {
  test.each<[WindowSpec]>([
    [{ fixed: '1m' }],
    [{ calendar: 'day', timeZone: 'Asia/Shanghai' }],
    [{ calendar: 'month', anchorDay: 31 }],
  ])('%j', (spec) => {
    const window = compileWindow(spec);
    const before = window.at(NOW);
    const after = window.at(before.endsAt as number);
    expect(after.id).not.toBe(before.id);
    expect(after.startsAt).toBe(before.endsAt);
    // Another process, started later, names both the same.
    expect(compileWindow(spec).at(NOW).id).toBe(before.id);
  });
});

describe('what is not a window', () => {
  test.each<[unknown, string]>([
    ['month', 'Write `{ fixed: 1m }`'],
    ['1m', 'Write `{ fixed: 1m }`'],
    [null, 'Write `{ fixed: 1m }`'],
    [undefined, 'Write `{ fixed: 1m }`'],
    [60, 'Write `{ fixed: 1m }`'],
    [[], 'Write `{ fixed: 1m }`'],
    [{}, 'has no kind of window'],
    [{ timeZone: 'UTC' }, 'has no kind of window'],
    [{ fixed: '1m', rolling: '1h' }, 'has both `fixed` and `rolling`'],
    [{ fixed: '1m', timeZone: 'UTC' }, 'a fixed window has no `timeZone`'],
    [{ calendar: 'day', resolution: '1m' }, 'a calendar window has no `resolution`'],
    [{ rolling: '1h', weekStart: 'monday' }, 'a rolling window has no `weekStart`'],
    [{ fixed: '1mo' }, 'window.fixed: "1mo" is not a duration'],
    [{ rolling: 3600 }, 'window.rolling: 3600 is not a duration'],
    [{ rolling: '1h', resolution: '0m' }, 'window.resolution: "0m" is no time at all'],
    [{ calendar: 'hour' }, 'Write `{ fixed: 1h }`'],
    [{ calendar: 'monthly' }, 'Write one of day, week, month, quarter, year'],
    [{ calendar: 'toString' }, 'Write one of day'],
    [{ calendar: undefined }, 'Write one of day'],
  ])('%j', (spec, advice) => {
    expect(() => compileWindow(spec as WindowSpec)).toThrow(ConfigError);
    expect(() => compileWindow(spec as WindowSpec)).toThrow(advice);
  });

  test('the message says where', () => {
    const compile = () => compileWindow({ fixed: '1M' }, 'budget "tpm": window');
    expect(compile).toThrow(/^budget "tpm": window\.fixed: "1M"/);
  });
});

describe('a time', () => {
  const windows = [{ fixed: '1m' }, { calendar: 'day' }, { rolling: '1h' }] as const;

  test.each(windows)('that is none is refused by %j', (spec) => {
    const window = compileWindow(spec);
    window.at(NOW);
    for (const now of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => window.at(now)).toThrow(RangeError);
    }
  });

  test.each(windows)('with a fraction of a ms is taken by %j', (spec) => {
    expect(compileWindow(spec).at(NOW + 0.5)).toEqual(compileWindow(spec).at(NOW));
  });
});
