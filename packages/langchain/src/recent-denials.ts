import { BudgetExceededError, type SpendGuard } from '@hardcap/core';

/** Denials that the framework may turn into text before anybody can catch them. */
const MOST_DENIALS = 100;
const recent: Map<string, BudgetExceededError> = new Map();

const recentOf: WeakMap<SpendGuard, BudgetExceededError[]> = new WeakMap();

/** The error, to be found again by its text, or among those of its guard. */
export function rememberedDenial(
  error: BudgetExceededError,
  guard: SpendGuard,
): BudgetExceededError {
  recent.delete(String(error));
  recent.set(String(error), error);
  const [oldest] = recent.keys();
  if (recent.size > MOST_DENIALS && oldest !== undefined) recent.delete(oldest);
  const own = recentOf.get(guard) ?? [];
  own.push(error);
  if (own.length > MOST_DENIALS) own.shift();
  recentOf.set(guard, own);
  return unhurried(error);
}

/** Whether a text tells of a denial, be it by the name of the error alone. */
export function tellsOfDenial(text: string): boolean {
  return text.includes('BudgetExceededError');
}

/** The denial whose whole text is in a text. */
export function denialIn(text: string): BudgetExceededError | undefined {
  for (const [shown, error] of recent) if (text.includes(shown)) return error;
  return undefined;
}

/** The latest denials of a guard, of whomever, the newest first. */
export function recentDenials(guard: SpendGuard): readonly BudgetExceededError[] {
  return recentOf.get(guard)?.toReversed() ?? [];
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
