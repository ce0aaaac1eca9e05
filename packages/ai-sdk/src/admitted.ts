import {
  BudgetExceededError,
  type CallRequest,
  type SpendCall,
  type SpendGuard,
} from '@hardcap/core';
import type { LinkedAbort } from '@hardcap/core/adapter';

/**
 * Reserves for a call, and has it stopped where its guard wants that: its account may be blocked while
 * it runs.
 *
 * @throws BudgetExceededError when a budget refuses; nothing is held then.
 */
export async function admitted(
  guard: SpendGuard,
  request: CallRequest,
  stop: LinkedAbort,
): Promise<SpendCall> {
  const reservation = await guard.reserve(request);
  if (!reservation.admitted) throw new BudgetExceededError(reservation.denial);
  const { call } = reservation;
  const { signal } = call;
  if (signal.aborted) {
    // It was blocked in between, and is not sent.
    await call.release().catch(() => {});
    throw signal.reason;
  }
  signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true });
  return call;
}

/** Lets go of the caller's signal where a call does not come about. */
export async function unlinkedWhereItFails<Result>(
  stop: LinkedAbort,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    stop.unlink();
    throw error;
  }
}
