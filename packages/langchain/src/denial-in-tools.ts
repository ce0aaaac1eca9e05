import type { BudgetExceededError, SpendGuard } from '@hardcap/core';
import { asObject, textAt } from '@hardcap/core/adapter';
import { denialIn } from './recent-denials.ts';

/**
 * The denial that a tool of the latest step ran into. Agents turn what a tool throws into its result
 * and ask the model to mend it, which would go on until the budget of the model is spent too.
 */
export function denialInTools(
  messages: readonly unknown[],
  guard: SpendGuard,
): BudgetExceededError | undefined {
  for (const message of messages.toReversed()) {
    const result = asObject(message);
    if (result?.['tool_call_id'] === undefined) return undefined;
    const denial = result['status'] === 'error' && denialIn(textAt(result, 'content') ?? '', guard);
    if (denial) return denial;
  }
  return undefined;
}
