import type { RedisClient } from './redis-client.ts';

export interface UpstashRestOptions {
  /** Such as `https://eu1-some-name-12345.upstash.io`. */
  readonly url: string;
  readonly token: string;
  /** @default the global one */
  readonly fetch?: typeof fetch;
}

/** A client over HTTP, as Upstash takes commands: for edge runtimes, which have no sockets. */
export function upstashRest({
  url,
  token,
  fetch = globalThis.fetch,
}: UpstashRestOptions): RedisClient {
  return {
    async call(command, ...args) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify([command, ...args]),
      });
      const reply = (await response.json()) as {
        readonly result?: unknown;
        readonly error?: string;
      };
      if (reply.error !== undefined) throw new Error(reply.error);
      return reply.result;
    },
  };
}
