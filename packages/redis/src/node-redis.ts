import { ConfigError } from '@hardcap/core';
import { has } from './check-client.ts';
import type { DedicatedClient, RedisClient } from './redis-client.ts';

/** What is needed of a client of the package `redis` (node-redis), connected. */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
  /** Needed with `durability` alone. */
  duplicate?(): DedicatedNodeRedisClient;
}

export interface DedicatedNodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: string, listener: () => void): unknown;
}

/** What is needed of a client of a cluster, as `createCluster` makes it. It finds the node of a key. */
export interface NodeRedisCluster {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
  ): Promise<unknown>;
  readonly masters: readonly NodeRedisMaster[];
  nodeClient(node: NodeRedisMaster): Promise<Pick<NodeRedisClient, 'sendCommand'>>;
}

/** A master as a cluster client knows it; its own client is missing until it is used. */
export interface NodeRedisMaster {
  readonly client?: { readonly isReady: boolean } | undefined;
}

/**
 * A client of the package `redis` for the sink, of one server or of a cluster. It stays yours.
 *
 * @throws ConfigError for what is none, or one of Sentinel, which takes commands in another way.
 */
export function fromNodeRedis(client: NodeRedisClient | NodeRedisCluster): RedisClient {
  const given: unknown = client;
  if (!has(given, 'sendCommand') || has(given, 'call')) {
    throw new ConfigError(
      'redis: this is no client of node-redis. Give `createClient({ url })` of the package `redis`, ' +
        'connected; one of ioredis goes to the sink as it is.',
    );
  }
  if (has(given, 'getMasterNode')) {
    throw new ConfigError(
      'redis: a client of node-redis for Sentinel is none that the sink can use. Use one of ioredis: ' +
        '`new Redis({ sentinels, name })`.',
    );
  }
  if ('nodeClient' in client) return ofCluster(client);
  const { duplicate } = client;
  return {
    call: (command, ...args) => client.sendCommand([command, ...args.map(String)]),
    ...(duplicate === undefined ? {} : { duplicate: () => dedicated(duplicate.call(client)) }),
  };
}

function ofCluster(client: NodeRedisCluster): RedisClient {
  return {
    isCluster: true,
    call: async (command, ...args) => {
      const all = [command, ...args.map(String)];
      const key = keyOf(all);
      if (key !== undefined) return client.sendCommand(key, false, all);
      // The client would ask all nodes at once, and warn that it cannot merge what they say.
      const node = await client.nodeClient(masterOf(client));
      return node.sendCommand(all);
    },
  };
}

/** Any of them, but rather one that is there. */
function masterOf({ masters }: NodeRedisCluster): NodeRedisMaster {
  const [first, ...others] = masters;
  if (first === undefined) throw new Error('The client is not connected to a cluster yet.');
  return [first, ...others].find(({ client }) => client?.isReady) ?? first;
}

/** The first key of a command as the sink sends them; undefined where it has none. */
function keyOf([command = '', ...args]: readonly string[]): string | undefined {
  // Of a script, or its digest, and how many keys follow.
  return command.startsWith('EVAL') ? args[2] : args[0];
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
