import { Redis, type RedisOptions } from 'ioredis';
import { RedisUsageSink, type RedisUsageSinkOptions } from '../../src/index.ts';
import { RedisServer } from './redis-server.ts';
import { UNHURRIED_MS } from './unhurried.ts';

type ClientOptions = Pick<
  RedisOptions,
  | 'port'
  | 'keyPrefix'
  | 'enableAutoPipelining'
  | 'autoResendUnfulfilledCommands'
  | 'enableReadyCheck'
  | 'enableOfflineQueue'
  | 'username'
  | 'password'
>;

/** A server, and clients that end with it. */
export class TestRedis {
  readonly server: RedisServer;
  readonly #clients: Redis[] = [];

  static async start(...options: string[]): Promise<TestRedis> {
    return new TestRedis(await RedisServer.start(...options));
  }

  constructor(server: RedisServer) {
    this.server = server;
  }

  client(options: ClientOptions = {}): Redis {
    const client = new Redis({ port: this.server.port, ...options });
    // What fails is seen by the call that fails.
    client.on('error', () => {});
    this.#clients.push(client);
    return client;
  }

  /** A sink on a client of its own. */
  sink(options: RedisUsageSinkOptions = {}, clientOptions: ClientOptions = {}): RedisUsageSink {
    return new RedisUsageSink(this.client(clientOptions), { timeoutMs: UNHURRIED_MS, ...options });
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await this.server.stop();
  }
}
