import { usageSinkContract } from '@hardcap/conformance';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { LEAST_PERMISSIONS } from './support/least-permissions.ts';
import { createPartitionedSink, spread } from './support/partitioned-store.ts';
import { RedisServer } from './support/redis-server.ts';

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
const least = new Redis(server.port, { username: 'budgets', password: 'secret' });

afterAll(async () => {
  client.disconnect();
  least.disconnect();
  await server.stop();
});

/** Where the accounts of the contract are. The least permissions are enough for those that are spread. */
const PLACES: readonly (readonly [where: string, nameOf: (account: string) => string | null])[] = [
  ['spread over two partitions and above them', spread],
  ['in one partition', () => 'test=one'],
  ['above the partitions', () => null],
];

describe.each(PLACES)('RedisUsageSink, partitioned, with all accounts %s', (_, nameOf) => {
  const user = nameOf === spread ? least : client;
  usageSinkContract(
    { describe, it },
    (context) => createPartitionedSink(user, context, nameOf, client),
    ALL,
  );
});
