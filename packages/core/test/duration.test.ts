import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../src/duration.ts';
import { ConfigError } from '../src/errors.ts';

const where = 'window.fixed';

function messageOf(text: unknown): string {
  try {
    parseDuration(text as string, where);
  } catch (error) {
    expect(ConfigError.isInstance(error)).toBe(true);
    return (error as Error).message;
  }
  throw new Error(`"${text}" was accepted.`);
}

describe('case C-41: durations', () => {
  test.each([
    ['250ms', 250],
    ['1s', 1_000],
    ['1m', 60_000],
    ['24h', 86_400_000],
    ['1d', 86_400_000],
    ['7d', 604_800_000],
    ['1w', 604_800_000],
    ['30d', 2_592_000_000],
    ['36500d', 3_153_600_000_000],
  ])('%s', (text, ms) => {
    expect(parseDuration(text, where)).toBe(ms);
  });

  test.each([
    ['1M', 'write `{ calendar: month }`, or days such as "30d"'],
    ['1mo', 'write `{ calendar: month }`'],
    ['3 months', 'write `{ calendar: month }`'],
    ['1q', 'write `{ calendar: quarter }`'],
    ['2y', 'write `{ calendar: year }`, or days such as "365d"'],
    ['7days', 'Write "7d"'],
    ['5min', 'Write "5m"'],
    ['1 hour', 'Write "1h"'],
    ['24H', 'Write "24h"'],
    ['2 weeks', 'Write "2w"'],
    ['1.5h', 'Write "90m"'],
    ['0.5d', 'Write "12h"'],
    ['0m', 'no time at all'],
    ['0', 'Write the unit too'],
    ['-1m', 'Write a whole number'],
    ['+1m', 'Write a whole number'],
    ['', 'Write a whole number'],
    [' ', 'Write a whole number'],
    [' 1m', 'Write "1m"'],
    ['1m\n', 'Write "1m"'],
    ['1 m', 'Write "1m"'],
    ['60', 'Write the unit too, such as "60s"'],
    ['1h30m', 'Write a whole number'],
    ['1e3s', 'Write a whole number'],
    ['1x', 'Write a whole number'],
    ['m', 'Write a whole number'],
    ['٣m', 'Write a whole number'],
    ['36501d', 'Write `window: total`'],
    [`${'9'.repeat(400)}w`, 'Write `window: total`'],
  ])('%j is refused', (text, advice) => {
    const message = messageOf(text);
    expect(message).toContain(advice);
    expect(message.startsWith(`${where}: `)).toBe(true);
  });

  test.each([60, null, undefined, {}, ['1m'], true])('%j is refused', (value) => {
    expect(messageOf(value)).toMatch(/is not a duration\. Write/);
  });
});

test('one spelling for each length, which parses back', () => {
  expect(['60s', '60m', '1d', '24h', '7d', '1w', '1500ms'].map(respelt)).toEqual([
    '1m',
    '1h',
    '24h',
    '24h',
    '7d',
    '7d',
    '1500ms',
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_153_600_000_000 }), (ms) => {
      expect(parseDuration(formatDuration(ms), where)).toBe(ms);
    }),
  );
});

function respelt(text: string): string {
  return formatDuration(parseDuration(text, where));
}
