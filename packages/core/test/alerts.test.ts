import { describe, expect, test } from 'vitest';
import type { AccountReading, Budget, UsageSink } from '../src/index.ts';
import { DAY } from './support/clock.ts';
import { admit, benchOf, callOf, denialFor, type GuardBench, usageOf } from './support/guard.ts';

/** $0.001, which 100 output tokens cost. */
const DAILY: Budget = {
  name: 'user-daily',
  per: ['user'],
  limit: { usd: '0.001' },
  window: { calendar: 'day' },
  warnAt: [0.8, 0.5],
};
const ORG: Budget = { name: 'org', per: [], limit: { usd: '1' }, window: 'total' };
const ann = { user: 'ann' };

/** Settles a call that holds nothing. */
async function spend({ guard }: GuardBench, output: number): Promise<void> {
  const call = await admit(guard, callOf(0, { estimate: 'none', identity: ann }));
  await call.settle({ outcome: 'known', usage: usageOf({ output }) });
}

async function kinds({ guard }: GuardBench): Promise<string[]> {
  const alerts = await guard.alerts({ identity: ann });
  return alerts.map(({ budget, kind }) => `${budget} ${kind}`);
}

describe('alerts', () => {
  test('go by the settled spend, as the tier of the status does', async () => {
    const bench = benchOf([DAILY, ORG]);
    const seen = [];
    for (const output of [49, 1, 30, 20]) {
      await spend(bench, output);
      seen.push(await kinds(bench));
      const [status] = await bench.guard.status(ann);
      const [alert] = await bench.guard.alerts({ identity: ann });
      if (alert !== undefined) expect(alert).toEqual({ ...status, kind: status?.tier });
      else expect(status?.tier).toBe('ok');
    }
    expect(seen).toEqual([
      [],
      ['user-daily approaching'],
      ['user-daily approaching'],
      ['user-daily reached'],
    ]);
  });

  test('say that a cap was exceeded, and by how much', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 99);
    await spend(bench, 2);
    expect(await bench.guard.alerts({ identity: ann })).toMatchObject([
      { kind: 'exceeded', committed: 1_010_000, limit: 1_000_000, account: 'user-daily|user=ann' },
    ]);
  });

  test('agree with the gate: what is reached or exceeded refuses, what is less does not', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 99);
    expect(await kinds(bench)).toEqual(['user-daily approaching']);
    await spend(bench, 1);
    expect(await kinds(bench)).toEqual(['user-daily reached']);
    await denialFor(bench.guard, callOf(0, { estimate: 'none', identity: ann }));
  });

  test('say that calls were refused today', async () => {
    const bench = benchOf([DAILY]);
    await denialFor(bench.guard, callOf(101, { identity: ann }));
    await denialFor(bench.guard, callOf(101, { identity: ann }));
    expect(await bench.guard.alerts({ identity: ann })).toMatchObject([
      { kind: 'throttled', denials: 2, tier: 'ok' },
    ]);
    bench.clock.advance(DAY);
    expect(await kinds(bench)).toEqual([]);
  });

  test('say that an account is blocked, whatever it has spent', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 100);
    await bench.guard.block({ budget: 'user-daily', identity: ann });
    expect(await kinds(bench)).toEqual(['user-daily blocked']);
    await denialFor(bench.guard, callOf(1, { identity: ann }));
    expect(await kinds(bench)).toEqual(['user-daily blocked', 'user-daily throttled']);
    await bench.guard.unblock({ budget: 'user-daily', identity: ann });
    expect(await kinds(bench)).toEqual(['user-daily reached', 'user-daily throttled']);
  });

  test('end with the top-up that makes room', async () => {
    const bench = benchOf([DAILY]);
    await spend(bench, 100);
    expect(await kinds(bench)).toEqual(['user-daily reached']);
    await bench.guard.topUp({ budget: 'user-daily', identity: ann }, { usd: '1' });
    expect(await kinds(bench)).toEqual([]);
  });

  test('are of one budget, and of some kinds, where that is asked for', async () => {
    const bench = benchOf([DAILY, { ...ORG, limit: { usd: '0.001' } }]);
    await spend(bench, 100);
    await denialFor(bench.guard, callOf(1, { identity: ann }));
    const all = ['user-daily reached', 'user-daily throttled', 'org reached', 'org throttled'];
    expect(await kinds(bench)).toEqual(all);
    const some = await bench.guard.alerts({ identity: ann, budget: 'org', kinds: ['throttled'] });
    expect(some.map(({ budget, kind }) => `${budget} ${kind}`)).toEqual(['org throttled']);
    expect(await bench.guard.alerts({ budget: 'user-daily' })).toEqual([]);
  });
});

test('alerts are of those who own the accounts, where that is asked for', async () => {
  const team: Budget = { ...DAILY, name: 'team', per: ['team'] };
  const { guard } = benchOf([DAILY, team, { ...ORG, limit: { usd: '0.001' } }]);
  const identity = { ...ann, team: 'red' };
  const call = await admit(guard, callOf(0, { estimate: 'none', identity }));
  await call.settle({ outcome: 'known', usage: usageOf({ output: 100 }) });
  const budgets = async (per?: string[]) =>
    (await guard.alerts({ identity, ...(per && { per }) })).map(({ budget }) => budget);
  expect(await budgets()).toEqual(['user-daily', 'team', 'org']);
  expect(await budgets(['user'])).toEqual(['user-daily']);
  expect(await budgets(['team', 'user'])).toEqual(['user-daily', 'team']);
  expect(await budgets([])).toEqual([]);
});

describe('a figure that cannot be read', () => {
  const spentBench = async (change: (sink: UsageSink) => UsageSink['read']) => {
    const bench = benchOf([DAILY, { ...ORG, limit: { usd: '0.001' } }]);
    await spend(bench, 100);
    bench.sink.read = change(bench.sink);
    return bench;
  };

  test('is left out, and the others are there', async () => {
    const bench = await spentBench((sink) => {
      const read = sink.read.bind(sink);
      return async (accounts) => {
        if (accounts.some(({ key }) => key === 'org')) throw new Error('node is down');
        return read(accounts);
      };
    });
    expect(await kinds(bench)).toEqual(['user-daily reached']);
    expect(bench.events).toContainEqual(
      expect.objectContaining({ type: 'sink-unavailable', operation: 'read' }),
    );
  });

  test('is no 0 and no alert where it is no number', async () => {
    const bench = await spentBench((sink) => {
      const read = sink.read.bind(sink);
      return async (accounts) => {
        const readings = await read(accounts);
        return readings.map((reading) =>
          reading.account === 'org'
            ? ({
                ...reading,
                committed: Number.NaN,
                denials: undefined,
              } as unknown as AccountReading)
            : reading,
        );
      };
    });
    expect(await kinds(bench)).toEqual(['user-daily reached']);
  });

  test('is an error where nothing can be read', async () => {
    const bench = await spentBench(() => () => Promise.reject(new Error('connection lost')));
    await expect(bench.guard.alerts({ identity: ann })).rejects.toMatchObject({
      code: 'SINK_UNAVAILABLE',
    });
  });
});
