import type { ChildProcess } from 'node:child_process';
import type { SpendGuard } from '@hardcap/core';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { start } from '../processes.ts';
import { storeFile } from '../sqlite/store-file.ts';
import {
  AGENT,
  CAP,
  guardOf,
  type Order,
  type Report,
  SLICE,
  type Store,
  TTL_MS,
} from './family.ts';

vi.setConfig({ testTimeout: 90_000 });

const redis = await TestRedis.start();
afterAll(() => redis.stop());

const STORES: readonly [string, () => Promise<Store>][] = [
  [
    'Redis',
    async () => {
      await redis.client().flushall();
      return `redis:${redis.server.port}`;
    },
  ],
  ['SQLite', async () => `sqlite:${storeFile()}`],
];

type Of<Type extends Report['type']> = Extract<Report, { type: Type }>;

/** A process, and everything that it has said so far. */
class Worker {
  readonly child: ChildProcess;
  readonly reports: Report[] = [];

  static async start(store: Store, seed: number): Promise<Worker> {
    const worker = new Worker(store, seed);
    await worker.heard('ready', 1);
    return worker;
  }

  private constructor(store: Store, seed: number) {
    const url = new URL('family-worker.ts', import.meta.url);
    this.child = start<Report>(url, store, `${seed}`).child;
    this.child.on('message', (report: Report) => this.reports.push(report));
  }

  tell(order: Order): void {
    this.child.send(order);
  }

  of<Type extends Report['type']>(type: Type): Of<Type>[] {
    return this.reports.filter((report): report is Of<Type> => report.type === type);
  }

  /** Waits until it has said so many of a kind. */
  heard<Type extends Report['type']>(type: Type, count: number): Promise<Of<Type>[]> {
    return vi.waitUntil(
      () => {
        const all = this.of(type);
        return all.length >= count ? all : undefined;
      },
      { timeout: 60_000, interval: 10 },
    ) as Promise<Of<Type>[]>;
  }
}

async function familyOf(store: Store, processes: number) {
  const seed = Date.now() % 1_000_000;
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(`seed ${seed}`);
  });
  const guard = guardOf(store);
  onTestFinished(() => guard.close());
  const workers = await Promise.all(
    Array.from({ length: processes }, (_, place) => Worker.start(store, seed + place)),
  );
  return { guard, workers };
}

async function figures(guard: SpendGuard): Promise<number[][]> {
  const status = await guard.status(AGENT);
  return status.map(({ committed, held }) => [committed, held]);
}

describe.each(STORES)('children of agents in several processes on %s', (_, store) => {
  test('hundreds spawned at once from $5 spend at most that; who is denied is named; the rest flows back', async () => {
    const { guard, workers } = await familyOf(await store(), 4);
    const each = 75;
    for (const [place, worker] of workers.entries()) {
      const children = Array.from({ length: each }, (_, number) => `child-${place}-${number}`);
      worker.tell({ type: 'spawn', children });
    }
    await Promise.all(
      workers.map((worker) =>
        vi.waitUntil(() => worker.of('granted').length + worker.of('refused').length === each, {
          timeout: 60_000,
          interval: 10,
        }),
      ),
    );
    const granted = workers.map((worker) => worker.of('granted'));
    const refused = workers.flatMap((worker) => worker.of('refused'));
    expect(granted.flat()).toHaveLength(CAP / SLICE);
    expect(refused).toHaveLength(workers.length * each - CAP / SLICE);
    for (const { child, denial } of refused) {
      expect(child).toMatch(/^child-\d-\d+$/);
      expect(denial.refusals).toMatchObject([
        { budget: 'run', account: 'run|run=r1', kind: 'held' },
      ]);
    }
    expect(await figures(guard)).toEqual([
      [0, CAP],
      [0, CAP],
    ]);

    // Each runs in another process than that which spawned it, and asks for more than it has.
    for (const [place, grants] of granted.entries()) {
      const other = workers[(place + 1) % workers.length] as Worker;
      for (const { child, token } of grants) other.tell({ type: 'run', child, token, calls: 6 });
    }
    let [spent, denied] = [0, 0];
    for (const [place, grants] of granted.entries()) {
      const other = workers[(place + 1) % workers.length] as Worker;
      for (const ran of await other.heard('ran', grants.length)) {
        expect(ran.spent).toBeLessThanOrEqual(SLICE);
        spent += ran.spent;
        denied += ran.denied;
      }
    }
    expect(denied).toBeGreaterThan(0);
    expect(await figures(guard)).toEqual([
      [0, CAP],
      [0, CAP],
    ]);

    for (const [place, grants] of granted.entries()) {
      for (const { child } of grants) workers[place]?.tell({ type: 'close', child });
    }
    let reported = 0;
    for (const [place, grants] of granted.entries()) {
      const closed = (await workers[place]?.heard('closed', grants.length)) ?? [];
      reported += closed.reduce((sum, each) => sum + each.spent, 0);
    }
    expect(reported).toBe(spent);
    expect(spent).toBeLessThanOrEqual(CAP);
    expect(await figures(guard)).toEqual([
      [spent, 0],
      [spent, 0],
    ]);
    expect(await guard.verify()).toMatchObject({ reservations: 0, differences: [] });
    // What has come back can be granted again.
    const rest = Math.floor((CAP - spent) / 1e7) * 1e7;
    const grant = await guard.grant({ from: AGENT, limit: { usd: `${rest / 1e9}` } });
    await grant.close();
  });

  test('a grant that is revoked stops a call of another process, and comes back', async () => {
    const { guard, workers } = await familyOf(await store(), 2);
    const [maker, runner] = workers as [Worker, Worker];
    maker.tell({ type: 'spawn', children: ['a', 'b'] });
    const grants = await maker.heard('granted', 2);
    for (const { child, token } of grants) runner.tell({ type: 'hang', child, token });
    await runner.heard('hangs', 2);
    maker.tell({ type: 'revoke', child: 'a' });
    expect(await runner.heard('stopped', 1)).toMatchObject([{ child: 'a', kinds: ['blocked'] }]);
    await expect
      .poll(() => figures(guard), { timeout: 2 * TTL_MS })
      .toEqual([
        [1_000_000, SLICE],
        [1_000_000, SLICE],
      ]);
    // And so does a block of who pays.
    await guard.block({ budget: 'run', identity: AGENT });
    expect(await runner.heard('stopped', 2)).toMatchObject([
      {},
      { child: 'b', kinds: ['blocked'] },
    ]);
    await expect
      .poll(() => figures(guard), { timeout: 3 * TTL_MS })
      .toEqual([
        [2_000_000, 0],
        [2_000_000, 0],
      ]);
    expect((await guard.verify()).differences).toEqual([]);
  });

  test('a grant whose process is killed is charged whole, and its children spend no more than that', async () => {
    const { guard, workers } = await familyOf(await store(), 2);
    const [maker, runner] = workers as [Worker, Worker];
    maker.tell({ type: 'spawn', children: ['a'] });
    const [grant] = await maker.heard('granted', 1);
    maker.child.kill('SIGKILL');
    const { token = '' } = grant ?? {};
    await expect
      .poll(() => figures(guard), { timeout: 4 * TTL_MS })
      .toEqual([
        [SLICE, 0],
        [SLICE, 0],
      ]);
    runner.tell({ type: 'run', child: 'a', token, calls: 20 });
    const [ran] = await runner.heard('ran', 1);
    expect(ran?.spent).toBeLessThanOrEqual(SLICE);
    expect(await figures(guard)).toEqual([
      [SLICE, 0],
      [SLICE, 0],
    ]);
    expect(await guard.verify()).toMatchObject({ reservations: 0, differences: [] });
  });
});
