import { describe, expect, test } from 'vitest';
import type {
  Budget,
  GuardEvent,
  LedgerEntry,
  MemoryUsageSinkOptions,
  TokenUsage,
} from '../src/index.ts';
import { MemoryUsageSink } from '../src/index.ts';
import { simulate } from '../src/simulate.ts';
import { DAY, HOUR, MINUTE, testClock } from './support/clock.ts';
import { admit, benchOf, callOf, collect, type GuardBench, usageOf } from './support/guard.ts';
import { PRICES } from './support/prices.ts';

/** What one output token of `small` costs, in nano-USD. */
const TOKEN = 10_000;

const daily: Budget = {
  name: 'daily',
  per: ['user'],
  limit: { usd: '0.001' },
  window: { calendar: 'day', timeZone: 'UTC' },
};
const perMinute: Budget = {
  name: 'rpm',
  per: ['user'],
  limit: { requests: 3 },
  window: { fixed: '1m' },
};
const tokens: Budget = { name: 'tpm', per: [], limit: { tokens: 250 }, window: { rolling: '10m' } };
const loose: Budget[] = [daily, tokens].map((budget) => ({ ...budget, limit: { usd: '100' } }));

function recorder(budgets: readonly Budget[], options: MemoryUsageSinkOptions = {}): GuardBench {
  const clock = testClock();
  const sink = new MemoryUsageSink({ now: clock.now, ledgerCapacity: 10_000, ...options });
  return benchOf(budgets, { clock, sink });
}

interface Recorded {
  readonly user: string;
  readonly output: number;
  readonly pause: number;
}

/** Calls that ask for what they use, one after the other; who was refused. */
async function run(bench: GuardBench, calls: readonly Recorded[]): Promise<boolean[]> {
  const refused: boolean[] = [];
  for (const { user, output, pause } of calls) {
    bench.clock.advance(pause);
    const reservation = await bench.guard.reserve(callOf(output, { identity: { user } }));
    refused.push(!reservation.admitted);
    if (!reservation.admitted) continue;
    await reservation.call.settle({ outcome: 'known', usage: usageOf({ output }) });
  }
  return refused;
}

/** Numbers from 0 to below 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomCalls(seed: number): Recorded[] {
  const next = random(seed);
  return Array.from({ length: 120 }, () => ({
    user: ['ann', 'bob', 'cem'][Math.floor(next() * 3)] as string,
    output: 1 + Math.floor(next() * 60),
    pause: Math.floor(next() * 90_000),
  }));
}

describe('what a simulation says', () => {
  const seed = Date.now() % 100_000;
  test.each([seed, seed + 1, seed + 2])(
    'is what a guard does with the same calls (seed %d)',
    async (from) => {
      const calls = randomCalls(from);
      const recorded = recorder(loose);
      expect(await run(recorded, calls)).not.toContain(true);
      const budgets = [daily, perMinute, tokens];
      const real = recorder(budgets);
      const refused = await run(real, calls);
      const denied = refused.filter(Boolean).length;
      expect(denied).toBeGreaterThan(0);
      const said = await simulate({ budgets }, recorded.guard.ledger());
      const cost = calls.reduce((sum, { output }) => sum + output * TOKEN, 0);
      const saved = calls.reduce(
        (sum, call, at) => sum + (refused[at] ? call.output * TOKEN : 0),
        0,
      );
      expect(said).toMatchObject({
        calls: 120,
        denied,
        unbound: 0,
        costNanoUsd: cost,
        savedNanoUsd: saved,
      });
      const byBudget = new Map<string, number>();
      const denials = real.events.filter(
        (event): event is Extract<GuardEvent, { type: 'denied' }> => event.type === 'denied',
      );
      for (const { denial } of denials) {
        for (const { budget } of denial.refusals) {
          byBudget.set(budget, (byBudget.get(budget) ?? 0) + 1);
        }
      }
      expect(said.budgets.map(({ budget, denied: count }) => [budget, count])).toEqual(
        budgets.map(({ name }) => [name, byBudget.get(name) ?? 0]),
      );
      for (const { account, peak, limit } of said.accounts) {
        expect(peak, account).toBeLessThanOrEqual(limit as number);
      }
    },
  );

  test('names the fullest of each account, and when that was', async () => {
    const bench = recorder(loose);
    const at = bench.clock.now();
    await run(bench, [
      { user: 'ann', output: 60, pause: 0 },
      { user: 'ann', output: 30, pause: HOUR },
      { user: 'ann', output: 50, pause: DAY },
      { user: 'bob', output: 100, pause: 0 },
    ]);
    const said = await simulate({ budgets: [daily] }, bench.guard.ledger());
    expect(said).toEqual({
      ...{ calls: 4, denied: 0, unbound: 0, costNanoUsd: 240 * TOKEN, savedNanoUsd: 0 },
      ...{ from: at, to: at + HOUR + DAY, adjustmentsLeftOut: 0, accountsLeftOff: false },
      budgets: [{ budget: 'daily', denied: 0, savedNanoUsd: 0, unmeasured: 0, replayed: true }],
      accounts: [
        {
          ...{ budget: 'daily', account: 'daily|user=bob', unit: 'usd', limit: 100 * TOKEN },
          ...{ peak: 100 * TOKEN, peakAt: at + HOUR + DAY, denied: 0 },
        },
        {
          ...{ budget: 'daily', account: 'daily|user=ann', unit: 'usd', limit: 100 * TOKEN },
          ...{ peak: 90 * TOKEN, peakAt: at + HOUR, denied: 0 },
        },
      ],
    });
  });

  test('counts what a refused call had cost once, and in each budget that refused it', async () => {
    const bench = recorder(loose);
    await run(bench, [
      { user: 'ann', output: 90, pause: 0 },
      { user: 'ann', output: 200, pause: MINUTE },
    ]);
    const said = await simulate({ budgets: [daily, tokens] }, bench.guard.ledger());
    expect(said).toMatchObject({ denied: 1, savedNanoUsd: 200 * TOKEN });
    expect(said.budgets).toMatchObject([
      { budget: 'daily', denied: 1, savedNanoUsd: 200 * TOKEN },
      { budget: 'tpm', denied: 1, savedNanoUsd: 200 * TOKEN },
    ]);
    expect(said.accounts.map(({ denied }) => denied)).toEqual([1, 1]);
  });

  test('goes by what calls held, where that is asked for', async () => {
    const bench = recorder(loose);
    const call = await admit(bench.guard, callOf(4_000, { identity: { user: 'ann' } }));
    await call.settle({ outcome: 'known', usage: usageOf({ output: 10 }) });
    const entries = await collect(bench.guard.ledger());
    expect(await simulate({ budgets: [daily] }, entries)).toMatchObject({ denied: 0 });
    const asked = await simulate({ budgets: [daily] }, entries, { ask: 'held' });
    expect(asked).toMatchObject({ denied: 1, savedNanoUsd: 10 * TOKEN });
  });

  test('counts calls that no budget binds as refused, unless they are allowed', async () => {
    const bench = recorder(loose);
    await run(bench, [{ user: 'ann', output: 5, pause: 0 }]);
    const entries = await collect(bench.guard.ledger());
    const budgets: Budget[] = [{ ...daily, per: ['org'] }];
    expect(await simulate({ budgets }, entries)).toMatchObject({ denied: 1, unbound: 1 });
    const allowed = await simulate({ budgets, unbudgeted: 'allow' }, entries);
    expect(allowed).toMatchObject({ denied: 0, unbound: 0, calls: 1 });
  });

  test('leaves calls out of a budget whose unit they have no figure for, and says so', async () => {
    const bench = recorder([perMinute], {});
    await run(bench, [{ user: 'ann', output: 5, pause: 0 }]);
    const entries = (await collect(bench.guard.ledger())).map(
      ({ costNanoUsd: _, ...entry }): LedgerEntry => ({ ...entry, costNanoUsd: null }),
    );
    const parallel: Budget = {
      name: 'parallel',
      per: [],
      limit: { concurrent: 1 },
      window: 'total',
    };
    const said = await simulate({ budgets: [daily, parallel] }, entries);
    expect(said.budgets).toMatchObject([{ unmeasured: 1, replayed: true }, { replayed: false }]);
    expect(await simulate({ budgets: [daily] }, entries, { prices: PRICES })).toMatchObject({
      costNanoUsd: 5 * TOKEN,
      budgets: [{ unmeasured: 0 }],
    });
  });

  test('lets budgets in USD have no say in what is free', async () => {
    const bench = recorder([perMinute, daily]);
    const free = callOf(50, { model: 'gratis', identity: { user: 'ann' } });
    for (let count = 0; count < 2; count += 1) {
      const call = await admit(bench.guard, free);
      await call.settle({ outcome: 'known', usage: usageOf({ output: 50 }) });
    }
    await run(bench, [{ user: 'ann', output: 100, pause: 0 }]);
    bench.clock.advance(MINUTE);
    await (await admit(bench.guard, free)).settle({
      outcome: 'known',
      usage: usageOf({ output: 9 }),
    });
    const said = await simulate({ budgets: [daily, perMinute] }, bench.guard.ledger());
    expect(said).toMatchObject({ calls: 4, denied: 0, costNanoUsd: 100 * TOKEN });
  });
});

describe('what the ledger says later of a call', () => {
  /** A call that expires, charged at its hold of 80 tokens, and settles late at 20. */
  async function late(): Promise<LedgerEntry[]> {
    const bench = recorder([...loose, { ...tokens, name: 'all', limit: { tokens: 'unlimited' } }]);
    const call = await admit(bench.guard, callOf(80, { identity: { user: 'ann' } }));
    bench.clock.advance(121_000);
    await bench.guard.status({ user: 'ann' });
    await call.settle({ outcome: 'known', usage: usageOf({ output: 20 }) });
    await run(bench, [{ user: 'ann', output: 70, pause: 1_000 }]);
    const entries = await collect(bench.guard.ledger());
    expect(entries.map(({ kind }) => kind)).toEqual(['expiry', 'correction', 'settlement']);
    return entries;
  }

  test('makes room again, in money and in tokens', async () => {
    const total: Budget = { ...tokens, limit: { tokens: 100 }, window: 'total' };
    const said = await simulate({ budgets: [daily, total] }, await late());
    expect(said).toMatchObject({ calls: 2, denied: 0, costNanoUsd: 90 * TOKEN });
    expect(said.accounts.map(({ account, peak }) => [account, peak])).toEqual([
      ['daily|user=ann', 90 * TOKEN],
      ['tpm', 90],
    ]);
  });

  test('changes what the refusal of that call saved', async () => {
    const said = await simulate(
      { budgets: [{ ...daily, limit: { usd: '0.00075' } }] },
      await late(),
    );
    expect(said).toMatchObject({ denied: 1, savedNanoUsd: 20 * TOKEN, costNanoUsd: 90 * TOKEN });
    expect(said.budgets).toMatchObject([{ savedNanoUsd: 20 * TOKEN }]);
  });

  test('by hand too, and adjustments of accounts are left out', async () => {
    const bench = recorder(loose);
    await run(bench, [{ user: 'ann', output: 80, pause: 0 }]);
    const [entry] = await collect(bench.guard.ledger());
    const usage: TokenUsage = usageOf({ output: 10 });
    await bench.guard.correct(entry?.id ?? '', { usage });
    await bench.guard.topUp({ budget: 'daily', identity: { user: 'ann' } }, { usd: '5' });
    await run(bench, [{ user: 'ann', output: 80, pause: 0 }]);
    const total: Budget = { ...tokens, limit: { tokens: 95 }, window: 'total' };
    const said = await simulate({ budgets: [daily, total] }, bench.guard.ledger());
    expect(said).toMatchObject({
      calls: 2,
      denied: 0,
      adjustmentsLeftOut: 1,
      costNanoUsd: 90 * TOKEN,
    });
  });
});
