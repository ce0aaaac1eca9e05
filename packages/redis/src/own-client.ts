import type { RedisClient } from './redis-client.ts';

/** A client that the sink makes from a URL, with the first call, and closes. */
export class OwnClient implements RedisClient {
  readonly #url: string;
  #client: Promise<import('ioredis').Redis> | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async call(command: string, ...args: (string | number)[]): Promise<unknown> {
    this.#client ??= connect(this.#url);
    const client = await this.#client;
    return client.call(command, ...args);
  }

  async close(): Promise<void> {
    const client = await this.#client;
    client?.disconnect();
  }
}

async function connect(url: string): Promise<import('ioredis').Redis> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url);
  // Each call fails by itself; without a listener the client writes to the console, too.
  client.on('error', () => {});
  return client;
}
