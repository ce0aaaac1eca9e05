import { readFileSync } from 'node:fs';
import { BudgetExceededError, type Identity, type SpendGuard, toHttpResponse } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { sendChunks } from '../wire/send-chunks.ts';
import { startGateway } from './gateway.ts';
import { STORES, type TestStore } from './stores.ts';
import { admit, denialOf, PATIENTLY, spend, startWorker, usageOf, type Worker } from './worker.ts';

const CONFIG = readFileSync(new URL('reserve-and-reconcile.yaml', import.meta.url), 'utf8');

const web = { key: 'web', team: 'shop' };
const CALL = { identity: web, provider: 'acme', model: 'large' };
/** At most 1,000 tokens in and 1,000 out, which is 1.8 cents. */
const SMALL = { ...CALL, inputTokens: 1_000, maxOutputTokens: 1_000 };
const CENT = 10_000_000;

describe.each(STORES)('reserve and reconcile: %s', (_, open) => {
  function start(environment?: Record<string, string>): Worker & { store: TestStore } {
    const store = open();
    return { store, ...startWorker(store, CONFIG, environment && { environment }) };
  }
  /** Committed and held of the key in money, of the team, and of the key in tokens. */
  async function figures({ guard }: Worker, identity: Identity = web): Promise<number[][]> {
    return (await guard.status(identity)).map(({ committed, held }) => [committed, held]);
  }

  test('the estimate is the prompt and the most that may be answered', async () => {
    const worker = start();
    await admit(worker.guard, SMALL);
    expect(await figures(worker)).toEqual([
      [0, 1.8 * CENT],
      [0, 1.8 * CENT],
      [0, 2_000],
    ]);
  });

  test('several budgets are held by one reservation: all of them, or none', async () => {
    const worker = start();
    for (let call = 0; call < 5; call += 1) await admit(worker.guard, SMALL);
    const before = await figures(worker);
    // Money for one more of these is left, and tokens are not.
    const cheap = { ...SMALL, maxOutputTokens: 1 };
    const denial = await denialOf(worker.guard, cheap);
    expect(denial.refusals).toMatchObject([{ budget: 'key-tokens', kind: 'held' }]);
    expect(await figures(worker)).toEqual(before);
    expect(await worker.guard.verify()).toMatchObject({ reservations: 5, differences: [] });
  });

  test('a call that used less gives the rest back', async () => {
    const worker = start();
    await spend(worker.guard, SMALL, { input: 800, output: 200 });
    expect(await figures(worker)).toEqual([
      [0.54 * CENT, 0],
      [0.54 * CENT, 0],
      [1_000, 0],
    ]);
  });

  test('a call that used more is charged in full', async () => {
    const worker = start();
    const call = await admit(worker.guard, SMALL);
    const usage = usageOf({ input: 1_000, output: 6_000 });
    const { overshoot } = await call.settle({ outcome: 'known', usage });
    expect(await figures(worker)).toEqual([
      [9.3 * CENT, 0],
      [9.3 * CENT, 0],
      [7_000, 0],
    ]);
    expect(overshoot).toEqual([]);
    const next = await denialOf(worker.guard, SMALL);
    expect(next.refusals).toMatchObject([{ budget: 'key-cost-daily', kind: 'too-large' }]);
  });

  test('an answer without usage is charged at its estimate', async () => {
    const worker = start();
    await (await admit(worker.guard, SMALL)).settle({ outcome: 'known' });
    expect(await figures(worker)).toEqual([
      [1.8 * CENT, 0],
      [1.8 * CENT, 0],
      [2_000, 0],
    ]);
  });

  test('a call that may not have run is charged at its estimate, or not, as each budget says', async () => {
    const failing = async (worker: Worker): Promise<number[][]> => {
      const lost = async () => {
        throw new Error('the connection was lost');
      };
      await expect(worker.guard.run(SMALL, lost)).rejects.toThrow('was lost');
      return figures(worker);
    };
    const charged = [1.8 * CENT, 0];
    expect(await failing(start())).toEqual([charged, charged, [2_000, 0]]);
    const released = start({ ON_UNKNOWN: 'release' });
    expect(await failing(released)).toEqual([charged, [0, 0], [2_000, 0]]);
  });

  describe('a client that hangs up', () => {
    const reply = { inputTokens: 20, outputTokens: 400, pace: 'manual' } as const;

    test('stops the provider, and what was metered is charged', async () => {
      const worker = start();
      const { provider, answer } = await startGateway(worker.guard, reply);
      const client = new AbortController();
      const answering = answer(web, client.signal);
      const exchange = await provider.nextExchange();
      await sendChunks(exchange, 5);
      await (await answering).body?.getReader().read();
      client.abort();
      expect(await exchange.closed).toBe('client-closed');
      await expect.poll(() => held(worker), PATIENTLY).toEqual([0, 0, 0]);
      const [[cost = 0] = []] = await figures(worker);
      expect(cost).toBeGreaterThanOrEqual(provider.billedNanoUsd());
      expect(cost).toBeLessThan(0.1 * CENT);
    });

    test('is read on for, where the gateway says so, and all of it is charged', async () => {
      const worker = start();
      const { provider, answer } = await startGateway(worker.guard, reply);
      const answering = answer(web);
      const exchange = await provider.nextExchange();
      await exchange.sendChunk();
      await (await answering).body?.cancel();
      await exchange.finish();
      await expect.poll(() => held(worker), PATIENTLY).toEqual([0, 0, 0]);
      const cost = provider.billedNanoUsd();
      expect(await figures(worker)).toEqual([
        [cost, 0],
        [cost, 0],
        [420, 0],
      ]);
    });

    const held = async (worker: Worker) => (await figures(worker)).map(([, amount]) => amount);
  });

  test('the window is part of the key: a new one begins empty, and nobody has to sweep', async () => {
    const worker = start();
    const { store, guard } = worker;
    const windows = async () => (await guard.status(web)).map(({ window }) => window.id);
    expect(await windows()).toEqual([
      'day:2026-11-30T00:00:00Z',
      'month:2026-11-01T00:00:00Z',
      '1m:2026-11-30T12:00:00Z',
    ]);
    store.clock.moveTo('2026-11-30T23:59:59Z');
    const late = await admit(guard, SMALL);
    await spend(guard, SMALL, { input: 1_000, output: 1_000 });
    store.clock.moveTo('2026-12-01T00:00:00Z');
    expect(await figures(worker)).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    // What was admitted before midnight is charged to its own windows.
    await late.settle({ outcome: 'known', usage: usageOf({ output: 1_000 }) });
    await spend(guard, SMALL, { input: 1_000 });
    expect(await figures(worker)).toEqual([
      [0.3 * CENT, 0],
      [0.3 * CENT, 0],
      [1_000, 0],
    ]);
  });

  test('402 says that money is missing, 429 that tokens are', async () => {
    const { guard } = start();
    const statusOf = async (request: typeof SMALL) => {
      const denial = await denialOf(guard, request);
      return toHttpResponse(new BudgetExceededError(denial)).status;
    };
    const dear = { ...SMALL, maxOutputTokens: 8_000 };
    expect(await statusOf(dear)).toBe(402);
    const long = { ...SMALL, inputTokens: 12_000, maxOutputTokens: 1 };
    expect(await statusOf(long)).toBe(429);
  });

  test('after each reservation it is observed how near the limits are', async () => {
    const { guard } = start();
    const observed: string[][] = [];
    for (let call = 0; call < 5; call += 1) {
      await admit(guard, SMALL);
      observed.push(await nearLimits(guard, SMALL.identity));
    }
    expect(observed).toEqual([
      [],
      [],
      [],
      ['key-tokens 80 %'],
      ['key-cost-daily 90 %', 'key-tokens 100 %'],
    ]);
  });
});

/** The accounts of which four fifths are spent or held, and how much that is. */
async function nearLimits(guard: SpendGuard, identity: Identity): Promise<string[]> {
  const shares = (await guard.status(identity)).map(({ budget, committed, held, limit }) => {
    return [budget, (committed + held) / (limit ?? Infinity)] as const;
  });
  return shares
    .filter(([, share]) => share >= 0.8)
    .map(([budget, share]) => `${budget} ${Math.round(share * 100)} %`);
}
