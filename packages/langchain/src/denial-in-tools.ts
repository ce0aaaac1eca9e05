import type { BudgetExceededError } from '@hardcap/core';
import { asObject, textAt } from '@hardcap/core/adapter';
import { denialIn, tellsOfDenial } from './recent-denials.ts';

/**
 * The denial that a tool of the latest step ran into. Agents turn what a tool throws into its result
 * and ask the model to mend it, which would go on until the budget of the model is spent too.
 *
 * @param latest finds the denial where there is only the name of its error, as `toolRetryMiddleware`
 * leaves it.
 */
export async function denialInTools(
  messages: readonly unknown[],
  latest: () => Promise<BudgetExceededError | undefined>,
): Promise<BudgetExceededError | undefined> {
  for (const message of messages.toReversed()) {
    const result = asObject(message);
    if (result?.['tool_call_id'] === undefined) return undefined;
    const text = result['status'] === 'error' ? (textAt(result, 'content') ?? '') : '';
    if (!tellsOfDenial(text)) continue;
    const denial = denialIn(text) ?? (await latest());
    if (denial !== undefined) return denial;
  }
  return undefined;
}
