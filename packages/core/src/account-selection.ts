import { type BoundAccount, bindBudgets } from './bound-budgets.ts';
import { type CallBinder, isOfCall } from './call-binder.ts';
import type { Identity } from './identity.ts';

/** The accounts that an identity has, whatever model it will call. */
export function accountsOf(binder: CallBinder, identity?: Identity): BoundAccount[] {
  const who = binder.identityOf(identity);
  const rules = binder.rules.map((rule) => ({
    ...rule,
    match: rule.match.filter(({ dimension }) => dimension in who || !isOfCall(dimension)),
  }));
  return bindBudgets(rules, who);
}
