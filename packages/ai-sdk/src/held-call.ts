import {
  BudgetExceededError,
  type CallRequest,
  type Settlement,
  type SpendGuard,
} from '@hardcap/core';
import { failureOutcome } from './failure-outcome.ts';

/** A call that is no stream, and whose limits nothing can lower: it is held as it is, or not made. */
export interface HeldCall<Result> {
  readonly request: CallRequest;
  readonly abortSignal: AbortSignal | undefined;
  readonly send: () => PromiseLike<Result>;
  readonly settlementOf: (result: Result) => Settlement;
}

/** @throws BudgetExceededError when a budget refuses; nothing is sent then. */
export async function heldCall<Result>(guard: SpendGuard, call: HeldCall<Result>): Promise<Result> {
  const reservation = await guard.reserve(call.request);
  if (!reservation.admitted) throw new BudgetExceededError(reservation.denial);
  // What goes wrong here shows in the guard's events, and breaks nobody's result.
  const settle = (settlement: Settlement) => reservation.call.settle(settlement).catch(() => {});
  const isAborted = call.abortSignal?.aborted === true;
  let result: Result;
  try {
    result = await call.send();
  } catch (error) {
    await settle(failureOutcome(error, isAborted));
    throw error;
  }
  await settle(call.settlementOf(result));
  return result;
}
