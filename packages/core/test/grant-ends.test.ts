import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Budget, MemoryUsageSink } from '../src/index.ts';
import { summarize } from '../src/ledger.ts';
import { simulate } from '../src/simulate.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  eventsOf,
  type GuardBench,
  usageOf,
  usdBudget,
} from './support/guard.ts';
import { cost } from './support/outage-scene.ts';

const AGENT = { org: 'acme', run: 'r1' };
const RUN = usdBudget('5', { name: 'run', per: ['run'] });
const TTL_MS = 120_000;
const slice = (usd: string) => ({ from: AGENT, limit: { usd } });
const on = (grant: string, tokens = 100) => callOf(tokens, { identity: { ...AGENT, grant } });

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Two processes on one sink: one makes grants, one is given their tokens. */
function pairOf(
  budgets: readonly Budget[],
  maxCallMs = 3_600_000,
): readonly [GuardBench, GuardBench] {
  const clock = { now: Date.now, advance: vi.setSystemTime, set: vi.setSystemTime };
  const sink = new MemoryUsageSink();
  const bench = () => benchOf(budgets, { sink, clock, maxCallMs });
  return [bench(), bench()];
}

async function figures({ guard }: GuardBench): Promise<number[][]> {
  const status = await guard.status(AGENT);
  return status.map(({ committed, held }) => [committed, held]);
}

describe('the end of a grant', () => {
  test('tells what it crosses', async () => {
    const [{ guard, events }] = pairOf([{ ...RUN, warnAt: [0.1] }]);
    const grant = await guard.grant(slice('2'));
    await (await admit(guard, on(grant.id, 100_000))).settle(cost(1e9));
    expect(eventsOf(events, 'threshold-crossed')).toEqual([]);
    await grant.close();
    expect(eventsOf(events, 'threshold-crossed')).toMatchObject([
      { budget: 'run', threshold: 0.1 },
    ]);
  });

  test('is not for what an earlier look saw: a call that came since is paid for', async () => {
    const [maker, child] = pairOf([RUN]);
    const grant = await maker.guard.grant(slice('2'));
    await child.guard.grant(grant.token);
    const read = maker.sink.read.bind(maker.sink);
    maker.sink.read = (accounts) => {
      maker.sink.read = read;
      const answer = read(accounts);
      return new Promise((done) => setTimeout(() => done(answer), 900));
    };
    // The beat reads that nothing is held, and hears of it after the grant was closed.
    await vi.advanceTimersByTimeAsync(40_000);
    const call = await admit(child.guard, on(grant.id));
    expect(await grant.close()).toEqual({ spent: 0, held: 1_000_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    await call.settle(cost(700_000));
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await figures(maker)).toEqual([[700_000, 0]]);
  });

  test('where its process dies charges it, whatever the budget says of calls', async () => {
    const [maker, child] = pairOf([{ ...RUN, onExpiry: 'release' }]);
    const grant = await maker.guard.grant(slice('5'));
    await child.guard.grant(grant.token);
    await (await admit(child.guard, on(grant.id))).settle(cost(4e9));
    await maker.guard.close();
    await vi.advanceTimersByTimeAsync(TTL_MS);
    expect(await figures(child)).toEqual([[5e9, 0]]);
  });

  test('by the hand of another process is found with the next beat', async () => {
    const [maker, child] = pairOf([RUN]);
    const grant = await maker.guard.grant(slice('2'));
    const joined = await child.guard.grant(grant.token);
    const call = await admit(child.guard, on(grant.id));
    await joined.revoke();
    await vi.advanceTimersByTimeAsync(1);
    expect(call.signal.aborted).toBe(true);
    await call.settle(cost(700_000));
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await figures(maker)).toEqual([[700_000, 0]]);
  });
});

describe('what a process knows of grants', () => {
  test('lasts as long as a grant is kept alive, however many others come and go', async () => {
    const [{ guard }, bench] = pairOf(
      [usdBudget('9000', { name: 'run', per: ['run'] })],
      86_400_000,
    );
    const grant = await guard.grant(slice('1'));
    for (let others = 0; others < 20_001; others += 1) {
      await (await guard.grant(slice('0.0001'))).close();
      if (others % 9_000 === 0) await vi.advanceTimersByTimeAsync(40_000);
    }
    const call = await admit(guard, on(grant.id));
    await grant.close();
    await call.settle(cost(5));
    await vi.advanceTimersByTimeAsync(1);
    expect(await figures(bench)).toEqual([[5, 0]]);
  }, 60_000);

  test('counts also for callers that it knew before', async () => {
    const [maker, child] = pairOf([RUN]);
    const grant = await maker.guard.grant(slice('2'));
    await (await admit(child.guard, on(grant.id))).release();
    await child.guard.grant(grant.token);
    await (await admit(child.guard, on(grant.id))).settle(cost(7));
    const entries = await collect(child.guard.ledger({ kind: 'settlement' }));
    expect(entries.map(({ charges }) => charges.map(({ account }) => account))).toEqual([
      [`grant|grant=${grant.id}`],
    ]);
  });

  test('has no secret of who pays in anything that it writes down', async () => {
    const { guard, sink } = benchOf([usdBudget('5', { per: ['apiKey'] })]);
    const grant = await guard.grant({ from: { apiKey: 'sk-very-secret' }, limit: { usd: '1' } });
    await (await admit(guard, callOf(10, { identity: grant.identity }))).settle(cost(1));
    await grant.revoke();
    expect(JSON.stringify(await collect(sink.entries()))).not.toContain('very-secret');
    expect(grant.token).not.toContain('very-secret');
  });
});

describe('in the ledger, a grant is no call', () => {
  test.each(['closed', 'expired', 'closed late'])(
    '%s, it costs nothing beside its calls',
    async (how) => {
      const [maker, child] = pairOf([RUN]);
      const { guard } = maker;
      const grant = await guard.grant(slice('2'));
      await (await admit(guard, on(grant.id))).settle(cost(7));
      if (how !== 'closed') {
        await guard.close();
        await vi.advanceTimersByTimeAsync(TTL_MS);
        expect(await figures(child)).toEqual([[2e9, 0]]);
      }
      if (how !== 'expired') {
        await grant.close();
        expect(await figures(child)).toEqual([[7, 0]]);
      }
      const entries = await collect(child.guard.ledger());
      expect(entries.filter(({ grant: of }) => of === grant.id)).not.toEqual([]);
      expect(await summarize(entries, { by: [] })).toMatchObject([
        { calls: 1, costNanoUsd: 7, corrections: 0, chargedAtHold: 0 },
      ]);
      const one: Budget = { name: 'one', per: ['run'], limit: { requests: 1 }, window: 'total' };
      expect(await simulate({ budgets: [RUN, one] }, entries)).toMatchObject({
        calls: 1,
        denied: 0,
        costNanoUsd: 7,
      });
      expect((await child.sink.verify()).differences).toEqual([]);
    },
  );
});

describe('grants of tokens and of requests', () => {
  const TOKENS: Budget = {
    name: 'tokens',
    per: ['run'],
    limit: { tokens: 1_000 },
    window: 'total',
  };
  const OUTPUT: Budget = { ...TOKENS, name: 'output', limit: { tokens: 500, count: 'output' } };
  const CALLS: Budget = { name: 'calls', per: ['run'], limit: { requests: 10 }, window: 'total' };

  test('are held by the budgets that count the same, and paid for by them', async () => {
    const [maker] = pairOf([TOKENS, OUTPUT, CALLS]);
    const { guard } = maker;
    const tokens = await guard.grant({ from: AGENT, limit: { tokens: 400 } });
    const calls = await guard.grant({ from: AGENT, limit: { requests: 3 } });
    expect(await figures(maker)).toEqual([
      [0, 400],
      [0, 0],
      [0, 3],
    ]);
    await (await admit(guard, on(tokens.id, 300))).settle({ outcome: 'unknown' });
    expect(await figures(maker)).toEqual([
      [0, 400],
      [300, 0],
      [1, 3],
    ]);
    for (let call = 0; call < 3; call += 1) await (await admit(guard, on(calls.id, 10))).release();
    await (await admit(guard, on(calls.id, 10))).settle({ outcome: 'unknown' });
    expect(await tokens.close()).toEqual({ spent: 300, held: 0 });
    expect(await calls.close()).toEqual({ spent: 1, held: 0 });
    expect(await figures(maker)).toEqual([
      [310, 0],
      [310, 0],
      [2, 0],
    ]);
    expect((await maker.sink.verify()).differences).toEqual([]);
  });

  test('can be had for as much as there is, and divided into their own unit alone', async () => {
    const [{ guard }] = pairOf([TOKENS, RUN]);
    const whole = guard.grant({ from: AGENT, limit: { tokens: 1_001 } });
    await expect(whole).rejects.toMatchObject({ denial: { refusals: [{ budget: 'tokens' }] } });
    const output = guard.grant({ from: AGENT, limit: { tokens: 5, count: 'output' } });
    await expect(output).rejects.toThrow('No budget in tokens (output) binds `from`');
    const grant = await guard.grant({ from: AGENT, limit: { tokens: 400 }, depth: 1 });
    const from = grant.identity;
    await expect(guard.grant({ from, limit: { usd: '1' } })).rejects.toThrow(
      'is of tokens (total), and can be divided into that alone',
    );
    const part = await guard.grant({ from, limit: { tokens: 300 } });
    await expect(guard.grant({ from, limit: { tokens: 101 } })).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
    });
    await part.close();
    await guard.grant({ from, limit: { tokens: 400 } });
  });

  test('are given back as much as is left after a call was corrected', async () => {
    const [maker, child] = pairOf([OUTPUT, CALLS]);
    const grant = await maker.guard.grant({ from: AGENT, limit: { tokens: 400, count: 'output' } });
    const call = await admit(maker.guard, on(grant.id, 300));
    await call.settle({ outcome: 'unknown' });
    // Another process need not know the grant for that.
    await child.guard.correct(call.id, { usage: usageOf({ output: 20 }) });
    expect(await grant.close()).toEqual({ spent: 20, held: 0 });
    expect(await figures(maker)).toEqual([
      [20, 0],
      [1, 0],
    ]);
    expect((await maker.sink.verify()).differences).toEqual([]);
  });

  test('are worth nothing in another unit than their own', async () => {
    const [maker, child] = pairOf([TOKENS, RUN]);
    const grant = await maker.guard.grant({ from: AGENT, limit: { tokens: 400 } });
    await child.guard.grant(grant.token.replace('"tokens"', '"requests"'));
    expect((await child.guard.reserve(on(grant.id, 1))).admitted).toBe(false);
  });
});
