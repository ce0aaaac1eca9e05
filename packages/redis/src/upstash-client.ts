import { ConfigError } from '@hardcap/core';
import { has } from './check-client.ts';
import type { RedisClient } from './redis-client.ts';

/** What is needed of a `Redis` of `@upstash/redis`, made with `automaticDeserialization: false`. */
export interface UpstashClient {
  exec<Result>(command: [command: string, ...args: (string | number | boolean)[]]): Promise<Result>;
}

/**
 * A client of `@upstash/redis` for the sink.
 *
 * @throws ConfigError for one that would turn replies into other values.
 */
export function fromUpstash(client: UpstashClient): RedisClient {
  if (!has(client, 'exec')) {
    throw new ConfigError(
      'redis: this is no client of @upstash/redis. Make one with `new Redis({ url, token, ' +
        'automaticDeserialization: false })`.',
    );
  }
  const { opts } = client as { readonly opts?: { readonly automaticDeserialization?: boolean } };
  if (opts?.automaticDeserialization !== false) {
    throw new ConfigError(
      'redis: the client of @upstash/redis reads replies as JSON, which would make other numbers of large ' +
        'ones. Make it with `automaticDeserialization: false`.',
    );
  }
  return {
    call: async (command, ...args) => {
      try {
        return await client.exec([command, ...args]);
      } catch (error) {
        throw withoutCommand(error);
      }
    },
  };
}

/** An error without what it repeats of the command: scripts, and what calls are about. */
function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [message = ''] = error.message.split(', command was: ', 1);
  return message === error.message ? error : new Error(message);
}
