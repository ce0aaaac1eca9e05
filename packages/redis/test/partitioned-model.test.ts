import { usageSinkModel } from '@hardcap/conformance';
import { MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, test } from 'vitest';
import { createPartitionedSink, spread } from './support/partitioned-store.ts';
import { RedisServer } from './support/redis-server.ts';

const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  await client.quit();
  await server.stop();
});

// Histories jump by days, and the model never forgets.
const FOREVER = { rememberedMs: 1e12, awaitedMs: 1e12, idleMs: 1e12 };

test(
  'calls over several stores agree with the memory sink and the model in any history',
  {
    timeout: 300_000,
  },
  () =>
    usageSinkModel({
      fastCheck,
      runs: 500,
      createSinks: (context) => ({
        memory: { sink: new MemoryUsageSink(context) },
        partitioned: createPartitionedSink(client, context, spread, client, FOREVER),
      }),
    }),
);
