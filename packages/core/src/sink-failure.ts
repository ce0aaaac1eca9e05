import { HardcapError, SinkUnavailableError } from './errors.ts';
import type { EventPort } from './event.ts';

/**
 * Reports an error of the sink, and makes it the one that a caller gets: hardcap's own as they are,
 * all else `SinkUnavailableError`, since nobody knows whether the operation was carried out.
 */
export function sinkFailure(events: EventPort, operation: string, error: unknown): HardcapError {
  if (!isOutage(error)) return error as HardcapError;
  events.emit({ type: 'sink-unavailable', operation, error });
  if (SinkUnavailableError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SinkUnavailableError(
    `The usage sink failed to ${operation}: ${reason}. Whether it was carried out is unknown; ` +
      'repeating it with the same id is safe.',
    { cause: error },
  );
}

/** Whether an error leaves open what became of an operation. */
export function isOutage(error: unknown): boolean {
  return !HardcapError.isInstance(error) || SinkUnavailableError.isInstance(error);
}
