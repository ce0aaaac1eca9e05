import { ConfigError } from '@hardcap/core';
import type { RedisClient } from './redis-client.ts';

export interface UpstashRestOptions {
  /** Such as `https://eu1-some-name-12345.upstash.io`. */
  readonly url: string;
  readonly token: string;
  /** @default the global one */
  readonly fetch?: typeof fetch;
}

interface Reply {
  readonly result?: unknown;
  readonly error?: string;
}

/**
 * A client over HTTP, as Upstash takes commands: for edge runtimes, which have no sockets.
 *
 * @throws ConfigError for a URL or a token that is none, such as one that an environment lacks.
 */
export function upstashRest({
  url,
  token,
  fetch = globalThis.fetch,
}: UpstashRestOptions): RedisClient {
  if (!/^https?:\/\/\S+$/i.test(String(url)) || typeof token !== 'string' || token === '') {
    throw new ConfigError(
      'redis: `url` and `token` of `upstashRest` are those of the database, such as ' +
        '"https://some-name-12345.upstash.io". Are the environment variables set?',
    );
  }
  return {
    async call(command, ...args) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify([command, ...args]),
      });
      const reply = (await response.json().catch(() => null)) as Reply | null;
      if (reply?.error !== undefined) throw new Error(reply.error);
      if (reply?.result !== undefined) return reply.result;
      throw new Error(`The answer was none of Upstash (HTTP ${response.status})`);
    },
  };
}
