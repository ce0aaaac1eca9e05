import { ConfigError } from '@hardcap/core';

type Fields = Readonly<Record<string, unknown>>;

/** @throws ConfigError for what is no client, and for one that changes keys or reads from replicas. */
export function checkClient(client: unknown): void {
  if (!has(client, 'call')) throw new ConfigError(`redis: ${whatToGive(client)}`);
  const { options } = client;
  const own = isObject(options) ? options : {};
  const nested = own['redisOptions'];
  const prefix = own['keyPrefix'] || (isObject(nested) && nested['keyPrefix']);
  if (prefix) {
    throw new ConfigError(
      `redis: the client puts "${prefix}" before each key (\`keyPrefix\`), so that not every process ` +
        'would see the same store. Use a client without it, and `namespace` to keep stores apart.',
    );
  }
  const { scaleReads = 'master' } = own;
  if (scaleReads === 'master') return;
  throw new ConfigError(
    'redis: the client reads from replicas (`scaleReads`), which may be behind, so that books would not ' +
      "agree. Use a client with `scaleReads: 'master'`, which is the default.",
  );
}

/** @throws ConfigError for what is no address of a server. It may have a password, and is not shown. */
export function checkUrl(url: string): void {
  if (/^rediss?:\/\/\S+$/i.test(url) || /^\/\S/.test(url)) return;
  throw new ConfigError(
    'redis: the address is none of a server. Write "redis://localhost:6379", "rediss://…" for TLS, or ' +
      'the path of a socket.',
  );
}

function whatToGive(client: unknown): string {
  if (has(client, 'sendCommand')) {
    return 'this is a client of node-redis. Give the sink `fromNodeRedis(client)`.';
  }
  if (has(client, 'evalsha')) {
    return 'this is a client of @upstash/redis. Give the sink `fromUpstash(client)`.';
  }
  return (
    'this is no client. Give the sink one of ioredis, `fromNodeRedis(client)`, `fromUpstash(client)`, ' +
    '`upstashRest({ url, token })`, or the URL of a server.'
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Whether there is such a method. */
export function has<Name extends string>(
  client: unknown,
  name: Name,
): client is Fields & Record<Name, unknown> {
  return isObject(client) && typeof client[name] === 'function';
}
