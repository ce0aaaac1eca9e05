import { usageSinkContract } from '@hardcap/conformance';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { createPartitionedSink, spread } from './support/partitioned-store.ts';
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

afterAll(async () => {
  client.disconnect();
  await server.stop();
});

/** Where the accounts of the contract are. */
const PLACES: readonly (readonly [where: string, nameOf: (account: string) => string | null])[] = [
  ['spread over two partitions and above them', spread],
  ['in one partition', () => 'test=one'],
  ['above the partitions', () => null],
];

describe.each(PLACES)('RedisUsageSink, partitioned, with all accounts %s', (_, nameOf) => {
  usageSinkContract(
    { describe, it },
    (context) => createPartitionedSink(client, context, nameOf),
    ALL,
  );
});
