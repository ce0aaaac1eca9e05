import { readFileSync } from 'node:fs';
import { type GuardConfig, loadConfig } from '@hardcap/core/config';
import { createPriceBook } from '@hardcap/prices';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../wire/exchange.ts';
import { sendChunks } from '../wire/send-chunks.ts';
import { startGateway } from './gateway.ts';
import { STORES, type TestStore } from './stores.ts';
import { denialOf, PATIENTLY, spend, startWorker, type Worker } from './worker.ts';

const CONFIG = readFileSync(new URL('check-then-spend.yaml', import.meta.url), 'utf8');

const CALL = { provider: 'anthropic', model: 'claude-sonnet-4-5', inputTokens: 100 };
const shop = { consumer: 'shop' };
const MINUTE = 60_000;

/** 10,000 tokens for $0.03. */
const LARGE = { input: 10_000 };

describe.each(STORES)('check-then-spend with early usage: %s', (_, open) => {
  function start(environment?: Record<string, string>): Worker & { store: TestStore } {
    const store = open();
    return { store, ...startWorker(store, CONFIG, environment && { environment }) };
  }
  const callOf = (identity: Record<string, string>) => ({ ...CALL, identity });

  test('tokens count by the minute of the epoch, wherever in it somebody begins', async () => {
    const { store, guard } = start();
    store.clock.moveTo('2026-11-30T12:00:59.999Z');
    for (let call = 0; call < 2; call += 1) await spend(guard, callOf(shop), LARGE);
    const denial = await denialOf(guard, callOf(shop));
    expect(denial).toMatchObject({ retryAfterMs: 1, refusals: [{ budget: 'consumer-tokens' }] });
    store.clock.advance(1);
    await spend(guard, callOf(shop), { input: 10 });
  });

  test('cost counts by the day in UTC', async () => {
    const { store, guard } = start();
    for (let minute = 0; minute < 4; minute += 1) {
      await spend(guard, callOf(shop), LARGE);
      store.clock.advance(MINUTE);
    }
    store.clock.moveTo('2026-11-30T23:59:59.999Z');
    const denial = await denialOf(guard, callOf(shop));
    expect(denial).toMatchObject({ retryAfterMs: 1, refusals: [{ budget: 'consumer-cost' }] });
    store.clock.advance(1);
    await spend(guard, callOf(shop), LARGE);
  });

  test('the key is the consumer, and each has its own', async () => {
    const { guard } = start();
    for (let call = 0; call < 2; call += 1) await spend(guard, callOf(shop), LARGE);
    await denialOf(guard, callOf(shop));
    await spend(guard, callOf({ consumer: 'blog' }), LARGE);
  });

  test('or the key is the policy, and its consumers share it', async () => {
    const { guard } = start();
    const free = { policy: 'free' };
    for (let call = 0; call < 2; call += 1) await spend(guard, callOf(free), LARGE);
    const denial = await denialOf(guard, callOf(free));
    expect(denial.refusals).toMatchObject([{ account: 'policy-tokens|policy=free' }]);
    await spend(guard, callOf(shop), LARGE);
  });

  test('who is exhausted is refused before the provider, until the later of the boundaries', async () => {
    const { store, guard } = start();
    const gateway = await startGateway(guard);
    store.clock.moveTo('2026-11-30T12:00:45Z');
    for (let call = 0; call < 2; call += 1) await spend(guard, callOf(shop), LARGE);
    const untilMinute = await gateway.answer(shop);
    expect([untilMinute.status, untilMinute.headers.get('retry-after')]).toEqual([429, '15']);

    store.clock.advance(MINUTE);
    for (let call = 0; call < 2; call += 1) await spend(guard, callOf(shop), LARGE);
    const both = (await denialOf(guard, callOf(shop))).refusals.map(({ budget }) => budget);
    expect(both).toEqual(['consumer-tokens', 'consumer-cost']);
    const untilDay = await gateway.answer(shop);
    const seconds = (Date.parse('2026-12-01') - store.clock.now) / 1_000;
    expect([untilDay.status, untilDay.headers.get('retry-after')]).toEqual([402, `${seconds}`]);
    expect(gateway.provider.exchanges).toEqual([]);
  });

  describe('early usage', () => {
    /** A call of 5,000 tokens of input, said at the start, and one token after the other. */
    async function stream(inputTokens: number, outputTokens = 40) {
      const worker = start();
      const reply = { inputTokens, outputTokens, pace: 'manual' } as const;
      const gateway = await startGateway(worker.guard, reply);
      const answering = gateway.answer(shop);
      const exchange = await gateway.provider.nextExchange();
      const used = async () => {
        const accounts = await worker.guard.status(shop);
        return accounts.map(({ committed, held }) => committed + held);
      };
      return { ...worker, ...gateway, answering, exchange, used };
    }

    test('is spent as it grows: others see it before the call has ended', async () => {
      const { answering, exchange, used, guard, store } = await stream(5_000, 600);
      await exchange.sendChunk();
      const response = await answering;
      await expect.poll(async () => (await used())[0], PATIENTLY).toBeGreaterThan(5_000);
      const [tokens = 0, money = 0] = await used();
      expect(money).toBeGreaterThan(15_000_000);
      await sendChunks(exchange, 400);
      await expect.poll(async () => (await used())[0], PATIENTLY).toBeGreaterThan(tokens);
      await expect.poll(async () => (await used())[1], PATIENTLY).toBeGreaterThan(money);
      // All the others together find only the rest.
      const other = startWorker(store, CONFIG);
      await spend(other.guard, callOf(shop), { input: 15_000 });
      await denialOf(guard, callOf(shop));
      await exchange.finish();
      await response.text();
    });

    test('each reported token is spent once, however often it is reported', async () => {
      const { answering, exchange, provider, guard } = await stream(5_000, 300);
      await exchange.finish();
      await (await answering).text();
      await expect
        .poll(() => guard.status(shop), PATIENTLY)
        .toMatchObject([
          { committed: 5_300, held: 0 },
          { committed: provider.billedNanoUsd(), held: 0 },
        ]);
    });

    /** The start of the answer says 25,000 tokens, and the minute has 20,000. */
    const CROSSING = 25_000;

    async function expectDropped(exchange: Exchange): Promise<void> {
      expect(await exchange.closed).toBe('client-closed');
      expect(exchange.chunksSent).toBeLessThan(40);
    }

    test('that crosses a budget cuts the stream, and is spent', async () => {
      const { answering, exchange, guard } = await stream(CROSSING);
      await (await answering).text();
      await expectDropped(exchange);
      await expect
        .poll(() => guard.status(shop), PATIENTLY)
        .toMatchObject([{ tier: 'exceeded', held: 0 }, { tier: 'ok' }]);
      const [{ committed = 0 } = {}] = await guard.status(shop);
      expect(committed).toBe(CROSSING);
    });

    test('the reader of a cut stream gets the event of the budget, and then the terminator', async () => {
      const { answering } = await stream(CROSSING);
      const response = await answering;
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream',
      ]);
      const events = (await response.text()).trim().split('\n\n');
      expect(events).toHaveLength(2);
      const [kind, data = ''] = (events[0] ?? '').split('\n');
      expect(kind).toBe('event: error');
      expect(JSON.parse(data.replace('data: ', ''))).toMatchObject({
        code: 'BUDGET_EXCEEDED',
        budget: 'consumer-tokens',
        status: 429,
      });
      expect(events[1]).toBe('data: [DONE]');
    });

    test('the provider is dropped even where the reader stalls', async () => {
      const { answering, exchange, guard } = await stream(CROSSING);
      const response = await answering;
      await expectDropped(exchange);
      await expect
        .poll(() => guard.status(shop), PATIENTLY)
        .toMatchObject([{ tier: 'exceeded', held: 0 }, {}]);
      await response.body?.cancel();
    });
  });

  test('a reload keeps the windows', async () => {
    const { guard } = start();
    for (let call = 0; call < 2; call += 1) await spend(guard, callOf(shop), LARGE);
    await reload(guard, loadConfig(CONFIG.replaceAll('20000', '30000')));
    await spend(guard, callOf(shop), LARGE);
    expect(await guard.status(shop)).toMatchObject([
      { committed: 30_000, limit: 30_000 },
      { committed: 90_000_000, limit: 100_000_000 },
    ]);
    await denialOf(guard, callOf(shop));
  });

  test('a reload prunes what has no budget any more: from the guard at once, from the store with its windows', async () => {
    const { store, guard, config } = start();
    const kept = { team: 'web' };
    await spend(guard, callOf({ ...shop, ...kept }), LARGE);
    const budgets = config.budgets.filter(({ per }) => !per.includes('consumer'));
    await reload(guard, { ...config, budgets });
    expect(await guard.status({ ...shop, ...kept })).toMatchObject([{ budget: 'team-cost' }]);
    await spend(guard, callOf({ ...shop, ...kept }), LARGE);
    expect(await guard.status(kept)).toMatchObject([{ committed: 60_000_000 }]);
    expect(await guard.verify()).toMatchObject({ accounts: 3, differences: [] });

    store.clock.moveTo('2026-12-04T12:00:00Z');
    // Stores tidy up as others come.
    for (let team = 0; team < 70; team += 1) {
      await spend(guard, callOf({ team: `${team}` }), { input: 10 });
      if (team === 0) await store.prune();
    }
    expect(await guard.verify()).toMatchObject({ accounts: 70, differences: [] });
  });

  test('who is anonymous falls through to the budget of the team', async () => {
    const { guard } = start();
    await spend(guard, callOf({ team: 'web' }), { input: 70_000 });
    const denial = await denialOf(guard, callOf({ team: 'web' }));
    expect(denial.refusals.map(({ account }) => account)).toEqual(['team-cost|team=web']);
  });

  test('who has no budget is unlimited, where that is asked for, and refused otherwise', async () => {
    const strict = start();
    await expect(strict.guard.reserve(CALL)).rejects.toMatchObject({ code: 'IDENTITY_MISSING' });
    const { guard } = start({ UNBUDGETED: 'allow' });
    for (let call = 0; call < 5; call += 1) await spend(guard, CALL, { input: 1_000_000 });
  });
});

async function reload(guard: Worker['guard'], config: GuardConfig): Promise<void> {
  await guard.reconfigure({ ...config, prices: createPriceBook(config.prices) });
}
