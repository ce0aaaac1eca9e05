import { usageSinkContract } from '@hardcap/conformance';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { createLeasingSink, EAGER } from './support/leased-store.ts';
import { LEAST_PERMISSIONS } from './support/least-permissions.ts';
import { RedisServer } from './support/redis-server.ts';

const ALL = {
  clock: 'injected',
  durable: true,
  shared: true,
  keepsDetails: false,
  loses: true,
  tampers: true,
} as const;

const server = await RedisServer.start();
const client = new Redis(server.port);
await client.call('ACL', 'SETUSER', 'budgets', ...LEAST_PERMISSIONS);
const least = new Redis(server.port, { username: 'budgets', password: 'secret' });

afterAll(async () => {
  client.disconnect();
  least.disconnect();
  await server.stop();
});

describe.each([
  ['all that is left', 1],
  ['half of what is left', 0.5],
])('RedisUsageSink that leases %s of whatever it uses', (_, share) => {
  const terms = { ...EAGER, share };
  usageSinkContract(
    { describe, it },
    (context) => createLeasingSink(least, context, client, { terms }),
    ALL,
  );
});
