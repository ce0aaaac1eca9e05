import { type Awaitable, isPending, promised } from './awaitable.ts';
import { HardcapError, SinkUnavailableError } from './errors.ts';
import type { EventPort } from './event.ts';

/**
 * Asks a sink; what it throws is a {@link sinkFailure}.
 *
 * @param undo tried, with no regard to its success, when it is unknown whether the sink did its part.
 */
export function askSink<Answer>(
  events: EventPort,
  operation: string,
  ask: () => Awaitable<Answer>,
  undo?: () => Awaitable<unknown>,
): Awaitable<Answer> {
  const fail = (error: unknown): never => {
    const failure = sinkFailure(events, operation, error);
    if (undo !== undefined && SinkUnavailableError.isInstance(failure)) {
      promised(undo).catch(() => {});
    }
    throw failure;
  };
  try {
    const answer = ask();
    return isPending(answer) ? answer.then(undefined, fail) : answer;
  } catch (error) {
    return fail(error);
  }
}

/**
 * Reports what a sink threw, and makes it the error that a caller gets: hardcap's own as they are, all
 * else `SinkUnavailableError`, since nobody knows whether the operation was carried out.
 */
export function sinkFailure(events: EventPort, operation: string, error: unknown): HardcapError {
  if (HardcapError.isInstance(error) && !SinkUnavailableError.isInstance(error)) return error;
  events.emit({ type: 'sink-unavailable', operation, error });
  if (SinkUnavailableError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SinkUnavailableError(
    `The usage sink failed to ${operation}: ${reason}. Whether it was carried out is unknown; ` +
      'repeating it with the same id is safe.',
    { cause: error },
  );
}
