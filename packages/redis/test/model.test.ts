import { usageSinkModel } from '@hardcap/conformance';
import { MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, test } from 'vitest';
import { RedisServer } from './support/redis-server.ts';
import { createTestSink } from './support/test-store.ts';

const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  await client.quit();
  await server.stop();
});

// Histories jump by days, and the model never forgets.
const FOREVER = { rememberedMs: 1e12, awaitedMs: 1e12, idleMs: 1e12 };

test('agrees with the memory sink and the model in any history', { timeout: 300_000 }, () =>
  usageSinkModel({
    fastCheck,
    runs: 2_000,
    createSinks: (context) => ({
      memory: { sink: new MemoryUsageSink(context) },
      redis: createTestSink(client, context, client, FOREVER),
    }),
  }),
);
