import { FURTHEST_MS } from './instant.ts';
import type { WindowSpan } from './window.ts';

/** A span, and the times [from, until) for which it is the answer. */
export interface SpanAnswer {
  readonly span: WindowSpan;
  readonly from: number;
  readonly until: number;
}

/**
 * `compute` with its last answer kept, since a budget asks for the same span thousands of times.
 * The function returned takes ms since the epoch; a fraction of a ms is dropped.
 *
 * @throws RangeError for a time that is not within {@link FURTHEST_MS} of the epoch.
 */
export function memoiseSpan(compute: (now: number) => SpanAnswer): (now: number) => WindowSpan {
  let from = 1;
  let until = 0;
  let span: WindowSpan;
  return (now) => {
    if (now >= from && now < until) return span;
    const ms = Math.floor(now);
    if (!(Math.abs(ms) <= FURTHEST_MS)) {
      throw new RangeError(`${now} is not a time in milliseconds since the epoch.`);
    }
    ({ span, from, until } = compute(ms));
    return span;
  };
}
