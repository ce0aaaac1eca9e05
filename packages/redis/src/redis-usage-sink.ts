import type {
  Account,
  AccountReading,
  AdjustAnswer,
  AdjustRequest,
  EntryQuery,
  ExtendAnswer,
  ExtendRequest,
  ReleaseAnswer,
  ReserveAnswer,
  ReserveRequest,
  SettleAnswer,
  SettleRequest,
  SinkEntry,
  UsageSink,
  VerifyReport,
} from '@hardcap/core';
import { checkClient, checkUrl } from './check-client.ts';
import { checkOptions } from './check-options.ts';
import { dedicatedClient } from './durability.ts';
import { type OpenStore, openStore } from './open-store.ts';
import { OwnClient } from './own-client.ts';
import { Partition } from './partition.ts';
import { PartitionedSink } from './partitioned-sink.ts';
import type { RedisClient } from './redis-client.ts';
import type { RedisUsageSinkOptions } from './redis-usage-sink-options.ts';
import { ReplicatedConnection } from './replicated-connection.ts';
import { ServerCheck } from './server-checks.ts';
import { storeKeys } from './store-keys.ts';

/** Counters and ledger in Redis or Valkey, shared by every process that uses the same namespace. */
export class RedisUsageSink implements UsageSink {
  readonly #sink: OpenStore | PartitionedSink;
  readonly #own: OwnClient | null;
  readonly #replicated: ReplicatedConnection | null;

  /**
   * @param redis a client of ioredis, which stays yours and is never closed, or the URL of a server,
   *   for which the sink makes a client of its own (`ioredis` must be installed).
   * @throws ConfigError for what is no client or no address, for a client with `keyPrefix` or that reads
   *   from replicas, for options that there are not, and for values that they cannot have.
   */
  constructor(redis: RedisClient | string, options: RedisUsageSinkOptions = {}) {
    checkOptions(options);
    if (typeof redis === 'string') checkUrl(redis);
    else checkClient(redis);
    this.#own = typeof redis === 'string' ? new OwnClient(redis) : null;
    const client = typeof redis === 'string' ? (this.#own as OwnClient) : redis;
    const { namespace = 'default', timeoutMs = 1_000, durability = 'async', partitionBy } = options;
    this.#replicated =
      durability === 'async'
        ? null
        : new ReplicatedConnection(dedicatedClient(client, durability, timeoutMs), durability);
    const check = options.checkServer === false ? null : new ServerCheck();
    const connection = { client, replicated: this.#replicated, check };
    this.#sink =
      partitionBy === undefined
        ? openStore(connection, storeKeys(namespace), options, false)
        : new PartitionedSink(connection, new Partition(namespace, partitionBy), options);
  }

  reserve(request: ReserveRequest): Promise<ReserveAnswer> {
    return this.#sink.reserve(request);
  }

  extend(request: ExtendRequest): Promise<ExtendAnswer> {
    return this.#sink.extend(request);
  }

  settle(request: SettleRequest): Promise<SettleAnswer> {
    return this.#sink.settle(request);
  }

  release(id: string): Promise<ReleaseAnswer> {
    return this.#sink.release(id);
  }

  read(accounts: readonly Account[]): Promise<AccountReading[]> {
    return this.#sink.read(accounts);
  }

  adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    return this.#sink.adjust(request);
  }

  entries(query: EntryQuery = {}): AsyncGenerator<SinkEntry> {
    return this.#sink.entries(query);
  }

  verify(): Promise<VerifyReport> {
    return this.#sink.verify();
  }

  rebuild(): Promise<VerifyReport> {
    return this.#sink.rebuild();
  }

  /**
   * Tells the server at once what leased calls have cost.
   *
   * @returns of how many it was not told, where it is away: it is told later
   */
  flush(): Promise<number> {
    return this.#sink.flush();
  }

  /** Closes the clients that the sink has made, and no other. */
  async close(): Promise<void> {
    await this.#sink.close();
    this.#replicated?.disconnect();
    await this.#own?.close();
  }
}
