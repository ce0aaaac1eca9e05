import { DatabaseSync } from 'node:sqlite';
import { MemoryUsageSink, type UsageSink } from '@hardcap/core';
import type { RedisUsageSink } from '@hardcap/redis';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { afterAll, onTestFinished } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { storeFile } from '../sqlite/store-file.ts';

/** A store of its own for one test, with a clock that stands until the test moves it. */
export interface TestStore {
  readonly clock: TestClock;
  /** The sink of one more worker on the same counters. */
  connect(): UsageSink;
  /** Takes the store away from all workers, until {@link recover} or the end of the test. */
  fail(): void;
  recover(): void;
  /** Drops the entries of the past, where the store keeps them until it is told. */
  prune(): Promise<void>;
}

/** The clock of a store and of all its workers. */
export class TestClock {
  /** Ms since the epoch. */
  now: number = Date.parse('2026-11-30T12:00:00Z');

  /** @param time such as `2026-12-01T00:00:00Z` */
  moveTo(time: string): void {
    this.now = Date.parse(time);
  }

  advance(ms: number): void {
    this.now += ms;
  }
}

/** Every kind of store, for `describe.each`. */
export const STORES: readonly (readonly [name: string, open: () => TestStore])[] = [
  ['memory', memoryStore],
  ['SQLite', sqliteStore],
  ['Redis', redisStore],
];

const redis = await TestRedis.start();
afterAll(() => redis.stop());

/** All workers are tasks of one process here, and what fails is the way to the sink. */
function memoryStore(): TestStore {
  const clock = new TestClock();
  const sink = new MemoryUsageSink({ now: () => clock.now });
  let isAway = false;
  const way: ProxyHandler<UsageSink> = {
    get: (target, name: keyof UsageSink) => {
      if (name === 'opening' || name === 'flush') return target[name];
      return (request: never) => {
        if (isAway) throw new Error('the store of this test is away');
        return target[name](request);
      };
    },
  };
  return {
    clock,
    connect: () => new Proxy<UsageSink>(sink, way),
    ...switchable((away) => {
      isAway = away;
    }),
    prune: async () => {},
  };
}

/** A file, whose lock somebody else holds while it fails. */
function sqliteStore(): TestStore {
  const clock = new TestClock();
  const file = storeFile();
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  const connect = () => new SqliteUsageSink(file, { now: () => clock.now, timeoutMs: 5_000 });
  return {
    clock,
    connect,
    ...switchable((away) => other.exec(away ? 'BEGIN EXCLUSIVE' : 'ROLLBACK')),
    prune: async () => {
      const sink = connect();
      await sink.pruneLedger({ olderThan: clock.now });
      await sink.close();
    },
  };
}

/** A namespace of a real server, which is stopped while it fails. Each worker has a connection. */
function redisStore(): TestStore {
  const clock = new TestClock();
  const namespace = crypto.randomUUID();
  return {
    clock,
    connect: (): RedisUsageSink =>
      redis.sink({ namespace, now: () => clock.now, timeoutMs: 5_000 }),
    ...switchable((away) => redis.server.signal(away ? 'SIGSTOP' : 'SIGCONT')),
    prune: async () => {},
  };
}

/** A store that comes back at the end of its test at the latest: before its workers are closed. */
function switchable(set: (away: boolean) => void): Pick<TestStore, 'fail' | 'recover'> {
  let isAway = false;
  const recover = (): void => {
    if (isAway) set(false);
    isAway = false;
  };
  return {
    recover,
    fail: () => {
      set(true);
      isAway = true;
      onTestFinished(recover);
    },
  };
}
