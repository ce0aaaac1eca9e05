import { describe, expect, test } from 'vitest';
import type { Budget, LedgerEntry } from '../src/index.ts';
import { simulate } from '../src/simulate.ts';
import { usageOf } from './support/guard.ts';

const TOKEN = 10_000;
const daily: Budget = {
  name: 'daily',
  per: ['user'],
  limit: { usd: '0.001' },
  window: { calendar: 'day', timeZone: 'UTC' },
};

describe('the memory of a simulation', () => {
  function* entries(count: number): Generator<LedgerEntry> {
    for (let at = 0; at < count; at += 1) {
      yield {
        ...{ kind: 'settlement', id: `r${at}`, reservation: `r${at}`, at, outcome: 'known' },
        ...{
          charges: [],
          overshoot: [],
          identity: { user: `u${at}` },
          provider: 'acme',
          model: 'small',
        },
        ...{ usage: usageOf({ output: 1 }), costNanoUsd: at === 70 ? 5 * TOKEN : TOKEN },
        ...{ costChangeNanoUsd: TOKEN, heldNanoUsd: TOKEN, price: null },
      };
    }
  }

  test('is bounded: the fullest accounts are told of, and that there are more', async () => {
    const said = await simulate({ budgets: [daily] }, entries(1_000), { maxAccounts: 10 });
    expect(said.calls).toBe(1_000);
    expect(said.accounts).toHaveLength(10);
    expect(said.accounts[0]?.account).toBe('daily|user=u70');
    expect(said.accountsLeftOff).toBe(true);
    const all = await simulate({ budgets: [daily] }, entries(10), { maxAccounts: 10 });
    expect(all.accountsLeftOff).toBe(false);
    await expect(simulate({ budgets: [daily] }, [], { maxAccounts: 0 })).rejects.toThrow(
      'maxAccounts',
    );
  });

  test('has nothing to say of nothing', async () => {
    expect(await simulate({ budgets: [daily] }, [])).toMatchObject({
      calls: 0,
      from: null,
      to: null,
    });
    await expect(simulate({ budgets: [{ ...daily, limit: {} as never }] }, [])).rejects.toThrow(
      'one unit',
    );
  });
});
