import type { RedisClient } from './redis-client.ts';

/** What is needed of a client of the package `redis` (node-redis), connected. */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** A client of the package `redis` for the sink. It stays yours. */
export function fromNodeRedis(client: NodeRedisClient): RedisClient {
  return {
    call: (command, ...args) => client.sendCommand([command, ...args.map(String)]),
  };
}
