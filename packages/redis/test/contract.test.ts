import { usageSinkContract } from '@hardcap/conformance';
import { Redis as Upstash } from '@upstash/redis';
import { Cluster, Redis as Redis6 } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { createClient, createCluster } from 'redis';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { fromNodeRedis, fromUpstash, type RedisClient, upstashRest } from '../src/index.ts';
import { LEAST_PERMISSIONS } from './support/least-permissions.ts';
import { RedisServer } from './support/redis-server.ts';
import { RestServer } from './support/rest-server.ts';
import { createTestSink } from './support/test-store.ts';

// A thousand operations one after the other, over HTTP, may take a while on a machine that is busy.
vi.setConfig({ testTimeout: 60_000 });

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
const clustered = await RedisServer.start(
  '--cluster-enabled',
  'yes',
  '--cluster-announce-ip',
  '127.0.0.1',
);
const admin = new Redis6(server.port);
await admin.call('ACL', 'SETUSER', 'budgets', ...LEAST_PERMISSIONS);
const least = new Redis6(server.port, { username: 'budgets', password: 'secret' });
const old = new Redis5(server.port);
const node = await createClient({ url: `redis://127.0.0.1:${server.port}` }).connect();
const rest = await RestServer.start(admin, 'some-token');
const upstash = new Upstash({
  url: rest.url,
  token: 'some-token',
  automaticDeserialization: false,
});
const nodeOfCluster = new Redis6(clustered.port);
await nodeOfCluster.call(
  'CLUSTER',
  'ADDSLOTS',
  ...Array.from({ length: 16_384 }, (_, slot) => slot),
);
const cluster = new Cluster([{ host: '127.0.0.1', port: clustered.port }]);
await vi.waitFor(
  async () => expect(await nodeOfCluster.cluster('INFO')).toContain('cluster_state:ok'),
  { timeout: 15_000 },
);
const nodeCluster = await createCluster({
  rootNodes: [{ url: `redis://127.0.0.1:${clustered.port}` }],
}).connect();

afterAll(async () => {
  for (const client of [admin, least, old, nodeOfCluster, cluster]) client.disconnect();
  node.destroy();
  nodeCluster.destroy();
  await rest.stop();
  await server.stop();
  await clustered.stop();
});

/** The store is seen by `admin` too, which does to it what the sink itself may not. */
const CLIENTS: readonly (readonly [name: string, client: RedisClient, admin: RedisClient])[] = [
  ['ioredis 6', admin, admin],
  ['ioredis 5', old, admin],
  ['ioredis 6 with the least permissions', least, admin],
  ['ioredis 6, a cluster', cluster, cluster],
  ['node-redis 6', fromNodeRedis(node), admin],
  ['node-redis 6, a cluster', fromNodeRedis(nodeCluster), cluster],
  ['the REST protocol of Upstash', upstashRest({ url: rest.url, token: 'some-token' }), admin],
  ['@upstash/redis', fromUpstash(upstash), admin],
];

describe.each(CLIENTS)('RedisUsageSink on %s', (_, client, owner) => {
  usageSinkContract({ describe, it }, (context) => createTestSink(client, context, owner), ALL);
});
