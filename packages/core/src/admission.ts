import type { BoundAccount } from './bound-budgets.ts';
import { ceilingAmount, outputWithinAmount } from './call-amounts.ts';
import { type BoundClaim, countsTokens } from './call-hold.ts';
import type { CallPrice } from './call-price.ts';
import type { CallRequest, Estimate } from './call-request.ts';
import type { Refusal } from './denial.ts';
import { InvalidArgumentError } from './errors.ts';
import { usd } from './money.ts';

/** What is asked of the accounts for one attempt. */
export interface AdmissionPlan {
  readonly estimate: Estimate;
  readonly claims: readonly BoundClaim[];
  /** The input that counts until the provider reports it. */
  readonly inputTokens: number;
  /** The output that the claims cover; null when nothing is held for it. */
  readonly outputTokens: number | null;
  /** The call asked for more output than is covered. */
  readonly clamped: boolean;
}

// No model produces so much in one call: the bound where neither the call nor the price book has one.
const UNBOUNDED_OUTPUT_TOKENS = 10_000_000;

/**
 * What a call holds on its accounts at first.
 *
 * @throws InvalidArgumentError for a ceiling of input that nothing bounds.
 */
export function planAdmission(
  call: CallRequest,
  accounts: readonly BoundAccount[],
  price: CallPrice,
  estimate: Estimate,
): AdmissionPlan {
  if (estimate === 'ceiling') {
    const output = outputBound(call, price) ?? UNBOUNDED_OUTPUT_TOKENS;
    return ceilingPlan(accounts, price, inputBound(call, accounts, price), output);
  }
  const fixed = estimate === 'none' ? 0 : usd(estimate.fixed.usd);
  const claims = accounts.map((account) => {
    const { unit } = account.rule;
    if (unit === 'usd') return { account, amount: fixed };
    return { account, amount: unit === 'tokens' ? 0 : 1 };
  });
  const { inputTokens } = call;
  return { estimate, claims, inputTokens, outputTokens: null, clamped: false };
}

/** The largest input the call may have, where any account counts that. */
function inputBound(
  { model, inputTokens }: CallRequest,
  accounts: readonly BoundAccount[],
  { inputBound: bound = null }: CallPrice,
): number {
  if (bound !== null) return bound;
  if (!accounts.some(countsTokens)) return inputTokens;
  throw new InvalidArgumentError(
    `The input of the call to ${model} has no bound. Set \`contextWindow\` of the adapter, ` +
      '`contextTokens` of its price, or another `estimate`.',
  );
}

/**
 * The largest output the call may produce: what it asks for, or else the most the model can give.
 * Nothing where neither is known.
 */
export function outputBound(call: CallRequest, { quote }: CallPrice): number | null | undefined {
  return call.maxOutputTokens ?? quote?.maxOutputTokens ?? quote?.contextTokens;
}

function ceilingPlan(
  accounts: readonly BoundAccount[],
  { rates }: CallPrice,
  inputTokens: number,
  outputTokens: number,
): AdmissionPlan {
  const size = { inputTokens, outputTokens };
  // Loops, not `map`: on the path of every call its closures cost 2 % of it, each.
  const claims: BoundClaim[] = [];
  for (const account of accounts) {
    claims.push({ account, amount: ceilingAmount(account.rule, size, rates) });
  }
  return { estimate: 'ceiling', claims, inputTokens, outputTokens, clamped: false };
}

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
