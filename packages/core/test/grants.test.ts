import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Budget,
  BudgetExceededError,
  createSpendGuard,
  type Grant,
  InvalidArgumentError,
  UnpricedModelError,
} from '../src/index.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  eventsOf,
  usdBudget,
} from './support/guard.ts';

const BUDGETS: Budget[] = [
  usdBudget('5', { name: 'run', per: ['run'] }),
  usdBudget('100', { name: 'org', per: ['org'] }),
  { name: 'tokens', per: ['run'], limit: { tokens: 1_000_000 }, window: 'total' },
  usdBudget('50', { name: 'small', per: ['org'], match: { model: 'small' } }),
];
const AGENT = { org: 'acme', run: 'r1' };
const slice = (usd: string, depth = 0) => ({ from: AGENT, limit: { usd }, depth });
const on = ({ identity }: Grant, tokens = 100) => callOf(tokens, { identity });
const cost = (costNanoUsd: number) => ({ outcome: 'known', costNanoUsd }) as const;
const bench = () => benchOf(BUDGETS);

async function figures({ guard }: ReturnType<typeof bench>): Promise<Record<string, number[]>> {
  const status = await guard.status(AGENT);
  return Object.fromEntries(
    status.map(({ budget, committed, held }) => [budget, [committed, held]]),
  );
}

describe('a grant', () => {
  test('is held by all that pay for it, and by no other', async () => {
    const scene = bench();
    await scene.guard.grant(slice('2'));
    expect(await figures(scene)).toEqual({
      run: [0, 2e9],
      org: [0, 2e9],
      tokens: [0, 0],
      small: [0, 0],
    });
  });

  test('pays for calls, in the place of those; other budgets bind them as ever', async () => {
    const scene = bench();
    const grant = await scene.guard.grant(slice('2'));
    const call = await admit(scene.guard, on(grant));
    await call.settle(cost(700_000));
    const [, entry] = await collect(scene.guard.ledger());
    expect(entry?.charges.map(({ account }) => account)).toEqual([
      'tokens|run=r1',
      'small|org=acme',
      `grant|grant=${grant.id}`,
    ]);
    expect(await figures(scene)).toMatchObject({ run: [0, 2e9], org: [0, 2e9] });
  });

  test('is a cap of its own', async () => {
    const { guard } = bench();
    const grant = await guard.grant(slice('0.001'));
    const { refusals } = await denialFor(guard, on(grant, 101));
    expect(refusals).toMatchObject([{ budget: 'grant', limit: 1_000_000, kind: 'too-large' }]);
    await admit(guard, on(grant, 100));
    await denialFor(guard, on(grant, 1));
  });

  test('gives back what was not spent', async () => {
    const scene = bench();
    const grant = await scene.guard.grant(slice('2'));
    await (await admit(scene.guard, on(grant))).settle(cost(700_000));
    expect(await grant.close()).toEqual({ spent: 700_000, held: 0 });
    expect(await figures(scene)).toMatchObject({ run: [700_000, 0], org: [700_000, 0] });
    expect((await denialFor(scene.guard, on(grant, 1))).refusals).toMatchObject([{ limit: 0 }]);
    expect((await scene.guard.verify()).differences).toEqual([]);
    expect(await grant.close()).toEqual({ spent: 700_000, held: 0 });
    expect(await figures(scene)).toMatchObject({ run: [700_000, 0], org: [700_000, 0] });
  });

  test('closed while calls run, keeps for them what they hold, until they end', async () => {
    const scene = bench();
    const grant = await scene.guard.grant(slice('2'));
    const call = await admit(scene.guard, on(grant));
    expect(await grant.close()).toEqual({ spent: 0, held: 1_000_000 });
    expect(await figures(scene)).toMatchObject({ run: [0, 1_000_000] });
    expect(call.signal.aborted).toBe(false);
    await call.settle(cost(700_000));
    await vi.waitFor(async () => {
      expect(await figures(scene)).toMatchObject({ run: [700_000, 0], org: [700_000, 0] });
    });
  });

  test('revoked, stops calls that run', async () => {
    const { guard } = bench();
    const grant = await guard.grant(slice('2'));
    const call = await admit(guard, on(grant));
    await grant.revoke();
    await vi.waitFor(() => expect(call.signal.aborted).toBe(true));
    expect((await denialFor(guard, on(grant, 1))).refusals).toMatchObject([{ kind: 'blocked' }]);
  });

  test('is revoked with a block of an account that pays for it', async () => {
    const { guard } = bench();
    const grant = await guard.grant(slice('2'));
    const call = await admit(guard, on(grant));
    await guard.block({ budget: 'run', identity: AGENT });
    await vi.waitFor(() => expect(call.signal.aborted).toBe(true));
  });

  test('costs once in the ledger', async () => {
    const { guard } = bench();
    const grant = await guard.grant(slice('2'));
    await (await admit(guard, on(grant))).settle(cost(700_000));
    await grant.close();
    const entries = await collect(guard.ledger());
    const sum = entries.reduce(
      (total, { costChangeNanoUsd }) => total + (costChangeNanoUsd ?? 0),
      0,
    );
    expect(sum).toBe(700_000);
  });
});

describe('a tree of agents', () => {
  test('hundreds spawned at once from $5 spend at most that; denied spawns are named', async () => {
    const scene = bench();
    const { guard, sink, events } = scene;
    const names = Array.from({ length: 300 }, (_, place) => `child-${place}`);
    const spawned = await Promise.all(
      names.map(async (child) => {
        const from = { ...AGENT, child };
        return guard.grant({ from, limit: { usd: '0.05' } }).catch((error: unknown) => {
          if (BudgetExceededError.isInstance(error)) return undefined;
          throw error;
        });
      }),
    );
    const grants = spawned.filter((grant) => grant !== undefined);
    expect(grants).toHaveLength(100);
    const denied = eventsOf(events, 'denied').map(({ identity }) => identity['child']);
    expect(denied).toEqual(names.filter((_, place) => spawned[place] === undefined));
    await Promise.all(
      grants.map(async (grant, place) => {
        for (let number = 0; number < 3; number += 1) {
          const reserved = await guard.reserve(on(grant, 2_000));
          if (reserved.admitted) await reserved.call.settle(cost(1e7 + place));
        }
        await grant.close();
      }),
    );
    const spent = grants.reduce((sum, _, place) => sum + 3 * (1e7 + place), 0);
    expect(await figures(scene)).toMatchObject({ run: [spent, 0], org: [spent, 0] });
    expect(spent).toBeLessThanOrEqual(5e9);
    expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
    await guard.grant(slice('1'));
  });

  test('grants are divided as deep as they say', async () => {
    const scene = bench();
    const { guard } = scene;
    const child = await guard.grant(slice('2', 1));
    const grandchild = await guard.grant({ from: child.identity, limit: { usd: '1.5' } });
    await expect(guard.grant({ from: child.identity, limit: { usd: '0.6' } })).rejects.toSatisfy(
      BudgetExceededError.isInstance,
    );
    for (const { identity } of [grandchild, child]) {
      const deeper = guard.grant({ from: identity, limit: { usd: '0.1' }, depth: 1 });
      await expect(deeper).rejects.toThrow('cannot be divided');
    }
    await (await admit(guard, on(grandchild))).settle(cost(700_000));
    await grandchild.close();
    await child.close();
    expect(await figures(scene)).toMatchObject({ run: [700_000, 0], org: [700_000, 0] });
  });

  test('a token makes a grant known to another process, and is nothing without its sink', async () => {
    const scene = bench();
    const other = benchOf(BUDGETS, { sink: scene.sink, clock: scene.clock }).guard;
    const grant = await scene.guard.grant(slice('0.001'));
    const identity = { ...AGENT, grant: grant.id };
    await expect(other.grant({ ...slice('1'), limit: { usd: '0' } })).rejects.toThrow('limit');
    await expect(other.reserve(callOf(1, { identity }))).rejects.toThrow('knows no grant');
    await other.grant(grant.token);
    await (await admit(other, callOf(60, { identity }))).settle(cost(600_000));
    await denialFor(scene.guard, on(grant, 41));
    const stranger = benchOf(BUDGETS).guard;
    const joined = await stranger.grant(grant.token);
    await denialFor(stranger, callOf(1, { identity: { ...AGENT, ...joined.identity } }));
    await expect(other.grant('{"id":"no"}')).rejects.toSatisfy(InvalidArgumentError.isInstance);
  });

  test('nothing is granted by nobody', async () => {
    const { guard } = bench();
    await expect(guard.grant({ from: {}, limit: { usd: '1' } })).rejects.toThrow(
      'No budget in USD',
    );
    for (const limit of [{ concurrent: 5 }, { usd: 'unlimited' }, { requests: 'unlimited' }]) {
      const granted = guard.grant({ from: AGENT, limit: limit as never });
      await expect(granted).rejects.toThrow('is an amount: write { usd: "1.00" }');
    }
  });
});

describe('a grant in USD, in a process that knows no prices', () => {
  test('pays for no call there: what that costs would count nowhere', async () => {
    const { guard, sink } = bench();
    const { token } = await guard.grant(slice('2'));
    const requests: Budget = { name: 'all', per: [], limit: { requests: 9 }, window: 'total' };
    const other = createSpendGuard({ budgets: [requests], sink });
    const joined = await other.grant(token);
    const call = other.reserve(on(joined));
    await expect(call).rejects.toThrow(UnpricedModelError);
    await expect(call).rejects.toThrow('a grant in USD pays, and there are no `prices`');
    expect(await other.status()).toMatchObject([{ committed: 0, held: 0 }]);
    // It can be ended from there all the same.
    expect(await joined.close()).toEqual({ spent: 0, held: 0 });
  });
});

describe('a grant whose process dies', () => {
  afterEach(() => vi.useRealTimers());

  test('is charged whole when it expires; while it lives, it does not', async () => {
    vi.useFakeTimers();
    const scene = bench();
    await scene.guard.grant(slice('2'));
    for (let minute = 0; minute < 10; minute += 1) {
      scene.clock.advance(60_000);
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(await figures(scene)).toMatchObject({ run: [0, 2e9] });
    await scene.guard.close();
    scene.clock.advance(120_000);
    expect(await figures(scene)).toMatchObject({ run: [2e9, 0] });
  });
});

test('grants and exceptions outlast a change of the configuration', async () => {
  const before: Budget[] = [{ ...(BUDGETS[0] as Budget), mode: 'enforce' }];
  const { guard } = benchOf(before);
  const grant = await guard.grant(slice('0.001'));
  const overrides = [{ match: { run: 'r1' }, limit: { usd: '0.002' } }];
  await guard.reconfigure({ budgets: [{ ...(before[0] as Budget), overrides }] });
  expect((await guard.status(AGENT))[0]).toMatchObject({ limit: 2_000_000, held: 1_000_000 });
  await admit(guard, on(grant, 100));
  await denialFor(guard, on(grant, 1));
});
