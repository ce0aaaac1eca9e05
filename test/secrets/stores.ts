import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MemoryUsageSink, type UsageSink } from '@hardcap/core';
import { RedisUsageSink } from '@hardcap/redis';
import { SqliteUsageSink } from '@hardcap/sqlite';
import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { storeFile } from '../sqlite/store-file.ts';
import type { Traces } from './traces.ts';

/** A sink, and a look at everything that is behind it. */
export interface OpenStore {
  readonly sink: UsageSink;
  /** Adds what is on disk, in memory and on the way to the store, byte for byte. */
  reveal(traces: Traces): Promise<void>;
}

/** Opens a store whose sink goes by a clock. */
export type StoreOpener = (now: () => number) => Promise<OpenStore>;

/** Every kind of store. */
export const STORES: readonly (readonly [name: string, open: StoreOpener])[] = [
  ['memory', memoryStore],
  ['SQLite', sqliteStore],
  ['Redis', redisStore],
];

async function memoryStore(now: () => number): Promise<OpenStore> {
  const sink = new MemoryUsageSink({ now });
  return { sink, reveal: async () => {} };
}

async function sqliteStore(now: () => number): Promise<OpenStore> {
  const file = storeFile();
  const sink = new SqliteUsageSink(file, { now });
  const folder = dirname(file);
  return {
    sink,
    // The log of changes, too, which holds what was overwritten.
    async reveal(traces) {
      for (const name of readdirSync(folder)) {
        traces.add(name.replace(/^usage/, 'file usage'), readFileSync(join(folder, name)));
      }
    },
  };
}

async function redisStore(now: () => number): Promise<OpenStore> {
  const redis = await TestRedis.start('--appendonly', 'yes');
  onTestFinished(() => redis.stop());
  const client = redis.client();
  const commands: string[] = [];
  const monitor = await client.monitor();
  onTestFinished(() => monitor.disconnect());
  monitor.on('monitor', (_time: string, args: string[]) => commands.push(args.join(' ')));
  return {
    sink: new RedisUsageSink(client, { now, timeoutMs: 60_000 }),
    async reveal(traces) {
      for (const key of await client.keys('*')) await dump(client, key, traces);
      traces.add('Redis commands', commands.join('\n'));
      await client.save();
      for (const path of filesIn(await folderOf(client))) {
        traces.add('Redis files', readFileSync(path));
      }
    },
  };
}

/** In the form of a snapshot, which may be compressed, and part for part. */
async function dump(client: Redis, key: string, traces: Traces): Promise<void> {
  traces.add('Redis keys', key);
  traces.add('Redis dump', (await client.dumpBuffer(key)) ?? '');
  const type = await client.type(key);
  const read: Readonly<Record<string, () => Promise<unknown>>> = {
    hash: () => client.callBuffer('HGETALL', key),
    stream: () => client.callBuffer('XRANGE', key, '-', '+'),
    zset: () => client.callBuffer('ZRANGE', key, 0, -1),
  };
  for (const part of [await read[type]?.()].flat(9)) traces.add(`Redis ${type}`, part);
}

async function folderOf(client: Redis): Promise<string> {
  const [, folder = ''] = (await client.config('GET', 'dir')) as string[];
  return folder;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
