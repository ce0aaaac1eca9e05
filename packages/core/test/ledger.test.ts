import { describe, expect, test } from 'vitest';
import type { LedgerQuery } from '../src/index.ts';
import { admit, benchOf, callOf, collect, usageOf, usdBudget } from './support/guard.ts';
import { ratesOf } from './support/prices.ts';

describe('a ledger entry', () => {
  test('says who, what, how much, and by which prices', async () => {
    const { guard, clock } = benchOf([usdBudget('1', { name: 'user', per: ['user'] })]);
    const request = callOf(60, {
      identity: { user: 'ann' },
      operationId: 'op-1',
      attempt: 2,
      tags: { feature: 'chat', depth: 3 },
    });
    const call = await admit(guard, request);
    clock.advance(1_000);
    const usage = usageOf({ input: 5, output: 10 });
    await call.settle({ outcome: 'known', usage, servedModel: 'small' });
    expect(await collect(guard.ledger())).toEqual([
      {
        kind: 'settlement',
        id: call.id,
        reservation: call.id,
        at: clock.now(),
        outcome: 'known',
        identity: { user: 'ann', provider: 'acme', model: 'small' },
        provider: 'acme',
        model: 'small',
        servedModel: 'small',
        usage,
        costNanoUsd: 105_000,
        costChangeNanoUsd: 105_000,
        heldNanoUsd: 600_000,
        price: {
          rates: ratesOf(1, 10),
          source: 'test',
          version: '1',
          provider: 'acme',
          model: 'small',
        },
        operationId: 'op-1',
        attempt: 2,
        tags: { feature: 'chat', depth: 3 },
        charges: [
          {
            account: 'user|user=ann',
            budget: 'user',
            unit: 'usd',
            window: 'total',
            slot: null,
            amount: 105_000,
            held: 600_000,
          },
        ],
        overshoot: [],
      },
    ]);
  });

  test('is JSON', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    await (await admit(guard, callOf(60))).settle({ outcome: 'unknown' });
    const entries = await collect(guard.ledger());
    expect(JSON.parse(JSON.stringify(entries))).toEqual(entries);
  });

  test('of a charged hold costs what was charged, and has no usage', async () => {
    const { guard } = benchOf([usdBudget('1')]);
    await (await admit(guard, callOf(60))).settle({ outcome: 'unknown' });
    expect(await collect(guard.ledger())).toMatchObject([{ usage: null, costNanoUsd: 600_000 }]);
  });

  test('of an expiry knows the call, too; so does the one that corrects it', async () => {
    const { guard, clock } = benchOf([usdBudget('1')]);
    const call = await admit(guard, callOf(60, { operationId: 'op-1' }));
    clock.advance(120_000);
    await guard.status();
    const usage = usageOf({ output: 10 });
    const late = await call.settle({ outcome: 'known', usage });
    expect(late).toEqual({ status: 'late', costNanoUsd: 100_000, overshoot: [] });
    expect(await collect(guard.ledger())).toMatchObject([
      {
        kind: 'expiry',
        id: `${call.id}:expiry`,
        model: 'small',
        operationId: 'op-1',
        costNanoUsd: 600_000,
        costChangeNanoUsd: 600_000,
        chargedAtHold: true,
      },
      {
        kind: 'correction',
        id: `${call.id}:late`,
        usage,
        costNanoUsd: 100_000,
        costChangeNanoUsd: -500_000,
        charges: [{ amount: -500_000 }],
      },
    ]);
  });

  test('of a late settlement changes the cost by what expiry had said, whatever a budget releases', async () => {
    const lenient = usdBudget('1', { name: 'lenient', onExpiry: 'release' });
    const { guard, clock } = benchOf([lenient, usdBudget('1')]);
    const call = await admit(guard, callOf(60));
    clock.advance(120_000);
    await call.settle({ outcome: 'known', usage: usageOf({ output: 10 }) });
    expect(await collect(guard.ledger())).toMatchObject([
      { costChangeNanoUsd: 600_000, charges: [{ amount: 0 }, { amount: 600_000 }] },
      { costChangeNanoUsd: -500_000, charges: [{ amount: 100_000 }, { amount: -500_000 }] },
    ]);
  });

  test('of a late end that says nothing gives no cost that would be a difference', async () => {
    const { guard, clock } = benchOf([usdBudget('1')]);
    const call = await admit(guard, callOf(60));
    clock.advance(120_000);
    expect(await call.settle({ outcome: 'unknown' })).toEqual({
      status: 'late',
      costNanoUsd: null,
      overshoot: [],
    });
    expect(await collect(guard.ledger())).toMatchObject([
      { kind: 'expiry', costNanoUsd: 600_000 },
      { kind: 'correction', costNanoUsd: null },
    ]);
  });

  test('adds up to what is committed', async () => {
    const { guard, clock } = benchOf([usdBudget('1')]);
    for (const output of [10, 20, 30]) {
      const call = await admit(guard, callOf(60));
      if (output === 20) clock.advance(120_000);
      await call.settle({ outcome: 'known', usage: usageOf({ output }) });
    }
    const entries = await collect(guard.ledger());
    const charged = entries.flatMap(({ charges }) => charges.map(({ amount }) => amount));
    expect(charged.reduce((sum, amount) => sum + amount, 0)).toBe(600_000);
    expect(await guard.status()).toMatchObject([{ committed: 600_000 }]);
  });
});

describe('a query', () => {
  async function ledgerOfThree() {
    const budgets = [
      usdBudget('1', { name: 'org', per: ['org'] }),
      usdBudget('1', { name: 'user', per: ['user'] }),
    ];
    const bench = benchOf(budgets);
    const calls = [
      callOf(1, { identity: { org: 'acme', user: 'ann' } }),
      callOf(2, { identity: { org: 'acme', user: 'bob' }, model: 'large' }),
      callOf(3, { identity: { org: 'other' }, provider: 'elsewhere' }),
    ];
    for (const request of calls) {
      await (await admit(bench.guard, request)).settle({ outcome: 'unknown' });
      bench.clock.advance(1_000);
    }
    return bench;
  }

  test.each([
    [{}, [0, 1, 2]],
    [{ identity: { org: 'acme' } }, [0, 1]],
    [{ identity: { org: 'acme', user: 'bob' } }, [1]],
    [{ identity: { org: 'nobody' } }, []],
    [{ provider: 'elsewhere' }, [2]],
    [{ model: 'large' }, [1]],
    [{ account: 'org|org=acme' }, [0, 1]],
    [{ budget: 'user' }, [0, 1]],
    [{ budget: 'user', account: 'org|org=acme' }, []],
    [{ budget: 'org', provider: 'acme', identity: { user: 'ann' } }, [0]],
    [{ kind: 'settlement' }, [0, 1, 2]],
    [{ kind: 'expiry' }, []],
    [{ outcome: 'unknown', model: 'small' }, [0, 2]],
    [{ outcome: 'known' }, []],
  ] as [LedgerQuery, number[]][])('%j', async (query, places) => {
    const { guard } = await ledgerOfThree();
    const all = await collect(guard.ledger());
    expect(await collect(guard.ledger(query))).toEqual(places.map((place) => all[place]));
  });

  test('in time takes what was written from, and before', async () => {
    const { guard } = await ledgerOfThree();
    const all = await collect(guard.ledger());
    const [, second, third] = all.map(({ at }) => at);
    const times = { from: second as number, to: third as number };
    expect(await collect(guard.ledger(times))).toEqual([all[1]]);
  });

  test('of adjustments goes by their account and budget', async () => {
    const { sink } = await ledgerOfThree();
    const accounts: Parameters<typeof sink.adjust>[0]['account'][] = [];
    const bench = benchOf([usdBudget('1', { name: 'org', per: ['org'] })], { sink });
    const { read } = sink;
    sink.read = (asked) => {
      accounts.push(...asked);
      return read.call(sink, asked);
    };
    await bench.guard.status({ org: 'acme' });
    const [account] = accounts;
    if (account === undefined) throw new Error('no account was read');
    await sink.adjust({ id: 'a1', account, change: { type: 'block' }, details: { by: 'ops' } });
    expect(await collect(bench.guard.ledger({ account: 'org|org=acme' }))).toHaveLength(3);
    expect(await collect(bench.guard.ledger({ budget: 'user' }))).toHaveLength(2);
    expect((await collect(bench.guard.ledger())).at(-1)).toMatchObject({
      kind: 'adjustment',
      account: 'org|org=acme',
      change: { type: 'block' },
      by: 'ops',
      costNanoUsd: null,
    });
  });

  test('may be broken off, and written to meanwhile', async () => {
    const { guard } = await ledgerOfThree();
    let seen = 0;
    for await (const _ of guard.ledger()) {
      seen += 1;
      await (await admit(guard, callOf(1, { identity: { org: 'acme' } }))).settle({
        outcome: 'unknown',
      });
      if (seen === 2) break;
    }
    expect(await collect(guard.ledger())).toHaveLength(5);
  });
});
