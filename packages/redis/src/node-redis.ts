import { ConfigError } from '@hardcap/core';
import { has } from './check-client.ts';
import type { DedicatedClient, RedisClient } from './redis-client.ts';

/** What is needed of a client of the package `redis` (node-redis), connected. */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
  /** Needed with `durability` alone; a cluster client has none that will do. */
  duplicate?(): DedicatedNodeRedisClient;
}

export interface DedicatedNodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: string, listener: () => void): unknown;
}

/**
 * A client of the package `redis` for the sink. It stays yours.
 *
 * @throws ConfigError for what is none, or one of several servers, which takes commands in another way.
 */
export function fromNodeRedis(client: NodeRedisClient): RedisClient {
  if (!has(client, 'sendCommand') || has(client, 'call')) {
    throw new ConfigError(
      'redis: this is no client of node-redis. Give `createClient({ url })` of the package `redis`, ' +
        'connected; one of ioredis goes to the sink as it is.',
    );
  }
  if (has(client, 'getSlotMaster') || has(client, 'getMasterNode')) {
    throw new ConfigError(
      'redis: a client of node-redis for a cluster or for Sentinel is none that the sink can use. Use ' +
        'one of ioredis: `new Cluster([…])`, or `new Redis({ sentinels, name })`.',
    );
  }
  const { duplicate } = client;
  return {
    call: (command, ...args) => client.sendCommand([command, ...args.map(String)]),
    ...(duplicate === undefined ? {} : { duplicate: () => dedicated(duplicate.call(client)) }),
  };
}

function dedicated(client: DedicatedNodeRedisClient): DedicatedClient {
  let isDestroyed = false;
  const connected = client.connect();
  // Each call fails by itself.
  connected.catch(() => {});
  return {
    call: async (command, ...args) => {
      await connected;
      return client.sendCommand([command, ...args.map(String)]);
    },
    // It tells the end of a connection as an error, and before it makes another.
    on: (_event, listener) => client.on('error', listener),
    disconnect: () => {
      if (!isDestroyed) client.destroy();
      isDestroyed = true;
    },
  };
}
