import { usageSinkContract } from '@hardcap/conformance';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import type { LeaseOptions } from '../src/index.ts';
import { createPartitionedSink, spread } from './support/partitioned-store.ts';
import { RedisServer } from './support/redis-server.ts';
import { createTestSink } from './support/test-store.ts';

const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  client.disconnect();
  await server.stop();
});

// In real time, by the timers of the sink itself.
const leases: LeaseOptions = { after: 1, share: 0.5, syncMs: 10, ttlMs: 10_000 };
const OF_ONE_PROCESS = { clock: 'own', keepsDetails: false } as const;

describe('RedisUsageSink that leases what it uses, in real time', () => {
  const create = () => createTestSink(client, {}, client, { leases });
  usageSinkContract({ describe, it }, create, OF_ONE_PROCESS);
});

// Time jumps, which no owner sleeps through that is awake.
const forever: LeaseOptions = { ...leases, ttlMs: 4_000 * 86_400_000 };

describe('RedisUsageSink that leases, partitioned', () => {
  usageSinkContract(
    { describe, it },
    (context) => createPartitionedSink(client, context, spread, client, { leases: forever }),
    { clock: 'injected', keepsDetails: false },
  );
});
