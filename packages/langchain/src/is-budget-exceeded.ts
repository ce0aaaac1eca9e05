import { BudgetExceededError } from '@hardcap/core';

/**
 * Whether a budget refused, also where the framework has wrapped its error: in the `MiddlewareError`
 * of an agent, the `AggregateError` of a graph, or the error of a retry.
 */
export function isBudgetExceeded(error: unknown): boolean {
  return BudgetExceededError.find(error) !== undefined;
}
