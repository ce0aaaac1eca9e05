import type { BudgetExceededError } from '@hardcap/core';

/** Denials that the framework may turn into text before anybody can catch them. */
const MOST_DENIALS = 100;
const recent: Map<string, BudgetExceededError> = new Map();

/** The error, to be found again by its text. */
export function rememberedDenial(error: BudgetExceededError): BudgetExceededError {
  recent.delete(String(error));
  recent.set(String(error), error);
  const [oldest] = recent.keys();
  if (recent.size > MOST_DENIALS && oldest !== undefined) recent.delete(oldest);
  return error;
}

/** The denial whose text is in a text. */
export function denialIn(text: string): BudgetExceededError | undefined {
  if (!text.includes('BudgetExceededError')) return undefined;
  for (const [shown, error] of recent) if (text.includes(shown)) return error;
  return undefined;
}
