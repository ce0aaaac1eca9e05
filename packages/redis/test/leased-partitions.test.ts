import { usageSinkContract } from '@hardcap/conformance';
import type { Awaitable } from '@hardcap/core';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import type { LeaseOptions } from '../src/index.ts';
import type { PartitionedSink } from '../src/partitioned-sink.ts';
import { surrounded } from './support/leased-store.ts';
import { createPartitionedSink, spread } from './support/partitioned-store.ts';
import { RedisServer } from './support/redis-server.ts';

const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  client.disconnect();
  await server.stop();
});

/** The time of the store jumps, which no owner sleeps through that is awake. */
const leases: LeaseOptions = {
  after: 1,
  share: 0.25,
  syncMs: 2_000_000_000,
  ttlMs: 4_000 * 86_400_000,
};

describe('RedisUsageSink that leases what it uses, partitioned', () => {
  usageSinkContract(
    { describe, it },
    (context) => {
      const subject = createPartitionedSink(client, context, spread, client, { leases });
      const sink = subject.sink as PartitionedSink;
      const around = async <Answer>(ask: () => Awaitable<Answer>): Promise<Answer> => {
        try {
          return await ask();
        } finally {
          await sink.renew();
        }
      };
      return { ...subject, sink: surrounded(sink, around) };
    },
    { clock: 'injected', keepsDetails: false },
  );
});
