import { describe, expect, test } from 'vitest';
import type { Budget, SpendCall } from '../src/index.ts';
import { HOUR, NOON } from './support/clock.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  type GuardBench,
  usageOf,
  usdBudget,
} from './support/guard.ts';

/** $0.001, which 100 output tokens cost. */
const DAILY: Budget = {
  name: 'user-daily',
  per: ['user'],
  limit: { usd: '0.001' },
  window: { calendar: 'day' },
};
const ann = { user: 'ann' };
const annDaily = { budget: 'user-daily', identity: ann };

async function spend({ guard }: GuardBench, output: number, identity = ann): Promise<void> {
  const call = await admit(guard, callOf(output, { identity }));
  await call.settle({ outcome: 'known', usage: usageOf({ output }) });
}

describe('case C-93: a top-up', () => {
  test('lets the next call pass, also that of another guard over the same sink', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 100);
    const other = benchOf([DAILY], { sink: bench.sink, clock: bench.clock });
    await denialFor(other.guard, callOf(20, { identity: ann }));
    expect(await bench.guard.topUp(annDaily, { usd: '0.0002' })).toMatchObject({
      account: 'user-daily|user=ann',
      limit: 1_200_000,
      committed: 1_000_000,
      remaining: 200_000,
      tier: 'ok',
    });
    await admit(other.guard, callOf(20, { identity: ann }));
    await denialFor(other.guard, callOf(1, { identity: ann }));
  });

  test.each([
    [{ tokens: 100 }, { tokens: 50 }, 150],
    [{ requests: 3 }, { requests: 2 }, 5],
    [{ usd: '1' }, { usd: '0.5' }, 1_500_000_000],
  ] as const)('of a limit of %j by %j', async (limit, amount, expected) => {
    const { guard } = benchOf([usdBudget('1', { limit })]);
    expect(await guard.topUp({ budget: 'cap' }, amount)).toMatchObject({ limit: expected });
  });

  test('is for the current window', async () => {
    const { guard, clock } = benchOf([DAILY]);
    await guard.topUp(annDaily, { usd: '1' });
    clock.advance(12 * HOUR);
    expect(await guard.status(ann)).toMatchObject([{ limit: 1_000_000 }]);
  });
});

describe('a limit by hand', () => {
  test('ends by itself at its time', async () => {
    const { guard, clock } = benchOf([DAILY]);
    await guard.setLimit(annDaily, { limit: { usd: '5' }, until: new Date(NOON + HOUR) });
    await guard.setLimit(annDaily, { add: { usd: '1' }, until: NOON + HOUR / 2 });
    const limits = [];
    for (const ms of [0, HOUR / 2, HOUR / 2 - 1, 1]) {
      clock.advance(ms);
      limits.push((await guard.status(ann))[0]?.limit);
    }
    expect(limits).toEqual([6e9, 5e9, 5e9, 1_000_000]);
    await denialFor(guard, callOf(101, { identity: ann }));
  });

  test('without a time is for good, until it is taken back', async () => {
    const { guard, clock } = benchOf([DAILY]);
    await guard.setLimit(annDaily, { limit: 'unlimited' });
    await guard.setLimit(annDaily, { add: { usd: '2' } });
    clock.advance(100 * HOUR);
    expect(await guard.status(ann)).toMatchObject([{ limit: null }]);
    expect(await guard.setLimit(annDaily, { limit: 'configured' })).toMatchObject({
      limit: 2_001_000_000,
    });
    expect(await guard.setLimit(annDaily, { add: { usd: '0' } })).toMatchObject({
      limit: 1_000_000,
    });
  });

  test('of calls at the same time', async () => {
    const { guard } = benchOf([usdBudget('1', { limit: { concurrent: 1 } })]);
    await admit(guard, callOf(1));
    await denialFor(guard, callOf(1));
    await guard.setLimit({ budget: 'cap' }, { limit: { concurrent: 2 } });
    await admit(guard, callOf(1));
  });
});

describe('a block', () => {
  test('refuses the calls of its account until it is lifted', async () => {
    const { guard } = benchOf([DAILY]);
    expect(await guard.block(annDaily)).toMatchObject({ tier: 'blocked' });
    const { refusals } = await denialFor(guard, callOf(1, { identity: ann }));
    expect(refusals).toMatchObject([{ kind: 'blocked', account: 'user-daily|user=ann' }]);
    await admit(guard, callOf(1, { identity: { user: 'bob' } }));
    expect(await guard.unblock(annDaily)).toMatchObject({ tier: 'ok' });
    await admit(guard, callOf(1, { identity: ann }));
  });

  test('of the configuration is not lifted', async () => {
    const { guard } = benchOf([{ name: 'closed', per: [], window: 'total', block: true }]);
    expect(await guard.unblock({ budget: 'closed' })).toMatchObject({ tier: 'blocked' });
  });
});

describe('case C-94: a reset', () => {
  test('gives the window back, and leaves calls in flight to be charged in full', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 40);
    const call = await admit(bench.guard, callOf(60, { identity: ann }));
    expect(await bench.guard.reset(annDaily)).toMatchObject({ committed: 0, held: 600_000 });
    await call.settle({ outcome: 'known', usage: usageOf({ output: 50 }) });
    expect(await bench.guard.status(ann)).toMatchObject([{ committed: 500_000, held: 0 }]);
    expect((await bench.guard.verify()).differences).toEqual([]);
  });

  test('is not undone by what a call of before settles late', async () => {
    const { guard, clock } = benchOf([DAILY]);
    const call = await admit(guard, callOf(60, { identity: ann }));
    clock.advance(120_000);
    await guard.reset(annDaily);
    await call.settle({ outcome: 'known', usage: usageOf({ output: 20 }) });
    expect(await guard.status(ann)).toMatchObject([{ committed: 0, held: 0 }]);
    await denialFor(guard, callOf(101, { identity: ann }));
  });

  test('in the midst of a hundred calls neither loses nor doubles one', async () => {
    const { guard } = benchOf([{ ...DAILY, limit: { usd: '1' } }]);
    const inFlight: SpendCall[] = [];
    const settle = async (call: SpendCall | undefined, output: number) =>
      call?.settle({ outcome: 'known', usage: usageOf({ output }) });
    for (let output = 0; output < 100; output += 1) {
      inFlight.push(await admit(guard, callOf(60, { identity: ann })));
      const reset = output % 20 === 7 ? guard.reset(annDaily) : undefined;
      if (inFlight.length > 10) await settle(inFlight.shift(), 10);
      await reset;
    }
    await Promise.all(inFlight.map((call) => settle(call, 10)));
    const entries = await collect(guard.ledger());
    const amounts = entries.flatMap(({ charges }) => charges.map(({ amount }) => amount));
    const settled = amounts.filter((amount) => amount > 0);
    expect(settled.reduce((sum, amount) => sum + amount, 0)).toBe(100 * 10 * 10_000);
    const [status] = await guard.status(ann);
    expect(status).toMatchObject({ held: 0 });
    expect(status?.committed).toBe(amounts.reduce((sum, amount) => sum + amount, 0));
    expect((await guard.verify()).differences).toEqual([]);
  });
});

describe('case C-43: a credential that is rotated', () => {
  const budgets = [DAILY, usdBudget('1', { name: 'key', per: ['apiKey'] })];

  test('opens nothing: the budget is that of the stable id', async () => {
    const { guard } = benchOf(budgets);
    const first = { ...ann, apiKey: 'sk-one' };
    const call = await admit(guard, callOf(100, { identity: first }));
    await call.settle({ outcome: 'known', usage: usageOf({ output: 100 }) });
    const { refusals } = await denialFor(
      guard,
      callOf(1, { identity: { ...ann, apiKey: 'sk-2' } }),
    );
    expect(refusals).toMatchObject([{ account: 'user-daily|user=ann', kind: 'spent' }]);
  });

  test('is selected by its value, and shown as its hash', async () => {
    const { guard } = benchOf(budgets);
    const status = await guard.block({ budget: 'key', identity: { apiKey: 'sk-one' } });
    expect(status.account).toMatch(/^key\|apiKey=[0-9a-f]{16}$/);
    const entries = await collect(guard.ledger({ identity: { apiKey: 'sk-one' } }));
    expect(entries).toMatchObject([{ account: status.account }]);
    expect(JSON.stringify([status, entries])).not.toContain('sk-one');
  });
});

describe('every adjustment', () => {
  const orders: [string, (bench: GuardBench, id: string) => Promise<unknown>][] = [
    ['top-up', ({ guard }, id) => guard.topUp(annDaily, { usd: '1' }, { id })],
    ['limit', ({ guard }, id) => guard.setLimit(annDaily, { limit: { usd: '1' } }, { id })],
    ['limit-add', ({ guard }, id) => guard.setLimit(annDaily, { add: { usd: '1' } }, { id })],
    ['block', ({ guard }, id) => guard.block(annDaily, { id })],
    ['unblock', ({ guard }, id) => guard.unblock(annDaily, { id })],
    ['reset', ({ guard }, id) => guard.reset(annDaily, { id })],
  ];

  test.each(orders)('%s is done, and ledgered, once by its id', async (type, order) => {
    const bench = benchOf([DAILY]);
    const first = await order(bench, 'the-id');
    expect(await order(bench, 'the-id')).toEqual(first);
    const entries = await collect(bench.guard.ledger({ kind: 'adjustment' }));
    expect(entries).toMatchObject([{ id: 'the-id', change: { type } }]);
    await order(bench, 'another');
    expect(await collect(bench.guard.ledger({ kind: 'adjustment' }))).toHaveLength(2);
  });

  test('says in the ledger who made it, of whom, and why', async () => {
    const { guard } = benchOf([DAILY], { identity: { org: 'acme' } });
    await guard.topUp(annDaily, { usd: '1' }, { reason: 'launch', by: 'ops@acme' });
    expect(await collect(guard.ledger({ identity: { org: 'acme' } }))).toEqual([
      {
        kind: 'adjustment',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: NOON,
        account: 'user-daily|user=ann',
        budget: 'user-daily',
        change: { type: 'top-up', amount: 1_000_000_000 },
        charges: [],
        identity: { org: 'acme', user: 'ann' },
        reason: 'launch',
        by: 'ops@acme',
        costNanoUsd: null,
        costChangeNanoUsd: null,
      },
    ]);
  });

  test('takes what the identity lacks from the context and the guard', async () => {
    const budget = usdBudget('1', { name: 'both', per: ['org', 'user'] });
    const { guard } = benchOf([budget], { identity: { org: 'acme' } });
    const selected = await guard.withIdentity(ann, () => guard.block({ budget: 'both' }));
    expect(selected.account).toBe('both|org=acme|user=ann');
  });

  test('tells of what its sink came upon', async () => {
    const { guard, clock, events } = benchOf([DAILY]);
    await admit(guard, callOf(60, { identity: ann }));
    clock.advance(120_000);
    await guard.block(annDaily);
    expect(events.map(({ type }) => type)).toContain('reservation-expired');
  });
});

describe('rebuild', () => {
  test('restores what verify finds', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 40);
    expect(await bench.guard.rebuild()).toMatchObject({ entries: 1, differences: [] });
    expect(await bench.guard.status(ann)).toMatchObject([{ committed: 400_000 }]);
  });

  test('reaches the caller as an error of the sink when it fails', async () => {
    const { guard, sink, events } = benchOf([DAILY]);
    sink.rebuild = () => Promise.reject(new Error('disk full'));
    sink.adjust = () => Promise.reject(new Error('disk full'));
    await expect(guard.rebuild()).rejects.toMatchObject({ code: 'SINK_UNAVAILABLE' });
    await expect(guard.block(annDaily)).rejects.toMatchObject({ code: 'SINK_UNAVAILABLE' });
    expect(events).toMatchObject([{ operation: 'rebuild' }, { operation: 'adjust' }]);
  });
});
