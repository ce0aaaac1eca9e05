import type { BoundAccount } from './bound-budgets.ts';
import { ceilingAmount } from './call-amounts.ts';
import { type BoundClaim, countsTokens } from './call-hold.ts';
import type { CallPrice } from './call-price.ts';
import type { CallRequest, Estimate } from './call-request.ts';
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
export function outputBound(call: CallRequest, price: CallPrice): number | null | undefined {
  return call.maxOutputTokens ?? price.outputBound;
}

/** Holds so much input and output at the dearest rate. */
export function ceilingPlan(
  accounts: readonly BoundAccount[],
  { rates }: CallPrice,
  inputTokens: number,
  outputTokens: number,
): AdmissionPlan {
  const size = { inputTokens, outputTokens };
  // Loops, not `map`: on the path of every call its closures cost 2 % of it, each.
  const claims = new Array<BoundClaim>(accounts.length);
  for (let place = 0; place < claims.length; place += 1) {
    const account = accounts[place] as BoundAccount;
    claims[place] = { account, amount: ceilingAmount(account.rule, size, rates) };
  }
  return { estimate: 'ceiling', claims, inputTokens, outputTokens, clamped: false };
}

/** What a plan holds in money; null when no budget of the call is in USD. */
export function heldInMoney({ claims }: AdmissionPlan): number | null {
  for (const { account, amount } of claims) if (account.rule.unit === 'usd') return amount;
  return null;
}
