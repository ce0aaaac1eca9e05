import { HardcapError, type Settlement } from '@hardcap/core';
import { asObject, NEVER_CONNECTED, numberAt } from '@hardcap/core/adapter';

const DEEPEST_CAUSE = 8;

/**
 * What a call that failed before its answer began may have cost: nothing where it was refused with a
 * status of 400 and above, or never connected; else nobody knows.
 *
 * @param signal by which it may have been aborted, whatever the reason looks like.
 */
export function failureOutcome(error: unknown, signal?: AbortSignal): Settlement {
  return wasNeverSent(error, signal) ? { outcome: 'not-sent' } : { outcome: 'unknown' };
}

function wasNeverSent(error: unknown, signal: AbortSignal | undefined): boolean {
  let cause = asObject(error);
  for (let depth = 0; cause !== undefined && depth < DEEPEST_CAUSE; depth += 1) {
    if (signal?.aborted && cause === signal.reason) return false;
    // A budget that refused a further attempt: what had been sent before is settled already.
    if (HardcapError.isInstance(cause)) return true;
    const status =
      numberAt(cause, 'status') ??
      numberAt(cause, 'statusCode') ??
      numberAt(asObject(cause['response']), 'status');
    if (status !== undefined) return status >= 400;
    if (NEVER_CONNECTED.has(cause['code'])) return true;
    cause = asObject(cause['cause']);
  }
  return false;
}
