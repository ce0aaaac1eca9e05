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
  return {
    key: budget,
    rule: {
      budget,
      unit: 'tokens',
      limit: 100,
      blocked: false,
      window: compileWindow(window),
      attribute: 'reserve',
      onExpiry: 'charge',
      thresholds: [1_000_000],
      ...others,
    },
  };
}

/** The same account under other terms, as after a change of the configuration. */
export function withTerms(account: Account, terms: Omit<Partial<AccountRule>, 'budget'>): Account {
  return { key: account.key, rule: { ...account.rule, ...terms } };
}

export type Claims = readonly (readonly [account: Account, amount: number])[];

export function claimsOf(claims: Claims): Claim[] {
  return claims.map(([account, amount]) => ({ account, amount }));
}
