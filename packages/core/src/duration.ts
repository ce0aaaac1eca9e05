import { ConfigError } from './errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The longest duration, in ms: a hundred years of 365 days. */
const MAX_DURATION_MS = 36_500 * 86_400_000;

const DURATION = /^(\d+)(ms|s|m|h|d|w)$/;

/** Spans that have no fixed length, so that only a calendar window can mean them. */
const CALENDAR: Readonly<Record<string, readonly string[]>> = {
  mo: ['month', '30d'],
  q: ['quarter', '90d'],
  y: ['year', '365d'],
};

/**
 * Milliseconds of a duration: a positive integer and one of `ms`, `s`, `m` (minutes), `h`, `d`
 * (24 h) and `w` (7 d), with nothing between or around them.
 *
 * @param where what the text configures, such as `window.fixed`; opens the message.
 * @throws ConfigError for anything else, saying what to write instead.
 */
export function parseDuration(text: string, where: string): number {
  const match = typeof text === 'string' ? DURATION.exec(text) : null;
  if (match === null) throw notADuration(text, where);
  const ms = Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  if (ms === 0) {
    throw new ConfigError(`${where}: "${text}" is no time at all. Write a length such as "1m".`);
  }
  if (ms > MAX_DURATION_MS) {
    throw new ConfigError(
      `${where}: "${text}" is longer than a hundred years. ` +
        'Write `window: total` for a limit that never resets.',
    );
  }
  return ms;
}

/**
 * The one spelling of a length in ms that ids are made of: `60s` and `1m` are both `1m`. A single
 * day reads `24h`, since `1d` would be mistaken for a calendar day.
 */
export function formatDuration(ms: number): string {
  for (const [unit, least] of [
    ['d', 2],
    ['h', 1],
    ['m', 1],
    ['s', 1],
  ] as const) {
    const count = ms / (UNIT_MS[unit] as number);
    if (Number.isInteger(count) && count >= least) return `${count}${unit}`;
  }
  return `${ms}ms`;
}

function notADuration(text: unknown, where: string): ConfigError {
  return new ConfigError(`${where}: ${JSON.stringify(text)} is not a duration. ${adviceFor(text)}`);
}

function adviceFor(text: unknown): string {
  const grammar =
    'Write a whole number and one of ms, s, m (minutes), h, d, w, ' +
    'such as "30s", "1m", "24h" or "30d".';
  if (typeof text === 'number') return `Write the unit too, such as "${text}s".`;
  if (typeof text !== 'string') return grammar;
  const [, count = '', word = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  if (word === '')
    return /^\d+$/.test(count) ? `Write the unit too, such as "${count}s".` : grammar;
  // A word means what it begins with: "mins" are minutes, "mos" and "M" months.
  const [unit = ''] = /^(?:mo|ms|.)/.exec(word === 'M' ? 'mo' : word.toLowerCase()) ?? [];
  const [period, days] = CALENDAR[unit] ?? [];
  if (period !== undefined) {
    return (
      `A ${period} has no fixed length: write \`{ calendar: ${period} }\`, ` +
      `or days such as "${days}".`
    );
  }
  const ms = Math.round(Number(count) * (UNIT_MS[unit] ?? 0));
  if (ms === 0) return grammar;
  return `Write "${count.includes('.') ? formatDuration(ms) : `${count}${unit}`}".`;
}
