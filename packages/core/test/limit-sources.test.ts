import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Budget,
  HardcapError,
  type Identity,
  type LimitSource,
  type SourcedLimit,
  toHttpResponse,
} from '../src/index.ts';
import { testClock } from './support/clock.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  eventsOf,
  usdBudget,
} from './support/guard.ts';
import { cost } from './support/outage-scene.ts';

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));
afterEach(() => vi.useRealTimers());

const BUDGET = usdBudget('0.001', { per: ['user'] });
const of = (user: string, tokens = 100) => callOf(tokens, { identity: { user } });
const usd = (amount: string) => ({ usd: amount });

/** A table of limits, and who was asked for. */
function table(
  limits: Record<string, SourcedLimit | undefined>,
  others: Partial<LimitSource> = {},
) {
  const asked: Identity[] = [];
  const resolve = async (identity: Identity) => {
    asked.push(identity);
    return limits[identity['user'] ?? ''];
  };
  const source: LimitSource = { resolve, ...others };
  return { asked, source, limits };
}

function scene(source: LimitSource, budgets: readonly Budget[] = [BUDGET]) {
  return benchOf(budgets, { limits: { cap: source } });
}

describe('limits that are kept elsewhere', () => {
  test('case C-85: bind somebody who was never seen with the first call, in the window of the budget', async () => {
    const daily: Budget = { ...BUDGET, window: { calendar: 'day' } };
    const { guard, clock } = scene(table({ ann: usd('0.003'), bob: usd('0.0001') }).source, [
      daily,
    ]);
    await denialFor(guard, of('bob', 11));
    await (await admit(guard, of('ann', 300))).settle(cost(3_000_000));
    expect((await denialFor(guard, of('ann', 1))).refusals).toMatchObject([
      { limit: 3_000_000, kind: 'spent', limitFrom: 'limits' },
    ]);
    clock.advance(86_400_000);
    await admit(guard, of('ann', 300));
  });

  test('are asked for once by calls at the same time, and not again while the answer counts', async () => {
    const { asked, source, limits } = table({ ann: usd('0.002') }, { ttlMs: 10_000 });
    const { guard, clock } = scene(source);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => guard.reserve(of('ann', 10))),
    );
    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(20);
    clock.advance(9_999);
    await denialFor(guard, of('ann', 1));
    expect(asked).toEqual([{ user: 'ann' }]);
    limits['ann'] = usd('0.0021');
    await denialFor(guard, of('ann', 10));
    clock.advance(1);
    await admit(guard, of('ann', 10));
    expect(asked).toHaveLength(2);
  });

  test('may come at once, without a promise', async () => {
    const { guard } = scene({ resolve: () => usd('0.002') });
    await admit(guard, of('ann', 200));
    await denialFor(guard, of('ann', 1));
  });

  test('where there is none, exceptions of the budget count, and then the budget', async () => {
    const overrides = [{ match: { user: 'vip' }, limit: usd('0.005') }];
    const exempt = [{ user: 'root' }];
    const { asked, source } = table({ other: usd('0.004') });
    const { guard } = scene(source, [{ ...BUDGET, overrides, exempt }]);
    const limitOf = async (user: string) => {
      const [status] = await guard.status({ user });
      return [status?.limit, status?.limitFrom];
    };
    expect(await limitOf('ann')).toEqual([1_000_000, undefined]);
    expect(await limitOf('vip')).toEqual([5_000_000, 'override user=vip']);
    expect(await limitOf('other')).toEqual([4_000_000, 'limits']);
    expect(await limitOf('root')).toEqual([null, undefined]);
    expect(asked.map(({ user }) => user)).toEqual(['ann', 'vip', 'other']);
  });

  test('may be none at all, or a block', async () => {
    const { guard } = scene(table({ ann: usd('unlimited'), bob: { block: true } }).source);
    await admit(guard, of('ann', 1_000_000));
    expect((await denialFor(guard, of('bob', 1))).refusals).toMatchObject([{ kind: 'blocked' }]);
  });

  test('are asked for by account: what else the caller is says nothing, and secrets are hashed', async () => {
    const asked: Identity[] = [];
    const resolve = (identity: Identity) => {
      asked.push(identity);
      return undefined;
    };
    const { guard } = scene({ resolve }, [usdBudget('1', { per: ['apiKey'] })]);
    await admit(guard, callOf(1, { identity: { apiKey: 'sk-secret', user: 'ann' } }));
    expect(asked).toEqual([{ apiKey: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
  });

  test('hold for adjustments, corrections, grants and status as for calls', async () => {
    const { guard, clock, events } = scene(table({ ann: usd('0.003') }).source);
    const identity = { user: 'ann' };
    const selector = { budget: 'cap', identity };
    expect((await guard.topUp(selector, usd('0.001'))).limit).toBe(4_000_000);
    clock.advance(60_000);
    const grant = await guard.grant({ from: identity, limit: usd('0.004') });
    clock.advance(60_000);
    const call = await admit(guard, callOf(100, { identity: grant.identity }));
    await call.settle(cost(100_000));
    clock.advance(60_000);
    await guard.correct(call.id, { costNanoUsd: 200_000 });
    clock.advance(60_000);
    expect(await grant.close()).toEqual({ spent: 200_000, held: 0 });
    expect(await guard.status(identity)).toMatchObject([{ limit: 4_000_000, committed: 200_000 }]);
    expect(eventsOf(events, 'limit-unavailable')).toEqual([]);
    expect((await guard.verify()).differences).toEqual([]);
  });

  test('are put in force with other terms, and no more without', async () => {
    const { guard } = benchOf([BUDGET]);
    await admit(guard, of('ann', 1));
    const { source } = table({ ann: usd('0.003') });
    await guard.reconfigure({ budgets: [BUDGET], limits: { cap: source } });
    await admit(guard, of('ann', 200));
    await guard.reconfigure({ budgets: [BUDGET] });
    await denialFor(guard, of('ann', 1));
    const wrong = guard.reconfigure({ budgets: [BUDGET], limits: { other: source } });
    await expect(wrong).rejects.toThrow('limits.other: there is no such budget. There are "cap".');
  });

  test('many who are seen once leave a bounded number of answers behind, and each gets their own', async () => {
    const { guard } = scene({
      resolve: ({ user = '' }) => ({ usd: `0.00${1 + (user.length % 5)}` }),
    });
    for (let place = 0; place < 25_000; place += 1) {
      const reserved = await guard.reserve(of(`user-${place}`, 600));
      expect(reserved.admitted).toBe(false);
    }
  }, 60_000);
});

describe('limits that are good for less time than others take', () => {
  const BUDGETS = [BUDGET, { ...BUDGET, name: 'other' }];

  test.each([1, 15])('count for the call that asked for them: %i ms', async (ttlMs) => {
    const clock = testClock();
    let asked = 0;
    const taking = (ms: number): LimitSource => ({
      ttlMs,
      resolve: async () => {
        asked += 1;
        // The second comes when the first is old, and the other way round.
        for (let turn = 0; turn < ms; turn += 1) await null;
        clock.advance(ms);
        return usd('0.002');
      },
    });
    const limits = { cap: taking(20), other: taking(40) };
    const { guard } = benchOf(BUDGETS, { clock, limits });
    await admit(guard, of('ann', 200));
    expect(asked).toBe(2);
    expect(await guard.status({ user: 'ann' })).toMatchObject([
      { limit: 2_000_000, held: 2_000_000 },
      { limit: 2_000_000, held: 2_000_000 },
    ]);
    // By then that of the first is old again.
    expect(asked).toBe(3);
    clock.advance(15);
    await denialFor(guard, of('ann', 1));
    expect(asked).toBe(5);
  });
});

describe('limits that cannot be had', () => {
  const failing = (message = 'no database', others: Partial<LimitSource> = {}): LimitSource => ({
    resolve: () => Promise.reject(new Error(message)),
    ...others,
  });

  test('admit nobody, with an error that says whose and why, and are asked for again by the next call', async () => {
    let fails = true;
    const resolve = async () => {
      if (fails) throw new Error('no database');
      return usd('0.002');
    };
    const { guard, events, sink } = scene({ resolve });
    const rejected = await Promise.all(
      Array.from({ length: 3 }, () => guard.reserve(of('ann')).catch((error: unknown) => error)),
    );
    for (const error of rejected) {
      expect(HardcapError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ code: 'LIMIT_UNAVAILABLE', cause: { message: 'no database' } });
      expect((error as Error).message).toContain(
        'The limit of budget "cap" for account cap|user=ann could not be had from `limits`: no database',
      );
      expect(toHttpResponse(error).status).toBe(503);
    }
    expect(eventsOf(events, 'limit-unavailable')).toMatchObject([
      { budget: 'cap', account: 'cap|user=ann', error: { message: 'no database' } },
    ]);
    expect(await sink.verify()).toMatchObject({ reservations: 0, accounts: 0 });
    await expect(guard.status({ user: 'ann' })).rejects.toMatchObject({
      code: 'LIMIT_UNAVAILABLE',
    });
    fails = false;
    await admit(guard, of('ann', 200));
  });

  test('in time are a failure, too; an answer that comes later is not waited for', async () => {
    vi.useFakeTimers();
    const resolve = () =>
      new Promise<SourcedLimit>((done) => setTimeout(() => done(usd('1')), 5_000));
    const { guard } = scene({ resolve, timeoutMs: 200 });
    const refused = expect(guard.reserve(of('ann'))).rejects.toThrow('no answer within 200 ms');
    await vi.advanceTimersByTimeAsync(6_000);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[string, unknown, string]>([
    ['in another unit', { tokens: 5 }, 'it answered in tokens, and the budget counts usd'],
    ['of nothing', { usd: '0' }, 'is no limit one can spend from'],
    ['that is null', null, 'null is not a limit'],
    ['that is a number', 5, '5 is not a limit'],
  ])('an answer %s', async (_, answer, message) => {
    const { guard } = scene({ resolve: () => answer as SourcedLimit });
    const error = await guard.reserve(of('ann')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'LIMIT_UNAVAILABLE' });
    expect((error as Error).message).toContain(message);
  });

  test('count as the budget does: one in output tokens for one in all tokens is none', async () => {
    const budget: Budget = { name: 'cap', per: [], limit: { tokens: 500 }, window: 'total' };
    const { guard } = scene({ resolve: () => ({ tokens: 5, count: 'output' }) }, [budget]);
    await expect(guard.reserve(callOf(1))).rejects.toThrow(
      'in tokens (output), and the budget counts',
    );
  });

  test("with onError: 'default', the last answer counts, or else the budget; it is told, and asked again later", async () => {
    let answer: SourcedLimit | null = usd('0.003');
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      if (answer === null) throw new Error('no database');
      return answer;
    };
    const { guard, clock, events } = scene({ resolve, onError: 'default' });
    await admit(guard, of('ann', 100));
    answer = null;
    clock.advance(60_000);
    await admit(guard, of('ann', 100));
    await denialFor(guard, of('bob', 101));
    await admit(guard, of('bob', 100));
    expect([asked, eventsOf(events, 'limit-unavailable').length]).toEqual([3, 2]);
    answer = usd('0.005');
    clock.advance(5_000);
    await admit(guard, of('bob', 400));
    expect(asked).toBe(4);
  });

  test('leave other budgets alone', async () => {
    const large = usdBudget('1', { name: 'large', match: { model: 'large' } });
    const { guard } = benchOf([large, usdBudget('1', { name: 'all' })], {
      limits: { large: failing() },
    });
    await admit(guard, of('ann'));
    await expect(guard.reserve(callOf(1, { model: 'large' }))).rejects.toThrow('no database');
  });

  test.each<[object, string]>([
    [{ cap: {} }, 'limits.cap: write { resolve: (identity) => limit }'],
    [{ cap: () => usd('1') }, 'limits.cap: write { resolve: (identity) => limit }'],
    [{ cap: null }, 'limits.cap: write { resolve: (identity) => limit }'],
    [{ toString: failing() }, 'limits.toString: there is no such budget'],
    [{ cap: failing('', { ttlMs: -1 }) }, 'limits.cap.ttlMs: write a whole number'],
    [{ cap: { ...failing(), cache: 5 } }, 'limits.cap has no field "cache"'],
    [
      { cap: failing('', { onError: 'allow' as never }) },
      'limits.cap.onError: write deny or default',
    ],
  ])('what a source cannot mean is refused with the first call: %#', async (limits, message) => {
    const { guard } = benchOf([BUDGET], { limits: limits as never });
    await expect(guard.reserve(of('ann'))).rejects.toThrow(message);
    await expect(guard.reserve(of('ann'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

test('identities of the context are those of the call when it has waited for a limit', async () => {
  const { source } = table({ ann: usd('0.003') });
  const { guard } = scene(source);
  await guard.withIdentity({ user: 'ann' }, async () => {
    await (await admit(guard, callOf(300))).settle(cost(5));
  });
  const [entry] = await collect(guard.ledger());
  expect(entry?.charges).toMatchObject([{ account: 'cap|user=ann', amount: 5 }]);
});
