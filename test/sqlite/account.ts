import { type Account, compileWindow, type Unit } from '@hardcap/core';

/** An account whose window never ends. */
export function accountOf(key: string, limit: number, unit: Unit = 'usd'): Account {
  return {
    key,
    rule: {
      budget: key,
      unit,
      limit,
      blocked: false,
      window: compileWindow('total'),
      attribute: 'reserve',
      onExpiry: 'charge',
      thresholds: [500_000, 1_000_000],
    },
  };
}
