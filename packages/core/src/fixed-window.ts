import { formatDuration, parseDuration } from './duration.ts';
import { floorTo, isoInstant } from './instant.ts';
import { memoiseSpan } from './memo-span.ts';
import type { FixedWindow, FixedWindowSpec } from './window.ts';

/**
 * Spans of one length, side by side from the epoch on: `{ fixed: '1d' }` is a day of UTC, with 24
 * hours always. Ids are length and start: `1m:2026-11-30T03:21:00Z`.
 */
export function fixedWindow(spec: FixedWindowSpec, where: string): FixedWindow {
  const lengthMs = parseDuration(spec.fixed, `${where}.fixed`);
  const name = formatDuration(lengthMs);
  const at = memoiseSpan((now) => {
    const startsAt = floorTo(now, lengthMs);
    const endsAt = startsAt + lengthMs;
    const span = { id: `${name}:${isoInstant(startsAt)}`, startsAt, endsAt };
    return { span, from: startsAt, until: endsAt };
  });
  return { spec, kind: 'fixed', lengthMs, resolutionMs: null, at };
}
