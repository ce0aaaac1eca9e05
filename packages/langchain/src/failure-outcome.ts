import { HardcapError, type Settlement } from '@hardcap/core';
import { asObject, NEVER_CONNECTED, numberAt } from '@hardcap/core/adapter';

const DEEPEST_CAUSE = 8;

/**
 * What a call that failed before its answer began may have cost: nothing where it was refused with a
 * status of 400 and above, or never connected; else nobody knows.
 */
export function failureOutcome(error: unknown): Settlement {
  return wasNeverSent(error) ? { outcome: 'not-sent' } : { outcome: 'unknown' };
}

function wasNeverSent(error: unknown): boolean {
  // A budget that refused a further attempt: what had been sent before is settled already.
  if (HardcapError.isInstance(error)) return true;
  let cause = asObject(error);
  for (let depth = 0; cause !== undefined && depth < DEEPEST_CAUSE; depth += 1) {
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
