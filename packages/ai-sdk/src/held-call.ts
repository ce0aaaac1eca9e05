import type { CallRequest, Settlement, SpendCall, SpendGuard } from '@hardcap/core';
import { asObject, type LinkedAbort } from '@hardcap/core/adapter';
import { admitted, unlinkedWhereItFails } from './admitted.ts';
import { failureOutcome } from './failure-outcome.ts';

/** A call that is no stream, and whose limits nothing can lower: it is held as it is, or not made. */
export interface HeldCall<Result> {
  readonly request: () => Promise<CallRequest>;
  readonly stop: LinkedAbort;
  readonly send: () => PromiseLike<Result>;
  readonly settlementOf: (result: Result, spend: SpendCall) => Settlement;
}

/**
 * @throws BudgetExceededError when a budget refuses, and nothing is sent then; or when the call is
 * stopped.
 */
export async function heldCall<Result>(guard: SpendGuard, call: HeldCall<Result>): Promise<Result> {
  const { stop } = call;
  return unlinkedWhereItFails(stop, async () => {
    const spend = await admitted(guard, await call.request(), stop);
    // What goes wrong here shows in the guard's events, and breaks nobody's result.
    const settle = (settlement: Settlement) => spend.settle(settlement).catch(() => {});
    const isAborted = stop.signal.aborted;
    let result: Result;
    try {
      result = await call.send();
    } catch (error) {
      await settle(failureOutcome(error, isAborted));
      throw spend.stopReason ?? error;
    }
    await settle(call.settlementOf(result, spend));
    // What still streams is paid for; its caller can stop it all the same.
    if (asObject(result)?.['stream'] === undefined) stop.unlink();
    return result;
  });
}
