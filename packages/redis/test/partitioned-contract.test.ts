import { usageSinkContract } from '@hardcap/conformance';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { type RedisClient, upstashRest } from '../src/index.ts';
import { LEAST_PERMISSIONS } from './support/least-permissions.ts';
import { createPartitionedSink, spread } from './support/partitioned-store.ts';
import { RedisServer } from './support/redis-server.ts';
import { RestServer } from './support/rest-server.ts';

const ALL = {
  clock: 'injected',
  durable: true,
  shared: true,
  keepsDetails: false,
  loses: true,
  tampers: true,
  deletes: true,
} as const;

const server = await RedisServer.start();
const client = new Redis(server.port);
await client.call('ACL', 'SETUSER', 'budgets', ...LEAST_PERMISSIONS);
const rest = await RestServer.start(client, 'some-token');
const http = upstashRest({ url: rest.url, token: 'some-token' });
const least = new Redis(server.port, { username: 'budgets', password: 'secret' });

afterAll(async () => {
  client.disconnect();
  least.disconnect();
  await rest.stop();
  await server.stop();
});

type Place = readonly [
  where: string,
  nameOf: (account: string) => string | null,
  user: RedisClient,
];

/** Where the accounts of the contract are, and who asks for them. */
const PLACES: readonly Place[] = [
  ['spread over two partitions and above them, with the least permissions', spread, least],
  ['spread over two partitions and above them, over HTTP', spread, http],
  ['in one partition', () => 'test=one', client],
  ['above the partitions', () => null, client],
];

describe.each(PLACES)('RedisUsageSink, partitioned, with all accounts %s', (_, nameOf, user) => {
  usageSinkContract(
    { describe, it },
    (context) => createPartitionedSink(user, context, nameOf, client),
    ALL,
  );
});
