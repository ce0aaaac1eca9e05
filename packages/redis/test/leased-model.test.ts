import { usageSinkModel } from '@hardcap/conformance';
import { type Account, MemoryUsageSink } from '@hardcap/core';
import * as fastCheck from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, test } from 'vitest';
import { isLeasable } from '../src/lease-options.ts';
import { createLeasingSink, EAGER } from './support/leased-store.ts';
import { RedisServer } from './support/redis-server.ts';

type Only = (account: Account) => boolean;

const server = await RedisServer.start();
const client = new Redis(server.port);

afterAll(async () => {
  await client.quit();
  await server.stop();
});

// Histories jump by days, and the model never forgets.
const options = { rememberedMs: 1e12, awaitedMs: 1e12, idleMs: 1e12 };

const HISTORIES: readonly (readonly [about: string, runs: number, Only])[] = [
  ['all accounts', 200, () => true],
  ['accounts that are leased', 600, ({ rule }) => isLeasable(rule, EAGER)],
];

test.each(HISTORIES)(
  'a sink that leases agrees with the memory sink and the model in any history of %s',
  {
    timeout: 300_000,
  },
  (_, runs, only) =>
    usageSinkModel({
      fastCheck,
      runs,
      only,
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
