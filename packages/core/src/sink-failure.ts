import { isPending } from './awaitable.ts';
import type { CallDetails } from './call-details.ts';
import { type EndRequest, isSettlement } from './end-request.ts';
import { HardcapError, SinkUnavailableError } from './errors.ts';
import type { EventPort, GuardEvent } from './event.ts';
import type { SettleAnswer, SettleRequest } from './usage-sink.ts';

/**
 * Tells what an operation comes to after its deadline, since to repeat it tells nothing of that.
 *
 * @param late a promise of it, where there is one.
 * @param request what was asked, where that was to end a reservation.
 */
export function tellLate(events: EventPort, late: unknown, request?: EndRequest): void {
  if (!(late && isPending(late))) return;
  late.then(
    (answer) => {
      const { notices } = (answer ?? {}) as { notices?: readonly GuardEvent[] };
      if (!Array.isArray(notices)) return;
      if (request !== undefined && isSettlement(request)) {
        tellSettlement(events, request, answer as SettleAnswer);
      } else events.emitAll(notices);
    },
    () => {},
  );
}

/** What a settlement came to of which nobody but its request is left. */
export function tellSettlement(
  events: EventPort,
  { id, outcome, details }: SettleRequest,
  answer: SettleAnswer,
): void {
  const {
    identity = {},
    provider = '',
    model = '',
    costNanoUsd = null,
  } = details as Partial<CallDetails>;
  events.settled({ id, identity, request: { provider, model } }, outcome, costNanoUsd, answer);
}

/**
 * Reports an error of the sink, and makes it the one that a caller gets: hardcap's own as they are,
 * all else `SinkUnavailableError`, since nobody knows whether the operation was carried out.
 */
export function sinkFailure(
  events: EventPort,
  operation: string,
  error: unknown,
  late?: unknown,
  request?: EndRequest,
): HardcapError {
  if (!isOutage(error)) return error as HardcapError;
  tellLate(events, late, request);
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
