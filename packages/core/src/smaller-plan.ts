import { type AdmissionPlan, ceilingPlan } from './admission.ts';
import type { BoundAccount } from './bound-budgets.ts';
import { outputWithinAmount } from './call-amounts.ts';
import type { CallPrice } from './call-price.ts';
import type { CallRequest } from './call-request.ts';
import type { Refusal } from './denial.ts';

/**
 * The plan to try after a refusal: the largest output that the refusing accounts can still carry, if
 * the caller can lower the provider's limit and it is of use to it. Undefined when there is none.
 */
export function smallerPlan(
  call: CallRequest,
  refused: AdmissionPlan,
  price: CallPrice,
  refusals: readonly Refusal[],
): AdmissionPlan | undefined {
  const { minOutputTokens } = call;
  const { claims, inputTokens, outputTokens } = refused;
  if (outputTokens === null || minOutputTokens === undefined) return undefined;
  const asked = call.maxOutputTokens ?? outputTokens;
  const least = Math.max(1, Math.min(minOutputTokens, asked));
  const accounts = claims.map(({ account }) => account);
  const output = outputLeft(refusals, accounts, inputTokens, price);
  if (output < least || output >= outputTokens) return undefined;
  return { ...ceilingPlan(accounts, price, inputTokens, output), clamped: true };
}

/** The most output tokens that all refusing accounts can carry; negative when none. */
function outputLeft(
  refusals: readonly Refusal[],
  accounts: readonly BoundAccount[],
  inputTokens: number,
  { rates }: CallPrice,
): number {
  let output = Number.POSITIVE_INFINITY;
  for (const refusal of refusals) {
    const account = accounts.find(({ key }) => key === refusal.account);
    const left = (refusal.limit ?? 0) - refusal.committed - refusal.held;
    if (account === undefined || refusal.kind === 'blocked' || left <= 0) return -1;
    output = Math.min(output, outputWithinAmount(account.rule, left, inputTokens, rates));
  }
  return output;
}
