import {
  BudgetExceededError,
  type CallRequest,
  type Reservation,
  type SpendCall,
  type SpendGuard,
} from '@hardcap/core';
import { rememberedDenial } from './recent-denials.ts';

/**
 * Reserves for a call.
 *
 * @param signal of the caller, who may leave while the call waits for headroom.
 * @throws BudgetExceededError when a budget refuses; nothing is held then.
 */
export async function reserved(
  guard: SpendGuard,
  request: CallRequest,
  signal?: AbortSignal,
): Promise<SpendCall> {
  const asked = guard.reserve(request);
  const waits = Boolean(request.waitForHeadroomMs);
  const reservation = await (signal && waits ? unlessAborted(asked, signal) : asked);
  if (reservation.admitted) return reservation.call;
  throw rememberedDenial(new BudgetExceededError(reservation.denial));
}

/** The answer, or the reason of an abort: what is admitted after that is given back. */
async function unlessAborted(
  asked: Promise<Reservation>,
  signal: AbortSignal,
): Promise<Reservation> {
  let leave = (): void => {};
  const left = new Promise<never>((_, fail) => {
    leave = () => fail(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([asked, left]);
  } catch (error) {
    void asked.then((late) => (late.admitted ? late.call.release() : undefined)).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
