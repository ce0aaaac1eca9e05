import { usageSinkModel } from '@hardcap/conformance';
import { MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, test } from 'vitest';
import { createLeasingSink, EAGER } from './support/leased-store.ts';
import { RedisServer } from './support/redis-server.ts';

const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  await client.quit();
  await server.stop();
});

// Histories jump by days, and the model never forgets.
const options = { rememberedMs: 1e12, awaitedMs: 1e12, idleMs: 1e12 };

test('a sink that leases agrees with the memory sink and the model in any history', {
  timeout: 300_000,
}, () =>
  usageSinkModel({
    fastCheck,
    runs: 500,
    createSinks: (context) => ({
      memory: { sink: new MemoryUsageSink(context) },
      leasing: createLeasingSink(client, context, client, { options }),
      sharing: createLeasingSink(client, context, client, {
        options,
        terms: { ...EAGER, share: 0.3 },
      }),
    }),
  }),
);
