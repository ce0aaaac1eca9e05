import { BudgetExceededError, type SpendGuard } from '@hardcap/core';

/** Denials that the framework may turn into text before anybody can catch them. */
const MOST_DENIALS = 100;
const recent: Map<string, BudgetExceededError> = new Map();

const latest: WeakMap<SpendGuard, BudgetExceededError> = new WeakMap();

/** The error, to be found again by its text. */
export function rememberedDenial(
  error: BudgetExceededError,
  guard: SpendGuard,
): BudgetExceededError {
  recent.delete(String(error));
  recent.set(String(error), error);
  latest.set(guard, error);
  const [oldest] = recent.keys();
  if (recent.size > MOST_DENIALS && oldest !== undefined) recent.delete(oldest);
  return unhurried(error);
}

/**
 * The denial that a text tells of. Where it has the name of the error alone, as that of
 * `toolRetryMiddleware`, it is the latest of the guard.
 */
export function denialIn(text: string, guard: SpendGuard): BudgetExceededError | undefined {
  if (!text.includes('BudgetExceededError')) return undefined;
  for (const [shown, error] of recent) if (text.includes(shown)) return error;
  return latest.get(guard);
}

/**
 * What is thrown, without `retryAfterMs` where it is a refusal: from LangChain 1 on, whatever retries
 * sleeps for that long, be it until next month. The time is still in the `denial`.
 */
export function unhurried<Thrown>(thrown: Thrown): Thrown {
  if (BudgetExceededError.isInstance(thrown)) {
    Object.defineProperty(thrown, 'retryAfterMs', { value: null, enumerable: true });
  }
  return thrown;
}
