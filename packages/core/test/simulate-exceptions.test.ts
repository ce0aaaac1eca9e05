import { describe, expect, test } from 'vitest';
import type { Budget, LedgerEntry } from '../src/index.ts';
import { simulate } from '../src/simulate.ts';
import { admit, benchOf, callOf, collect, usdBudget } from './support/guard.ts';
import { cost } from './support/outage-scene.ts';

/** Calls of $0.001 each, by these users. */
async function callsOf(...users: readonly string[]): Promise<LedgerEntry[]> {
  const { guard } = benchOf([usdBudget('100')]);
  for (const user of users) {
    await (await admit(guard, callOf(100, { identity: { user } }))).settle(cost(1_000_000));
  }
  return collect(guard.ledger());
}

const one = (others: Partial<Budget>): Budget => usdBudget('0.001', { per: ['user'], ...others });

describe('a proposed configuration with exceptions is replayed with them', () => {
  test('other limits, and identities that are exempt', async () => {
    const entries = await callsOf('ann', 'vip', 'vip', 'vip', 'root', 'root', 'ann');
    const budget = one({
      overrides: [{ match: { user: 'vip' }, limit: { usd: '0.002' } }],
      exempt: [{ user: 'root' }],
    });
    const { denied, accounts, budgets } = await simulate({ budgets: [budget] }, entries);
    expect(denied).toBe(2);
    expect(budgets).toMatchObject([{ denied: 2, savedNanoUsd: 2_000_000 }]);
    expect(
      accounts.map(({ account, limit, peak, denied: by }) => [account, limit, peak, by]),
    ).toEqual(
      expect.arrayContaining([
        ['cap|user=ann', 1_000_000, 1_000_000, 1],
        ['cap|user=vip', 2_000_000, 2_000_000, 1],
        ['cap|user=root|exempt', null, 2_000_000, 0],
      ]),
    );
  });

  test('in the shadow, a budget denies nothing, and says what it would have', async () => {
    const entries = await callsOf('ann', 'ann', 'ann');
    const wide = usdBudget('0.002', { name: 'wide' });
    expect(await simulate({ budgets: [one({ mode: 'shadow' }), wide] }, entries)).toMatchObject({
      calls: 3,
      denied: 1,
      savedNanoUsd: 1_000_000,
      budgets: [
        { budget: 'cap', denied: 2, savedNanoUsd: 2_000_000, shadow: true },
        { budget: 'wide', denied: 1, savedNanoUsd: 1_000_000 },
      ],
    });
  });
});
