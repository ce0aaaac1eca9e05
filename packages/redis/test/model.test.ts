import { usageSinkModel } from '@hardcap/conformance';
import { MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { createClient } from 'redis';
import { afterAll, test } from 'vitest';
import { fromNodeRedis, upstashRest } from '../src/index.ts';
import { RedisServer } from './support/redis-server.ts';
import { RestServer } from './support/rest-server.ts';
import { createTestSink } from './support/test-store.ts';

const server = await RedisServer.start();
const client = new Redis(server.port);
const old = new Redis5(server.port);
const node = await createClient({ url: `redis://127.0.0.1:${server.port}` }).connect();
const rest = await RestServer.start(client, 'some-token');

afterAll(async () => {
  for (const each of [client, old]) each.disconnect();
  node.destroy();
  await rest.stop();
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

test('so it does on every other client', { timeout: 300_000 }, () =>
  usageSinkModel({
    fastCheck,
    runs: 100,
    createSinks: (context) => ({
      memory: { sink: new MemoryUsageSink(context) },
      'ioredis 5': createTestSink(old, context, client, FOREVER),
      'node-redis': createTestSink(fromNodeRedis(node), context, client, FOREVER),
      http: createTestSink(
        upstashRest({ url: rest.url, token: 'some-token' }),
        context,
        client,
        FOREVER,
      ),
    }),
  }),
);
