import { formatDuration, parseDuration } from './duration.ts';
import { ConfigError } from './errors.ts';
import { floorTo } from './instant.ts';
import { memoiseSpan } from './memo-span.ts';
import type { RollingWindow, RollingWindowSpec } from './window.ts';

/** The most slots that a rolling window may be divided into: what a sink keeps for each account. */
const MAX_SLOTS = 1_440;

const DAY_MS = 86_400_000;

/** Widths of a slot that people can tell the time by, in ms: 1 s to 1 d. */
const ROUND_WIDTHS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * 3_600_000),
];

/**
 * The last `rolling` of time, kept in slots of `resolution` that are aligned to the epoch and leave
 * the window as a whole. The window reaches back to the start of the slot that `now - length` is
 * in, so it counts up to one slot too much and never too little.
 *
 * A resolution that is not given is a sixtieth of the length, rounded up to a round width: 1s for
 * 1m, 1m for 1h, 30m for 24h, 3h for 7d, 12h for 30d. A window shorter than 1s is one slot.
 *
 * One id for all times, `rolling:24h`, or `rolling:24h/1h` where the resolution is not the default:
 * slots of different widths must not be mixed, since a wide one would leave too early.
 */
export function rollingWindow(spec: RollingWindowSpec, where: string): RollingWindow {
  const lengthMs = parseDuration(spec.rolling, `${where}.rolling`);
  const defaultMs = defaultResolution(lengthMs);
  const resolutionMs =
    spec.resolution === undefined
      ? defaultMs
      : parseDuration(spec.resolution, `${where}.resolution`);
  checkResolution(lengthMs, resolutionMs, where);
  const slots = resolutionMs === defaultMs ? '' : `/${formatDuration(resolutionMs)}`;
  const id = `rolling:${formatDuration(lengthMs)}${slots}`;
  const at = memoiseSpan((now) => {
    const startsAt = floorTo(now - lengthMs, resolutionMs);
    const from = startsAt + lengthMs;
    return { span: { id, startsAt, endsAt: null }, from, until: from + resolutionMs };
  });
  return {
    spec,
    kind: 'rolling',
    lengthMs,
    resolutionMs,
    at,
    slotOf: (now) => floorTo(Math.floor(now), resolutionMs),
    slotLeavesAt: (slot) => slot + resolutionMs + lengthMs,
  };
}

function defaultResolution(lengthMs: number): number {
  const least = lengthMs / 60;
  const round = ROUND_WIDTHS_MS.find((width) => width >= least);
  return Math.min(lengthMs, round ?? Math.ceil(least / DAY_MS) * DAY_MS);
}

function checkResolution(lengthMs: number, resolutionMs: number, where: string): void {
  const length = formatDuration(lengthMs);
  const resolution = formatDuration(resolutionMs);
  if (resolutionMs > lengthMs) {
    throw new ConfigError(
      `${where}.resolution: "${resolution}" is longer than the window of ${length}. ` +
        `Write at most "${length}", or leave it out.`,
    );
  }
  if (lengthMs / resolutionMs > MAX_SLOTS) {
    const least = formatDuration(Math.ceil(lengthMs / MAX_SLOTS / 1_000) * 1_000);
    throw new ConfigError(
      `${where}.resolution: "${resolution}" divides ${length} into more than ${MAX_SLOTS} slots. ` +
        `Write at least "${least}", or leave it out.`,
    );
  }
}
