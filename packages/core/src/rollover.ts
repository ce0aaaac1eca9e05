import type { AccountRule } from './usage-sink.ts';
import type { Window, WindowSpan } from './window.ts';

/** The two windows before a fixed or calendar one, the later first. */
export function spansBefore(
  window: Window,
  { startsAt }: WindowSpan,
): readonly [last: WindowSpan, earlier: WindowSpan] {
  const last = window.at((startsAt as number) - 1);
  return [last, window.at((last.startsAt as number) - 1)];
}

/**
 * For how long a window matters after its end: until the next two are over, where its rest is rolled
 * over. Three times its length is longer than any two of the calendar.
 */
export function lookedBackMs({ rollover }: AccountRule, { startsAt, endsAt }: WindowSpan): number {
  return rollover === undefined ? 0 : 3 * ((endsAt as number) - (startsAt as number));
}
