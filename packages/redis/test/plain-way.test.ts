import {
  type Account,
  type Awaitable,
  MemoryUsageSink,
  type SettleRequest,
  type SinkNotice,
} from '@hardcap/core';
import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { RedisUsageSink } from '../src/index.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { RedisServer } from './support/redis-server.ts';
import { UNHURRIED_MS } from './support/unhurried.ts';

// What most calls are: reserved on the same accounts again and again, and settled with an amount for
// each of them in the same order. Scripts have a shorter way for that, which must come to the same.
const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  client.disconnect();
  await server.stop();
});

const WARNED = { thresholds: [100_000, 250_000, 500_000, 1_000_000] };
const LIMIT = 60;
const MINUTE = 60_000;

const step = fc.record({
  amount: fc.nat(9),
  /** Of each account, what it costs above or below what was held; null says `hold`. */
  over: fc.tuple(...Array.from({ length: 6 }, () => fc.option(fc.integer({ min: -9, max: 1 })))),
  wait: fc.constantFrom(0, 0, 0, 1, 7_000, MINUTE),
  ttlMs: fc.constantFrom(5_000, 70_000, 10 * MINUTE, 10 * MINUTE),
  end: fc.constantFrom('settle', 'settle', 'settle', 'later', 'later', 'release', 'limit'),
});

/** Expiries that one call comes upon are in no order. */
function comparable(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('notices' in answer)) return answer;
  const names = (answer.notices as readonly SinkNotice[]).map((notice) => {
    if (notice.type === 'reservation-expired') return notice.id;
    return notice.type === 'store-reset' ? notice.type : `${notice.account} ${notice.threshold}`;
  });
  return { ...answer, notices: names.toSorted() };
}

test('the short way of most calls comes to what the memory sink comes to', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 10, maxLength: 40 }),
    async (steps) => {
      const accounts = [
        accountOf('total', { ...WARNED, limit: LIMIT }),
        accountOf('minute', { ...WARNED, limit: LIMIT, window: { fixed: '1m' } }),
        accountOf('saved', { ...WARNED, limit: 45, rollover: 30, window: { fixed: '1m' } }),
        accountOf('bare', { thresholds: [], limit: 45 }),
        accountOf('rolling', {
          ...WARNED,
          limit: LIMIT,
          window: { rolling: '5m', resolution: '1m' },
        }),
        accountOf('carried', { limit: null, window: { fixed: '1m' }, attribute: 'settle' }),
      ].slice(0, steps.length % 2 === 0 ? 4 : 6);
      let time = 1_800_000_000_000;
      const now = () => time;
      const sinks = [
        new MemoryUsageSink({ now }),
        new RedisUsageSink(client, {
          now,
          namespace: crypto.randomUUID(),
          rememberedMs: 1e12,
          idleMs: 1e12,
          timeoutMs: UNHURRIED_MS,
        }),
      ] as const;
      const both = async <Answer>(ask: (sink: (typeof sinks)[number]) => Awaitable<Answer>) => {
        const [memory, redis] = [await ask(sinks[0]), await ask(sinks[1])];
        expect(comparable(redis)).toEqual(comparable(memory));
        return redis;
      };
      let delayed: SettleRequest[] = [];
      for (const [place, { amount, over, wait, ttlMs, end }] of steps.entries()) {
        const id = `r${place}`;
        const claims = accounts.map((account) => claimOn(account, amount));
        const { admitted } = await both((sink) => sink.reserve({ id, claims, ttlMs }));
        const [limited] = accounts as [Account];
        const change = {
          type: 'limit',
          limit: place % 2 === 0 ? 20 : 200,
          until: time + 5_000,
        } as const;
        if (end === 'limit') {
          await both((sink) => sink.adjust({ id, account: limited, change, details: {} }));
        }
        time += wait;
        const charges = accounts.map(({ key: account }, index) => {
          const by = over[index] ?? null;
          return { account, amount: by === null ? ('hold' as const) : Math.max(0, amount + by) };
        });
        const settlement = { id, outcome: 'known', charges, details: { place } } as const;
        // Those of the step before, whose windows may be over by now.
        for (const request of delayed) await both((sink) => sink.settle(request));
        delayed = admitted && end === 'later' ? [settlement] : [];
        if (admitted && end === 'settle') await both((sink) => sink.settle(settlement));
        if (admitted && end === 'release') await both((sink) => sink.release(id));
        await both((sink) => sink.read(accounts));
      }
      await both(async (sink) => ({ ...(await sink.verify()), accounts: 0 }));
    },
  );
  await fc.assert(property, { numRuns: 150 });
}, 60_000);

test('what the short way is not for: an amount above the hold, and a limit that has ended', async () => {
  let time = 1_800_000_000_000;
  const sink = new RedisUsageSink(client, { now: () => time, namespace: crypto.randomUUID() });
  const bare = accountOf('bare', { thresholds: [] });
  const spend = async (
    id: string,
    account: Account,
    held: number,
    amount: number,
    wait: number,
  ) => {
    await sink.reserve({ id, claims: [claimOn(account, held)], ttlMs: MINUTE });
    time += wait;
    const charges = [{ account: account.key, amount }];
    return sink.settle({ id, outcome: 'known', charges, details: {} });
  };
  await spend('r1', bare, 60, 60, 0);
  expect(await spend('r2', bare, 40, 41, 0)).toMatchObject({ overshoot: [{ amount: 1 }] });

  const warned = accountOf('warned', { thresholds: [500_000] });
  const change = { type: 'limit', limit: 1_000, until: time + 5_000 } as const;
  await sink.adjust({ id: 'a1', account: warned, change, details: {} });
  const { notices } = await spend('r3', warned, 60, 60, 5_000);
  expect(notices).toMatchObject([{ type: 'threshold-crossed', threshold: 0.5, limit: 100 }]);
});

test('a limit that came with a refused call counts for thresholds from the next call on', async () => {
  const sink = new RedisUsageSink(client, { namespace: crypto.randomUUID() });
  const [warned, full] = [accountOf('warned', { thresholds: [500_000] }), accountOf('full')];
  const spend = async (id: string, account: Account, amount: number) => {
    await sink.reserve({ id, claims: [claimOn(account, amount)], ttlMs: MINUTE });
    return sink.settle({ id, outcome: 'known', charges: [], details: {} });
  };
  await spend('r1', warned, 40);
  const lowered = { ...warned, rule: { ...warned.rule, limit: 60 } };
  const claims = [claimOn(lowered, 1), claimOn(full, 101)];
  expect(await sink.reserve({ id: 'r2', claims, ttlMs: MINUTE })).toMatchObject({
    admitted: false,
  });
  const { notices } = await spend('r3', lowered, 0);
  expect(notices).toMatchObject([{ type: 'threshold-crossed', threshold: 0.5, committed: 40 }]);
});
