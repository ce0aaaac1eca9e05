import type { AccountRule } from './usage-sink.ts';
import type { Window, WindowSpan } from './window.ts';

type SpansBefore = readonly [last: WindowSpan, earlier: WindowSpan];

// Of the latest span that was asked about, as most accounts are in the same.
const known: WeakMap<Window, SpansBefore> = new WeakMap();

/** The two windows before a fixed or calendar one, the later first. */
export function spansBefore(window: Window, { startsAt }: WindowSpan): SpansBefore {
  const found = known.get(window);
  if (found?.[0].endsAt === startsAt) return found;
  const last = window.at((startsAt as number) - 1);
  const spans: SpansBefore = [last, window.at((last.startsAt as number) - 1)];
  known.set(window, spans);
  return spans;
}

/**
 * For how long a window matters after its end: until the next two are over, where its rest is rolled
 * over. Three times its length is longer than any two of the calendar.
 */
export function lookedBackMs({ rollover }: AccountRule, { startsAt, endsAt }: WindowSpan): number {
  return rollover === undefined ? 0 : 3 * ((endsAt as number) - (startsAt as number));
}
