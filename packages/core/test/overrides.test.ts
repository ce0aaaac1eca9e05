import { describe, expect, test } from 'vitest';
import { type Budget, BudgetExceededError, ConfigError, defineBudgets } from '../src/index.ts';
import { DAY } from './support/clock.ts';
import { admit, benchOf, callOf, denialFor, eventsOf } from './support/guard.ts';

/** Each user may spend 1 call of 100 output tokens a day; some may spend more. */
function daily(overrides: Budget['overrides'], others: Partial<Budget> = {}): Budget {
  return {
    name: 'daily',
    per: ['user'],
    limit: { usd: '0.001' },
    window: { calendar: 'day' },
    ...(overrides === undefined ? {} : { overrides }),
    ...others,
  };
}
const VIP = { match: { user: 'vip*' }, limit: { usd: '0.002' } };
const of = (user: string, tokens = 100) => callOf(tokens, { identity: { user } });
const spend = { outcome: 'known', costNanoUsd: 1_000_000 } as const;

describe('case C-85: a default for every member, and exceptions', () => {
  test('an exception has its own limit in the window of the budget', async () => {
    const { guard, clock } = benchOf([daily([VIP])]);
    for (const user of ['ann', 'vip1', 'vip1']) await (await admit(guard, of(user))).settle(spend);
    expect((await denialFor(guard, of('ann'))).refusals[0]?.limit).toBe(1_000_000);
    expect((await denialFor(guard, of('vip1'))).refusals[0]?.limit).toBe(2_000_000);
    clock.advance(DAY);
    await admit(guard, of('vip1', 200));
  });

  test('somebody never seen before is bound by the default with the first call', async () => {
    const { guard } = benchOf([daily([VIP])]);
    const denial = await denialFor(guard, of('newcomer', 101));
    expect(denial.refusals).toMatchObject([{ account: 'daily|user=newcomer', kind: 'too-large' }]);
  });

  test('the first that matches counts', async () => {
    const low = { match: { user: 'vip9' }, limit: { usd: '0.0005' } };
    const limitOf = async (overrides: Budget['overrides']) => {
      const [status] = await benchOf([daily(overrides)]).guard.status({ user: 'vip9' });
      return status?.limit;
    };
    expect(await limitOf([low, VIP])).toBe(500_000);
    expect(await limitOf([VIP, low])).toBe(2_000_000);
  });

  test('all dimensions of a match must hold, also those the budget is not kept per', async () => {
    const { guard } = benchOf([daily([{ ...VIP, match: { user: 'vip*', plan: 'pro' } }])]);
    await admit(guard, callOf(200, { identity: { user: 'vip1', plan: 'pro' } }));
    await denialFor(guard, callOf(101, { identity: { user: 'vip2' } }));
  });

  test('without a limit, and below the default', async () => {
    const open = { match: { user: 'ops' }, limit: { usd: 'unlimited' } };
    const low = { match: { user: 'guest' }, limit: { usd: '0.0001' } };
    const { guard } = benchOf([daily([open, low])]);
    await admit(guard, of('ops', 100_000));
    await denialFor(guard, of('guest', 11));
  });

  test('of a budget in tokens, counted as the budget counts', async () => {
    const budget: Budget = {
      ...daily([{ match: { user: 'vip' }, limit: { tokens: 200 } }]),
      limit: { tokens: 100, count: 'output' },
    };
    const { guard } = benchOf([budget]);
    const asking = (user: string) => callOf(150, { inputTokens: 10_000, identity: { user } });
    await admit(guard, asking('vip'));
    await denialFor(guard, asking('ann'));
  });

  test('a changed exception acts at once and keeps the spend', async () => {
    const { guard, sink, clock } = benchOf([daily([VIP])]);
    await (await admit(guard, of('vip1', 200))).settle({
      outcome: 'known',
      costNanoUsd: 2_000_000,
    });
    await denialFor(guard, of('vip1'));
    const raised = { ...VIP, limit: { usd: '0.004' } };
    const next = benchOf([daily([raised])], { sink, clock });
    await admit(next.guard, of('vip1', 200));
    await denialFor(next.guard, of('vip1', 1));
  });
});

describe('case C-91: where a limit came from', () => {
  test('a denial names the budget and the exception, in figures and in words', async () => {
    const { guard, events } = benchOf([daily([VIP])]);
    const denial = await denialFor(guard, of('vip1', 201));
    expect(denial.refusals).toMatchObject([{ budget: 'daily', limitFrom: 'override user=vip*' }]);
    expect(eventsOf(events, 'denied')[0]?.denial).toEqual(denial);
    expect(new BudgetExceededError(denial).message).toContain(
      'Budget "daily" (account daily|user=vip1) cannot carry this call: ' +
        '$0.00 spent and $0.00 held of $0.002 (override user=vip*), $0.00201 asked for',
    );
  });

  test('the limit of the budget itself needs no word', async () => {
    const { guard } = benchOf([daily([VIP])]);
    const { refusals } = await denialFor(guard, of('ann', 101));
    expect(refusals[0]).not.toHaveProperty('limitFrom');
  });

  test('the refusal of an extension says it too', async () => {
    const { guard } = benchOf([daily([VIP])], { estimate: 'none' });
    const call = await admit(guard, of('vip1'));
    const text = 'many words follow each other '.repeat(100);
    expect(await call.meter({ text })).toBe(false);
    const { denial } = call.stopReason as BudgetExceededError;
    expect(denial.refusals).toMatchObject([{ limitFrom: 'override user=vip*' }]);
  });
});

test('status, and what is changed by hand, rest on the limit of the exception', async () => {
  const { guard } = benchOf([daily([VIP])]);
  const identity = { user: 'vip1' };
  const selector = { budget: 'daily', identity };
  expect((await guard.topUp(selector, { usd: '0.001' })).limit).toBe(3_000_000);
  expect(await guard.status(identity)).toMatchObject([
    { limit: 3_000_000, limitFrom: 'override user=vip*' },
  ]);
  await admit(guard, of('vip1', 300));
});

test('a correction is measured against the limit of the exception', async () => {
  const { guard, events } = benchOf([daily([VIP])]);
  const call = await admit(guard, of('vip1'));
  await call.settle(spend);
  await guard.correct(call.id, { costNanoUsd: 1_500_000 });
  expect(eventsOf(events, 'threshold-crossed')).toEqual([]);
});

describe('exceptions that cannot mean what was intended', () => {
  test.each([
    [{}, 'overrides: Invalid input: expected array'],
    [[{ match: { user: 'vip' } }], 'overrides.0.limit:'],
    [[{ limit: { usd: '1' } }], 'overrides.0.match: write { model: "claude-opus-*" }'],
    [[{ ...VIP, window: 'total' }], 'overrides.0: has no field "window". It has match, limit'],
    [[{ ...VIP, limit: { usd: '0' } }], 'is no limit one can spend from'],
    [[{ ...VIP, limit: { tokens: 5 } }], 'limit: the other limits of the budget have another unit'],
  ])('%j', (overrides, problem) => {
    const define = () => defineBudgets([{ ...daily(undefined), overrides }]);
    expect(define).toThrow(ConfigError);
    expect(define).toThrow(problem);
  });
});
