import { ConfigError } from '@hardcap/core';
import type { DedicatedClient, RedisClient } from './redis-client.ts';

/**
 * When a call counts as admitted: once the server has its hold, or once so many replicas have it, too,
 * which they must say within `timeoutMs`.
 */
export type Durability = 'async' | ConfirmedDurability;

export interface ConfirmedDurability {
  readonly replicas: number;
  /** In ms, less than that of the sink. */
  readonly timeoutMs: number;
}

// What is sent again after a connection broke would be confirmed by the wrong one.
const OF_IOREDIS = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: false,
};

/**
 * The connection on which holds are confirmed: `WAIT` is about what was written on its own connection,
 * and blocks it.
 *
 * @throws ConfigError where that cannot be had of a client.
 */
export function dedicatedClient(
  client: RedisClient,
  { replicas, timeoutMs }: ConfirmedDurability,
  sinkTimeoutMs: number,
): DedicatedClient {
  if (!Number.isSafeInteger(replicas) || replicas < 1) {
    throw new ConfigError(
      `redis: \`durability.replicas\` is ${replicas}. Give a whole number from 1 on, or ` +
        "`durability: 'async'` to wait for none.",
    );
  }
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs >= sinkTimeoutMs) {
    throw new ConfigError(
      `redis: \`durability.timeoutMs\` is ${timeoutMs}. Give whole milliseconds from 1 to below ` +
        `\`timeoutMs\` of the sink, which is ${sinkTimeoutMs}.`,
    );
  }
  if (client.isCluster === true || client.duplicate === undefined) {
    const why = client.isCluster === true ? 'goes to several servers' : 'has no `duplicate()`';
    throw new ConfigError(
      `redis: \`durability\` needs a connection of its own, and this client ${why}. Use a client of ` +
        "one server or of Sentinel, from ioredis or node-redis, or `durability: 'async'`.",
    );
  }
  return client.duplicate(OF_IOREDIS);
}
