import { describe, expect, test } from 'vitest';
import { type Budget, ConfigError, createSpendGuard, type SpendGuardTerms } from '../src/index.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  type GuardBench,
  usdBudget,
} from './support/guard.ts';
import { bookOf, PRICES, quoteOf, ratesOf } from './support/prices.ts';

/** What one output token of `small` costs at most, and of what is held for it. */
const TOKEN = 10_000;

async function spend({ guard }: GuardBench, tokens: number, user = 'ann'): Promise<void> {
  const call = await admit(guard, callOf(tokens, { identity: { user } }));
  await call.settle({ outcome: 'known', costNanoUsd: tokens * TOKEN });
}

async function figures({ guard }: GuardBench, user = 'ann'): Promise<Record<string, number[]>> {
  const status = await guard.status({ user });
  return Object.fromEntries(
    status.map(({ budget, committed, held }) => [budget, [committed, held]]),
  );
}

function daily(usd: string, others: Partial<Budget> = {}): Budget {
  return {
    ...usdBudget(usd),
    name: 'daily',
    per: ['user'],
    window: { calendar: 'day' },
    ...others,
  };
}

const user = { user: 'ann' };

describe('other terms are in force for the next call', () => {
  test('a limit acts at once, and what was spent and is held stays', async () => {
    const bench = benchOf([daily('0.001')]);
    await spend(bench, 40);
    const open = await admit(bench.guard, callOf(40, { identity: user }));
    expect((await denialFor(bench.guard, callOf(30, { identity: user }))).refusals).toMatchObject([
      { limit: 100 * TOKEN, committed: 40 * TOKEN, held: 40 * TOKEN },
    ]);
    await bench.guard.reconfigure({ budgets: [daily('0.002')] });
    await spend(bench, 30);
    await bench.guard.reconfigure({ budgets: [daily('0.0005')] });
    expect((await denialFor(bench.guard, callOf(1, { identity: user }))).refusals).toMatchObject([
      { limit: 50 * TOKEN, committed: 70 * TOKEN, held: 40 * TOKEN },
    ]);
    await open.settle({ outcome: 'known', costNanoUsd: 40 * TOKEN });
    expect(await figures(bench)).toEqual({ daily: [110 * TOKEN, 0] });
    expect((await bench.guard.verify()).differences).toEqual([]);
  });

  test('a budget that is new begins at 0, and one that is gone is found as it was when it is back', async () => {
    const bench = benchOf([daily('1')]);
    await spend(bench, 40);
    await bench.guard.reconfigure({ budgets: [usdBudget('1')] });
    expect(await figures(bench)).toEqual({ cap: [0, 0] });
    await spend(bench, 5);
    await bench.guard.reconfigure({ budgets: [daily('1'), usdBudget('1')] });
    expect(await figures(bench)).toEqual({ daily: [40 * TOKEN, 0], cap: [5 * TOKEN, 0] });
  });

  test('accounts that can no longer be derived are forgotten, as are callers that were remembered', async () => {
    const bench = benchOf([daily('1')]);
    await spend(bench, 40);
    await spend(bench, 1);
    await bench.guard.reconfigure({ budgets: [daily('1', { name: 'renamed' })] });
    await spend(bench, 2);
    expect(await figures(bench)).toEqual({ renamed: [2 * TOKEN, 0] });
    const entries = await collect(bench.guard.ledger());
    expect(entries.map(({ charges }) => charges.map(({ budget }) => budget))).toEqual([
      ['daily'],
      ['daily'],
      ['renamed'],
    ]);
  });

  test('so are the options: who calls, what is held, what is secret, what becomes of the rest', async () => {
    const bench = benchOf([daily('1')], { identity: user });
    const terms: SpendGuardTerms = {
      budgets: [daily('1'), usdBudget('1', { name: 'keyed', per: ['session'] })],
      identity: { session: 'abc' },
      estimate: { fixed: { usd: '0.25' } },
      secrets: ['session'],
    };
    await bench.guard.reconfigure(terms);
    const [account] = await bench.guard.status();
    expect(account?.account).toMatch(/^keyed\|session=[0-9a-f]{16}$/);
    const call = await admit(bench.guard, callOf(1));
    expect((await bench.guard.status())[0]?.held).toBe(250_000_000);
    await call.release();
    await bench.guard.reconfigure({ budgets: [daily('1')] });
    await expect(bench.guard.reserve(callOf(1))).rejects.toThrow('No budget binds this call');
    await bench.guard.reconfigure({ budgets: [daily('1')], unbudgeted: 'allow' });
    expect((await bench.guard.reserve(callOf(1))).admitted).toBe(true);
  });

  test('the price book stays where no other is given', async () => {
    const bench = benchOf([daily('1')]);
    await bench.guard.reconfigure({ budgets: [daily('2')] });
    await spend(bench, 1);
    const dear = bookOf({ small: quoteOf(ratesOf(1, 1_000)) });
    await bench.guard.reconfigure({ budgets: [daily('2')], prices: dear });
    await admit(bench.guard, callOf(1, { identity: user }));
    expect((await figures(bench))['daily']).toEqual([TOKEN, 100 * TOKEN]);
  });

  test('contexts of withIdentity go on', async () => {
    const bench = benchOf([daily('1')]);
    await bench.guard.withIdentity({ user: 'bob' }, async () => {
      await bench.guard.reconfigure({ budgets: [daily('2')] });
      const [account] = await bench.guard.status();
      expect(account).toMatchObject({ account: 'daily|user=bob', limit: 2_000_000_000 });
    });
  });

  test('all at once: no call is bound by a part of them', async () => {
    const pair = (suffix: string): Budget[] =>
      ['a', 'b'].map((name) => usdBudget('1', { name: `${name}${suffix}` }));
    const bench = benchOf(pair('0'));
    const calls = [];
    for (let round = 1; round <= 20; round += 1) {
      const change = bench.guard.reconfigure({ budgets: pair(String(round)) });
      calls.push(bench.guard.reserve(callOf(1)));
      await change;
      calls.push(bench.guard.reserve(callOf(1)));
    }
    for (const reservation of await Promise.all(calls)) {
      if (reservation.admitted) await reservation.call.settle({ outcome: 'unknown' });
    }
    const entries = await collect(bench.guard.ledger());
    expect(entries).toHaveLength(40);
    for (const { charges } of entries) {
      const [a, b] = charges.map(({ budget }) => budget);
      expect(b).toBe(a?.replace('a', 'b'));
    }
  });

  test('in the order in which they were asked for', async () => {
    const bench = benchOf([daily('1')]);
    await Promise.all(
      ['2', '3', '4'].map((usd) => bench.guard.reconfigure({ budgets: [daily(usd)] })),
    );
    expect((await bench.guard.status(user))[0]?.limit).toBe(4_000_000_000);
  });
});

describe('a call that is open settles under its old terms', () => {
  test('on accounts that no new call has, at the price that it was admitted with', async () => {
    const bench = benchOf([daily('1', { onUnknown: 'release' })]);
    const call = await admit(bench.guard, callOf(100, { identity: user }));
    const dear = bookOf({ small: quoteOf(ratesOf(1, 1_000)) });
    await bench.guard.reconfigure({ budgets: [usdBudget('1')], prices: dear });
    const usage = {
      input: 0,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output: 50,
      reasoning: 0,
    };
    await call.settle({ outcome: 'known', usage });
    const [entry] = await collect(bench.guard.ledger());
    expect(entry).toMatchObject({
      costNanoUsd: 50 * TOKEN,
      charges: [{ account: 'daily|user=ann', amount: 50 * TOKEN }],
    });
    expect(await figures(bench)).toEqual({ cap: [0, 0] });
    expect((await bench.guard.verify()).differences).toEqual([]);
  });

  test('and a stream extends under the limit that it was admitted with', async () => {
    const bench = benchOf([daily('0.01')]);
    const stream = await admit(bench.guard, callOf(900, { identity: user, estimate: 'none' }));
    await bench.guard.reconfigure({ budgets: [daily('0.0001')] });
    expect(await stream.meter({ text: ' word'.repeat(500) })).toBe(true);
    expect((await figures(bench))['daily']?.[1]).toBeGreaterThan(100_000);
    expect((await bench.guard.reserve(callOf(1, { identity: user }))).admitted).toBe(false);
    await stream.settle({ outcome: 'known', costNanoUsd: 900 * TOKEN });
    expect(await figures(bench)).toEqual({ daily: [900 * TOKEN, 0] });
  });

  test('with the rules that its budget had', async () => {
    const bench = benchOf([daily('1', { onUnknown: 'release' })]);
    const call = await admit(bench.guard, callOf(100, { identity: user }));
    await bench.guard.reconfigure({ budgets: [daily('1')] });
    await call.settle({ outcome: 'unknown' });
    expect(await figures(bench)).toEqual({ daily: [0, 0] });
  });
});

describe('terms that are refused change nothing', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'Budgets are not valid'],
    ['a budget that is none', { budgets: [{ name: 'daily' }] }, 'Budget "daily": per'],
    [
      'a budget of two',
      { budgets: [usdBudget('2'), { ...usdBudget('1'), limit: {} }] },
      'one unit',
    ],
    ['an option that is none', { budgets: [], colour: 'red' }, 'has no field "colour"'],
    ['prices that are data', { budgets: [], prices: { free: [] } }, 'createPriceBook()'],
    ['another sink', { budgets: [], sink: { reserve: () => {} } }, '`sink` is chosen when'],
    ['another clock', { budgets: [], now: () => 0 }, '`now` is chosen when'],
    ['another time to live', { budgets: [], reservationTtlMs: 5_000 }, '`reservationTtlMs` is'],
    [
      'another unit',
      { budgets: [{ ...daily('1'), limit: { tokens: 9 } }] },
      'counts usd, and would',
    ],
  ])('%s', async (_, terms, message) => {
    const bench = benchOf([daily('1')]);
    await spend(bench, 40);
    const before = await bench.guard.status(user);
    const change = bench.guard.reconfigure(terms as SpendGuardTerms);
    await expect(change).rejects.toThrow(message);
    expect(ConfigError.isInstance(await change.catch((error: unknown) => error))).toBe(true);
    expect(await bench.guard.status(user)).toEqual(before);
    await spend(bench, 1);
    expect(await figures(bench)).toEqual({ daily: [41 * TOKEN, 0] });
  });

  test('money, where the guard has no prices, and tokens that are counted otherwise', async () => {
    const tokens: Budget = { ...daily('1'), name: 'tokens', limit: { tokens: 1_000 } };
    const guard = createSpendGuard({ budgets: [tokens] });
    const withMoney = guard.reconfigure({ budgets: [tokens, daily('1')] });
    await expect(withMoney).rejects.toThrow('nobody says what models cost');
    const output: Budget = { ...tokens, limit: { tokens: 5, count: 'output' } };
    await expect(guard.reconfigure({ budgets: [output] })).rejects.toThrow(
      'counts tokens (total), and would go on in tokens (output) on the same accounts',
    );
    expect((await guard.status(user)).map(({ limit }) => limit)).toEqual([1_000]);
    await guard.reconfigure({ budgets: [tokens, daily('1')], prices: PRICES });
    expect(await guard.status(user)).toHaveLength(2);
  });

  test('what a guard has for its life may be named as it is', async () => {
    const { guard } = benchOf([daily('1')], { reservationTtlMs: 5_000 });
    await guard.reconfigure({ budgets: [daily('2')], reservationTtlMs: 5_000 });
    expect((await guard.status(user))[0]?.limit).toBe(2_000_000_000);
  });
});
