import { ConfigError } from '@hardcap/core';
import type { DedicatedClient, RedisClient } from './redis-client.ts';

type Listener = readonly [event: 'close' | 'error', listener: () => void];

/** A client that the sink makes from a URL, with the first call, and closes. */
export class OwnClient implements RedisClient, DedicatedClient {
  readonly #url: string;
  readonly #options: object;
  // Each call fails by itself; without a listener the client writes to the console, too.
  readonly #listeners: Listener[] = [['error', () => {}]];
  #client: Promise<import('ioredis').Redis> | null = null;
  #trouble: string | null = null;

  constructor(url: string, options: object = {}) {
    this.#url = url;
    this.#options = options;
  }

  /** What keeps it from its server, if anything. */
  get status(): string {
    return this.#trouble ?? 'ready';
  }

  async call(command: string, ...args: (string | number)[]): Promise<unknown> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    return client.call(command, ...args);
  }

  duplicate(override: object = {}): OwnClient {
    return new OwnClient(this.#url, override);
  }

  /** Before the first call. */
  on(...listener: Listener): void {
    this.#listeners.push(listener);
  }

  disconnect(): void {
    this.close().catch(() => {});
  }

  async close(): Promise<void> {
    // One that could not be made failed the calls that asked for it.
    const client = await this.#client?.catch(() => null);
    client?.disconnect();
  }

  async #connect(): Promise<import('ioredis').Redis> {
    const { Redis } = await import('ioredis').catch((cause: unknown) => {
      throw new ConfigError(
        'redis: a URL needs the package `ioredis`. Install it, or give the sink a client of your own.',
        { cause },
      );
    });
    const client = new Redis(this.#url, this.#options);
    client.on('error', ({ message }) => {
      this.#trouble = message;
    });
    client.on('ready', () => {
      this.#trouble = null;
    });
    for (const [event, listener] of this.#listeners) client.on(event, listener);
    return client;
  }
}
