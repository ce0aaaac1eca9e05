import { HardcapError } from '@hardcap/core';
import { currentAttempt, followAttempts } from './attempt-context.ts';
import { failureOutcome } from './failure-outcome.ts';

/** What clients of providers take as their `fetch`. */
export type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` for the client of a provider, which sees each request of a guarded model on the wire, those
 * too that the client sends again by itself: each but the first reserves anew, and is not sent where a
 * budget refuses. Requests of what is not guarded pass unseen.
 *
 * ```ts
 * new ChatOpenAI({ model: 'gpt-5.1', configuration: { fetch: spendBudgetFetch(), maxRetries: 2 } });
 * const createClient = (options) => new Anthropic({ ...options, maxRetries: 2, fetch: spendBudgetFetch() });
 * new ChatAnthropic({ model: 'claude-sonnet-4-5', createClient });
 * ```
 *
 * @param send what sends the requests. @default the runtime's
 * @throws ConfigError where the runtime has no AsyncLocalStorage.
 */
export function spendBudgetFetch(send: Fetch = globalThis.fetch): Fetch {
  followAttempts();
  return async (input, init) => {
    const attempt = currentAttempt();
    // A request after the answer is of something else, such as a callback of the program.
    if (attempt === undefined || attempt.isAnswered) return send(input, init);
    try {
      await attempt.beginRequest();
    } catch (error) {
      if (HardcapError.isInstance(error)) return refusal(error);
      throw error;
    }
    try {
      const response = await send(input, init);
      if (response.status >= 400) await attempt.failRequest({ outcome: 'not-sent' });
      else attempt.answerRequest(response);
      return response;
    } catch (error) {
      await attempt.failRequest(failureOutcome(error, attempt.signal));
      throw error;
    }
  };
}

/**
 * Clients take an error for a lost connection and send again, but not after this answer. What the
 * caller gets is the error itself.
 */
function refusal({ code, message }: HardcapError): Response {
  const error = { type: code, code, message };
  const headers = { 'x-should-retry': 'false' };
  return Response.json({ type: 'error', error }, { status: 402, headers });
}
