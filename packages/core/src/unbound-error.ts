import type { BudgetRule } from './bound-budgets.ts';
import { MissingIdentityError } from './errors.ts';
import type { Identity } from './identity.ts';

/** Why no budget binds a call, and what would. */
export function unboundError(
  rules: readonly BudgetRule[],
  model: string,
  identity: Identity,
): MissingIdentityError {
  const { provider: _, model: __, ...known } = identity;
  const budgets = rules.map(
    ({ budget, per }) => `"${budget}" (per ${per.join(', ') || 'everyone'})`,
  );
  return new MissingIdentityError(
    `No budget binds this call to ${model}. Its identity has ` +
      `${Object.keys(known).join(', ') || 'no dimensions'}; the budgets are ${budgets.join(', ') || 'none'}. ` +
      'Give what is missing with the call or by withIdentity, add a budget that binds it, or set ' +
      '`unbudgeted: "allow"`.',
  );
}
