import { describe, expect, test } from 'vitest';
import { type Budget, defineBudgets, type Identity } from '../src/index.ts';
import { admit, benchOf, callOf, collect, denialFor, usdBudget } from './support/guard.ts';

const ROOT = { org: 'acme', user: 'root' };
const ANN = { org: 'acme', user: 'ann' };
const exempt = [{ user: 'root' }];
/** A share for each user and each org that root is exempt from, and a cap for all that binds root. */
const BUDGETS: Budget[] = [
  usdBudget('0.001', { name: 'user', per: ['user'], exempt }),
  usdBudget('0.002', { name: 'org', per: ['org'], exempt }),
  usdBudget('0.01'),
];
const of = (identity: Identity, tokens = 100) => callOf(tokens, { identity });
const cost = (costNanoUsd: number) => ({ outcome: 'known', costNanoUsd }) as const;

describe('case C-08: identities that are exempt', () => {
  test('are bound by the budgets that do not exempt them, and by no other', async () => {
    const { guard } = benchOf(BUDGETS);
    await (await admit(guard, of(ROOT, 900))).settle(cost(9_000_000));
    const denial = await denialFor(guard, of(ROOT, 101));
    expect(denial.refusals.map(({ account }) => account)).toEqual(['cap']);
  });

  test('are ledgered with every call', async () => {
    const { guard, sink } = benchOf(BUDGETS);
    await (await admit(guard, of(ROOT))).settle(cost(700));
    const [entry] = await collect(sink.entries());
    expect(entry?.charges.map(({ account, amount }) => [account, amount])).toEqual([
      ['user|user=root|exempt', 700],
      ['org|org=acme|exempt', 700],
      ['cap', 700],
    ]);
    expect((await guard.verify()).differences).toEqual([]);
  });

  test('what they spend ungoverned can be read', async () => {
    const { guard } = benchOf(BUDGETS);
    await (await admit(guard, of(ROOT, 900))).settle(cost(9_000_000));
    expect(await guard.status(ROOT)).toMatchObject([
      { budget: 'user', exempt: true, limit: null, committed: 9_000_000, remaining: null },
      { budget: 'org', exempt: true, limit: null, committed: 9_000_000, tier: 'ok' },
      { budget: 'cap', limit: 10_000_000, committed: 9_000_000 },
    ]);
    expect((await guard.status(ANN))[0]).not.toHaveProperty('exempt');
  });

  test('take nothing from the share of the others', async () => {
    const { guard } = benchOf(BUDGETS);
    await (await admit(guard, of(ROOT, 500))).settle(cost(5_000_000));
    await admit(guard, of(ANN, 100));
    expect(await guard.status(ANN)).toMatchObject([
      { account: 'user|user=ann', held: 1_000_000, committed: 0 },
      { account: 'org|org=acme', held: 1_000_000, committed: 0 },
      { account: 'cap', held: 1_000_000, committed: 5_000_000 },
    ]);
    await denialFor(guard, of(ANN, 1));
  });

  test('come before exceptions, and before a block of the budget', async () => {
    const overrides = [{ match: { user: 'root' }, limit: { usd: '0.0001' } }];
    const { guard } = benchOf([usdBudget('1', { per: ['user'], exempt, overrides, block: true })]);
    await admit(guard, of(ROOT));
    await denialFor(guard, of(ANN));
  });

  test('can be blocked by hand', async () => {
    const { guard } = benchOf(BUDGETS);
    await guard.block({ budget: 'user', identity: ROOT });
    expect((await denialFor(guard, of(ROOT))).refusals).toMatchObject([{ kind: 'blocked' }]);
    await admit(guard, of(ANN));
  });

  test.each([
    [[{}], 'exempt.0: name a dimension'],
    [{ user: 'root' }, 'exempt: Invalid input: expected array'],
    [[{ user: '' }], 'exempt.0.user: an empty pattern matches nothing'],
  ])('are named: %j', (wrong, problem) => {
    expect(() => defineBudgets([{ ...usdBudget('1'), exempt: wrong }])).toThrow(problem);
  });
});
