import {
  type Account,
  type AccountRule,
  type Claim,
  compileWindow,
  type WindowSpec,
} from '@hardcap/core';

type Terms = Omit<Partial<AccountRule>, 'window'> & { readonly window?: WindowSpec };

/** An account with a limit of 100 tokens and no reset, unless it says otherwise. */
export function accountOf(budget: string, terms: Terms = {}): Account {
  const { window = 'total', ...others } = terms;
  const rule: AccountRule = {
    budget,
    unit: 'tokens',
    limit: 100,
    blocked: false,
    window: compileWindow(window),
    attribute: 'reserve',
    onExpiry: 'charge',
    thresholds: [1_000_000],
    ...others,
  };
  return { key: budget, rule };
}

export function claimOn(account: Account, amount: number): Claim {
  return { account, amount };
}
