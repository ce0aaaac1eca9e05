import {
  BudgetExceededError,
  type CallRequest,
  type SpendCall,
  type SpendGuard,
} from '@hardcap/core';
import { rememberedDenial } from './recent-denials.ts';

/** How long a call that is refused waits for others to settle. */
export interface Patience {
  /** In ms; 0 does not wait. */
  readonly waitForHeadroomMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Reserves for a call. Where budgets refuse only because of what open calls hold, it may be asked
 * again until some of those have settled.
 *
 * @throws BudgetExceededError when a budget refuses; nothing is held then.
 */
export async function reserved(
  guard: SpendGuard,
  request: CallRequest,
  { waitForHeadroomMs = 0, signal }: Patience,
): Promise<SpendCall> {
  const patienceEnds = performance.now() + waitForHeadroomMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const reservation = await guard.reserve(request);
    if (reservation.admitted) return reservation.call;
    const leftMs = patienceEnds - performance.now();
    if (!reservation.denial.retryable || leftMs <= 0) {
      throw rememberedDenial(new BudgetExceededError(reservation.denial));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
    signal?.throwIfAborted();
  }
}
