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
 * @param signal of the caller, who may leave before the answer.
 * @throws BudgetExceededError when a budget refuses, or the reason of the abort; nothing is held then.
 */
export async function reserved(
  guard: SpendGuard,
  request: CallRequest,
  signal?: AbortSignal,
): Promise<SpendCall> {
  signal?.throwIfAborted();
  const asked = guard.reserve(request);
  const reservation = await (signal === undefined ? asked : unlessAborted(asked, signal));
  if (reservation.admitted) return reservation.call;
  throw rememberedDenial(new BudgetExceededError(reservation.denial), guard);
}

/** The answer, or the reason of an abort: what is admitted all the same is given back. */
async function unlessAborted(
  asked: Promise<Reservation>,
  signal: AbortSignal,
): Promise<Reservation> {
  let leave = (): void => {};
  const left = new Promise<never>((_, fail) => {
    leave = () => fail(signal.reason);
    signal.addEventListener('abort', leave);
  });
  try {
    const reservation = await Promise.race([asked, left]);
    signal.throwIfAborted();
    return reservation;
  } catch (error) {
    void asked.then((late) => (late.admitted ? late.call.release() : undefined)).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
