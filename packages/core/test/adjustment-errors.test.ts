import { describe, expect, test } from 'vitest';
import { type Budget, InvalidArgumentError, MissingIdentityError } from '../src/index.ts';
import { benchOf, collect, usdBudget } from './support/guard.ts';

const DAILY: Budget = {
  name: 'user-daily',
  per: ['user'],
  limit: { usd: '0.001' },
  window: { calendar: 'day' },
};

describe('an adjustment is refused', () => {
  const budgets = [
    DAILY,
    usdBudget('1'),
    usdBudget('1', { name: 'calls', limit: { requests: 5 } }),
  ];
  const { guard } = benchOf([
    ...budgets,
    usdBudget('1', { name: 'parallel', limit: { concurrent: 5 } }),
  ]);
  const cap = { budget: 'cap' };

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'for a budget that there is not',
      () => guard.block({ budget: 'user-dialy' }),
      'There is no budget "user-dialy". There are "user-daily", "cap", "calls", "parallel".',
    ],
    [
      'in another unit',
      () => guard.topUp({ budget: 'calls' }, { usd: '1' }),
      'Budget "calls": a top-up is in requests, not in usd. Write { requests: 5 }.',
    ],
    [
      'in no unit',
      () => guard.topUp(cap, {} as never),
      'Budget "cap": a top-up is an amount in one unit. Write { usd: "5.00" }.',
    ],
    ['for text', () => guard.topUp(cap, '5' as never), 'in one unit'],
    ['in two units', () => guard.topUp(cap, { usd: '1', tokens: 5 } as never), 'in one unit'],
    ['for less than 0', () => guard.topUp(cap, { usd: '-1' }), '"-1" is not an amount'],
    ['for 0', () => guard.topUp(cap, { usd: '0' }), '0 is nothing to spend'],
    ['for a limit of 0', () => guard.setLimit(cap, { limit: { usd: '0' } }), 'Use block()'],
    ['for too much', () => guard.topUp(cap, { usd: '9000001' }), 'up to 9000000 USD'],
    ['for part of a call', () => guard.topUp({ budget: 'calls' }, { requests: 0.5 }), '0.5 is not'],
    [
      'of parallel calls',
      () => guard.topUp({ budget: 'parallel' }, { concurrent: 1 }),
      'setLimit(',
    ],
    ['for no limit', () => guard.setLimit(cap, {}), 'Write one of them'],
    [
      'for two limits',
      () => guard.setLimit(cap, { limit: 'unlimited', add: { usd: '1' } }),
      'Write one of them',
    ],
    [
      'until no time',
      () => guard.setLimit(cap, { add: { usd: '1' }, until: new Date('tomorrow') }),
      'is a Date, or a whole number of ms',
    ],
    ['with a long id', () => guard.block(cap, { id: 'x'.repeat(65) }), '1 to 64 characters'],
    ['with a reason that is none', () => guard.block(cap, { reason: 5 as never }), 'are text'],
  ])('%s', async (_, order, message) => {
    const refused = expect(order()).rejects;
    await refused.toThrow(message);
    await expect(order()).rejects.toSatisfy(InvalidArgumentError.isInstance);
    expect(await collect(guard.ledger())).toEqual([]);
  });

  test('for an identity without a dimension of the budget', async () => {
    const refused = guard.block({ budget: 'user-daily', identity: { org: 'acme' } });
    await expect(refused).rejects.toSatisfy(MissingIdentityError.isInstance);
    await expect(guard.block({ budget: 'user-daily' })).rejects.toThrow(
      'Budget "user-daily" is kept per user, and the identity has no user. Name it: ' +
        '{ budget: "user-daily", identity: { user: "…" } }.',
    );
  });
});
