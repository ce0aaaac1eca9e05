import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FURTHEST_MS } from '../src/instant.ts';
import { compileWindow, type WindowSpan, type WindowSpec } from '../src/window.ts';

const ZONES = Intl.supportedValuesOf('timeZone');

const zone = fc.constantFrom(...ZONES);
const anchorDay = fc.integer({ min: 1, max: 31 });
const weekStart = fc.constantFrom('monday', 'wednesday', 'saturday', 'sunday');

const fixedSpec = fc
  .tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom('ms', 's', 'm', 'h', 'd'))
  .map(([count, unit]) => ({ fixed: `${count}${unit}` }));
const calendarSpec = fc.oneof(
  fc.record({ calendar: fc.constant('day' as const), timeZone: zone }),
  fc.record({ calendar: fc.constant('week' as const), timeZone: zone, weekStart }),
  fc.record({
    calendar: fc.constantFrom('month', 'quarter', 'year'),
    timeZone: zone,
    anchorDay,
  }),
);
const boundedSpec: fc.Arbitrary<WindowSpec> = fc.oneof(fixedSpec, {
  arbitrary: calendarSpec,
  weight: 3,
});
const rollingSpec = fc.constantFrom<WindowSpec>(
  { rolling: '24h' },
  { rolling: '7m' },
  { rolling: '1h', resolution: '7m' },
  { rolling: '1009s', resolution: '1s' },
  { rolling: '900ms' },
);

const year = (n: number) => Date.UTC(n, 0);
const recent = fc.integer({ min: year(1970), max: year(2100) });
const anyTime = fc.oneof(
  recent,
  fc.integer({ min: -FURTHEST_MS, max: FURTHEST_MS }),
  fc.integer({ min: year(1840), max: year(1970) }),
);

function bounds({ startsAt, endsAt }: WindowSpan): [number, number] {
  if (startsAt === null || endsAt === null) throw new Error('a bounded span has two ends');
  return [startsAt, endsAt];
}

describe('spans of fixed and calendar windows', () => {
  test('tile time: every instant is in one, without gap or overlap', () => {
    fc.assert(
      fc.property(boundedSpec, recent, (spec, now) => {
        const window = compileWindow(spec);
        const span = window.at(now);
        const [startsAt, endsAt] = bounds(span);
        expect(startsAt).toBeLessThanOrEqual(now);
        expect(endsAt).toBeGreaterThan(now);
        expect(window.at(startsAt)).toEqual(span);
        expect(window.at(endsAt - 1)).toEqual(span);
        expect(window.at(endsAt).startsAt).toBe(endsAt);
        expect(window.at(startsAt - 1).endsAt).toBe(startsAt);
        expect(new Set([span.id, window.at(endsAt).id, window.at(startsAt - 1).id]).size).toBe(3);
      }),
      { numRuns: 2_000 },
    );
  });

  test('hold their instant over the whole range of times', () => {
    fc.assert(
      fc.property(boundedSpec, anyTime, (spec, now) => {
        const [startsAt, endsAt] = bounds(compileWindow(spec).at(now));
        expect(startsAt).toBeLessThanOrEqual(now);
        expect(endsAt).toBeGreaterThan(now);
      }),
      {
        numRuns: 2_000,
        examples: [FURTHEST_MS, -FURTHEST_MS].map((now): [WindowSpec, number] => [
          { calendar: 'month', timeZone: 'Asia/Tokyo' },
          now,
        ]),
      },
    );
  });

  test('refuse the time of a clock that counts microseconds', () => {
    const at = Date.UTC(2026, 2, 8) * 1_000;
    fc.assert(
      fc.property(boundedSpec, (spec) => {
        expect(() => compileWindow(spec).at(at)).toThrow(`${at} is not a time in milliseconds`);
      }),
    );
  });

  test('id and start say the same', () => {
    fc.assert(
      fc.property(
        boundedSpec,
        fc.array(anyTime, { minLength: 2, maxLength: 20 }),
        (spec, times) => {
          const spans = times.map((now) => compileWindow(spec).at(now));
          const ids = new Set(spans.map(({ id }) => id));
          const starts = new Set(spans.map(({ startsAt }) => startsAt));
          expect(ids.size).toBe(starts.size);
        },
      ),
    );
  });
});

test('a window with a memory answers like a fresh one, also when time runs backwards', () => {
  const walk = fc.array(
    fc.oneof(fc.integer({ min: -9e7, max: 9e7 }), fc.integer({ min: -9, max: 9 })),
    {
      minLength: 1,
      maxLength: 30,
    },
  );
  fc.assert(
    fc.property(fc.oneof(boundedSpec, rollingSpec), recent, walk, (spec, start, steps) => {
      const window = compileWindow(spec);
      let now = start;
      for (const step of steps) {
        now += step;
        expect(window.at(now)).toEqual(compileWindow(spec).at(now));
      }
    }),
  );
});

test('a rolling window never counts too little, and at most one slot too much', () => {
  fc.assert(
    fc.property(rollingSpec, recent, fc.nat({ max: 2e8 }), (spec, spentAt, later) => {
      const window = compileWindow(spec);
      if (window.kind !== 'rolling') throw new Error('not a rolling window');
      const { lengthMs, resolutionMs } = window;
      const now = spentAt + later;
      const slot = window.slotOf(spentAt);
      const counts = slot >= (window.at(now).startsAt as number);
      if (later <= lengthMs) expect(counts).toBe(true);
      if (later >= lengthMs + resolutionMs) expect(counts).toBe(false);
      expect(counts).toBe(now < window.slotLeavesAt(slot));
    }),
    { numRuns: 1_000 },
  );
});

describe('calendar days against Intl.DateTimeFormat', () => {
  test.each([
    'America/New_York',
    'Europe/Berlin',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Asia/Beirut',
  ])('%s', (timeZone) => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    const window = compileWindow({ calendar: 'day', timeZone });
    const times = fc.integer({ min: year(1990), max: year(2060) });
    fc.assert(
      fc.property(times, (now) => {
        const [startsAt, endsAt] = bounds(window.at(now));
        const date = format.format(now);
        expect(format.format(startsAt)).toBe(date);
        expect(format.format(endsAt - 1)).toBe(date);
        expect(format.format(startsAt - 1)).not.toBe(date);
        expect(format.format(endsAt)).not.toBe(date);
      }),
      { numRuns: 1_000 },
    );
  });
});
