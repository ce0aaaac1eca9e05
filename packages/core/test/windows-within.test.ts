import { expect, test } from 'vitest';
import { compileWindow, type WindowSpec } from '../src/index.ts';
import { mostWindowsWithin } from '../src/lints/windows-within.ts';
import { DAY, HOUR } from './support/clock.ts';

const SPECS: WindowSpec[] = [
  { fixed: '1h' },
  { fixed: '5h' },
  { fixed: '1d' },
  { fixed: '7d' },
  { calendar: 'day' },
  { calendar: 'day', timeZone: 'America/New_York' },
  { calendar: 'week' },
  { calendar: 'week', weekStart: 'sunday', timeZone: 'Europe/Paris' },
  { calendar: 'month' },
  { calendar: 'month', anchorDay: 31, timeZone: 'America/New_York' },
  { calendar: 'quarter' },
  { calendar: 'quarter', anchorDay: 31 },
  { calendar: 'year' },
  'total',
];
const START = Date.UTC(2023, 0, 1);
const HOURS = (Date.UTC(2027, 0, 1) - START) / HOUR;

/** The windows that a kind had in every hour of four years. */
const idsOf = new Map(
  SPECS.map((spec) => {
    const window = compileWindow(spec);
    return [spec, Array.from({ length: HOURS }, (_, hour) => window.at(START + hour * HOUR).id)];
  }),
);

/** The most inner windows that a window of the outer kind had a part in. */
function mostSeen(outer: WindowSpec, inner: WindowSpec): number {
  const [around, within] = [idsOf.get(outer) as string[], idsOf.get(inner) as string[]];
  let [count, most] = [0, 0];
  for (const [hour, id] of within.entries()) {
    if (around[hour] !== around[hour - 1]) count = 1;
    else if (id !== within[hour - 1]) count += 1;
    most = Math.max(most, count);
  }
  return most;
}

test.each(SPECS.map((spec) => [JSON.stringify(spec), spec] as const))(
  'no window of %s has a part in more windows than is said, whatever their kind',
  (_, outer) => {
    for (const inner of SPECS) {
      const said = mostWindowsWithin(compileWindow(outer), compileWindow(inner));
      if (said === Number.POSITIVE_INFINITY) continue;
      expect(said, JSON.stringify(inner)).toBeGreaterThanOrEqual(mostSeen(outer, inner));
    }
  },
);

test.each([
  [{ calendar: 'day' }, { fixed: '1h' }, 24],
  [{ calendar: 'day', timeZone: 'Europe/Paris' }, { fixed: '1h' }, 26],
  [{ calendar: 'month' }, { calendar: 'day' }, 31],
  [{ calendar: 'year' }, { calendar: 'month' }, 12],
  [{ fixed: '1d' }, { fixed: '1h' }, 24],
  [{ calendar: 'day' }, { rolling: '1h' }, 24],
  ['total', { fixed: '1h' }, Number.POSITIVE_INFINITY],
  [{ fixed: '1h' }, 'total', 1],
] as [WindowSpec, WindowSpec, number][])('%j has %j: %d', (outer, inner, count) => {
  expect(mostWindowsWithin(compileWindow(outer), compileWindow(inner))).toBe(count);
});

test('a rolling window is filled by so many others of its kind', () => {
  const day = compileWindow({ rolling: '24h', resolution: '1h' });
  const hour = compileWindow({ rolling: '1h' });
  // It counts up to one slot more than its length.
  expect(mostWindowsWithin(day, hour)).toBe((DAY + HOUR) / HOUR);
});
