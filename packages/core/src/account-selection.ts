import type { AccountSelector } from './adjustment-order.ts';
import { type BoundAccount, bindBudgets, isOfCall } from './bound-budgets.ts';
import type { CallBinder } from './call-binder.ts';
import { InvalidArgumentError, MissingIdentityError } from './errors.ts';
import { exceptedAccounts } from './excepted-accounts.ts';
import { accountKey, type Identity } from './identity.ts';

/** The accounts that an identity has, whatever model it will call. */
export async function accountsOf(binder: CallBinder, identity?: Identity): Promise<BoundAccount[]> {
  await binder.exceptions;
  const who = binder.identityOf(identity);
  const rules = binder.rules.map((rule) => ({
    ...rule,
    match: rule.match.filter((matcher) => matcher.dimension in who || !isOfCall(matcher)),
  }));
  return exceptedAccounts(binder, bindBudgets(rules, who), who);
}

/**
 * The account that a selector means, and the identity that this rests on.
 *
 * @throws InvalidArgumentError for a budget that there is not; MissingIdentityError for an identity
 * without a dimension that the budget is kept per.
 */
export async function accountOf(
  binder: CallBinder,
  { budget, identity }: AccountSelector,
): Promise<{ readonly account: BoundAccount; readonly identity: Identity }> {
  await binder.exceptions;
  const rule = binder.rules.find((other) => other.budget === budget);
  if (rule === undefined) {
    const names = binder.rules.map((other) => `"${other.budget}"`).join(', ');
    throw new InvalidArgumentError(
      `There is no budget ${JSON.stringify(budget)}. There are ${names || 'none'}.`,
    );
  }
  const who = binder.identityOf(identity);
  const key = accountKey(rule.budget, rule.per, who);
  if (key === undefined) {
    const missing = rule.per.filter((dimension) => who[dimension] === undefined);
    throw new MissingIdentityError(
      `Budget "${budget}" is kept per ${rule.per.join(', ')}, and the identity has no ` +
        `${missing.join(', ')}. Name it: { budget: "${budget}", identity: { ${missing[0]}: "…" } }.`,
    );
  }
  const [account = { key, rule }] = await exceptedAccounts(binder, [{ key, rule }], who);
  return { account, identity: who };
}
