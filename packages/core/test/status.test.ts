import { describe, expect, test } from 'vitest';
import type { Budget } from '../src/index.ts';
import { HOUR, NOON } from './support/clock.ts';
import { admit, benchOf, callOf, denialFor, usageOf, usdBudget } from './support/guard.ts';

const perUser: Budget = {
  name: 'user-daily',
  per: ['user'],
  limit: { usd: '0.001' },
  window: { calendar: 'day' },
  warnAt: [0.8, 0.5],
};

describe('status', () => {
  test('gives the figures of every account of an identity', async () => {
    const { guard } = benchOf([
      perUser,
      usdBudget('1', { name: 'run', per: ['run'] }),
      usdBudget('1'),
    ]);
    const ann = { user: 'ann' };
    const call = await admit(guard, callOf(20, { identity: ann }));
    await call.settle({ outcome: 'known', usage: usageOf({ output: 10 }) });
    await admit(guard, callOf(30, { identity: ann }));
    await denialFor(guard, callOf(70, { identity: ann }));
    const day = { startsAt: NOON - 12 * HOUR, endsAt: NOON + 12 * HOUR };
    expect(await guard.status(ann)).toEqual([
      {
        budget: 'user-daily',
        account: 'user-daily|user=ann',
        unit: 'usd',
        limit: 1_000_000,
        committed: 100_000,
        held: 300_000,
        remaining: 600_000,
        tier: 'ok',
        window: { id: 'day:2026-11-30T00:00:00Z', ...day },
        resetsAt: day.endsAt,
        denials: 1,
      },
      expect.objectContaining({
        budget: 'cap',
        account: 'cap',
        committed: 100_000,
        resetsAt: null,
      }),
    ]);
    expect(await guard.status({ user: 'bob' })).toMatchObject([{ committed: 0, denials: 0 }, {}]);
  });

  test('adds the identity of the context and of the guard', async () => {
    const { guard } = benchOf([perUser, usdBudget('1', { name: 'org', per: ['org'] })], {
      identity: { org: 'acme' },
    });
    const accounts = await guard.withIdentity({ user: 'ann' }, () => guard.status());
    expect(accounts.map(({ account }) => account)).toEqual(['user-daily|user=ann', 'org|org=acme']);
  });

  test('shows budgets for some models too, unless another model is asked for', async () => {
    const budgets = [
      usdBudget('1', { name: 'opus', match: { model: 'opus-*' } }),
      usdBudget('1', { name: 'acme', match: { org: 'acme' } }),
    ];
    const { guard } = benchOf(budgets);
    const names = async (identity: Record<string, string>) =>
      (await guard.status(identity)).map(({ budget }) => budget);
    expect(await names({ org: 'acme' })).toEqual(['opus', 'acme']);
    expect(await names({ org: 'other', model: 'opus-5' })).toEqual(['opus']);
    expect(await names({ org: 'acme', model: 'small' })).toEqual(['acme']);
    // And leaves the accounts of calls as they are.
    await expect(guard.reserve(callOf(1, { identity: { org: 'other' } }))).rejects.toThrow(
      /No budget binds/,
    );
  });

  test('makes no accounts', async () => {
    const { guard } = benchOf([perUser]);
    for (const user of ['ann', 'bob', 'cid']) await guard.status({ user });
    expect((await guard.verify()).accounts).toBe(0);
  });
});

describe('the tier', () => {
  test('follows the settled spend, at the same comparison as the gate', async () => {
    const { guard } = benchOf([{ ...perUser, per: [] }]);
    const tiers = [];
    for (const output of [49, 1, 30, 19, 1, 1]) {
      // Holds nothing, so that the last call can go above the cap.
      const reservation = await guard.reserve(callOf(0, { estimate: 'none' }));
      if (reservation.admitted) {
        await reservation.call.settle({ outcome: 'known', usage: usageOf({ output }) });
      }
      tiers.push((await guard.status())[0]?.tier);
    }
    expect(tiers).toEqual([
      'ok',
      'approaching',
      'approaching',
      'approaching',
      'reached',
      'reached',
    ]);
  });

  test('is `exceeded` above the cap, where nothing remains', async () => {
    const { guard } = benchOf([perUser], { identity: { user: 'ann' } });
    await (await admit(guard, callOf(50))).settle({
      outcome: 'known',
      usage: usageOf({ output: 101 }),
    });
    expect(await guard.status()).toMatchObject([
      { tier: 'exceeded', remaining: 0, committed: 1_010_000 },
    ]);
  });

  test('is not moved by holds', async () => {
    const { guard } = benchOf([perUser], { identity: { user: 'ann' } });
    await admit(guard, callOf(100));
    expect(await guard.status()).toMatchObject([{ tier: 'ok', remaining: 0, held: 1_000_000 }]);
  });

  test('without `warnAt` goes from ok to reached', async () => {
    const { guard } = benchOf([usdBudget('0.001')]);
    const spend = async (output: number) => {
      await (await admit(guard, callOf(output))).settle({
        outcome: 'known',
        usage: usageOf({ output }),
      });
      return (await guard.status())[0]?.tier;
    };
    expect([await spend(99), await spend(1)]).toEqual(['ok', 'reached']);
  });

  test('without a limit is ok, and nothing is known to remain', async () => {
    const { guard } = benchOf([usdBudget('1', { limit: { tokens: 'unlimited' } })]);
    await (await admit(guard, callOf(50))).settle({ outcome: 'unknown' });
    expect(await guard.status()).toMatchObject([
      { tier: 'ok', limit: null, remaining: null, committed: 50 },
    ]);
  });

  test('is `blocked` where nothing may be spent', async () => {
    const { guard } = benchOf([{ name: 'closed', per: [], window: 'total', block: true }]);
    expect(await guard.status()).toMatchObject([{ tier: 'blocked' }]);
    expect(await denialFor(guard, callOf(0))).toMatchObject({
      refusals: [{ kind: 'blocked', limit: null }],
      retryable: false,
      retryAfterMs: null,
    });
  });
});
