import { type OpenStore, openStore } from './open-store.ts';
import type { Partitioning } from './partition.ts';
import { PartitionRegistry } from './partition-registry.ts';
import type { RedisUsageSinkOptions } from './redis-usage-sink-options.ts';
import { sessionOptions } from './redis-usage-sink-options.ts';
import type { StoreConnection } from './store-sink.ts';

interface Known {
  readonly store: OpenStore;
  /** That it is in the registry; null until somebody has to hold something in it. */
  registered: Promise<void> | null;
  registeredAt: number;
}

/** So many are remembered, those that were used last; of another, the next call meets the store anew. */
const MOST_KNOWN = 10_000;
const REGISTERED_MS = 3_600_000;

/** The stores of a partitioned namespace, made as they are needed. */
export class PartitionStores {
  readonly above: OpenStore;
  readonly #make: (name: string | null) => OpenStore;
  readonly #registry: PartitionRegistry;
  readonly #known: Map<string, Known> = new Map();
  /** Stores that are not remembered any more, until they have what this process knows alone. */
  readonly #leaving: Set<OpenStore> = new Set();
  /** Of the store above, beside which the registry is: one is lost with the other. */
  #epoch: string | null = null;

  constructor(
    connection: StoreConnection,
    partitioning: Partitioning,
    options: RedisUsageSinkOptions,
  ) {
    this.#make = (name) => openStore(connection, partitioning.keysOf(name), options, true);
    this.above = this.#make(null);
    const { idleMs } = sessionOptions(options);
    this.#registry = new PartitionRegistry(
      this.above.scripts.runner,
      partitioning.registry,
      idleMs,
    );
  }

  /** The store of a partition, for what holds nothing that there was not. */
  at(name: string | null): OpenStore {
    return name === null ? this.above : this.#know(name).store;
  }

  /** The store of a partition, which everybody can find from then on. */
  async of(name: string | null): Promise<OpenStore> {
    this.#lookAbove();
    if (name === null) return this.above;
    const known = this.#know(name);
    known.registered ??= this.#register(name, known);
    await known.registered;
    const isDue = Date.now() - known.registeredAt > REGISTERED_MS;
    // Another will do where this one fails: it is in the registry for as long as it lives.
    if (isDue) void this.#register(name, known).catch(() => {});
    return known.store;
  }

  /** Puts into the registry what this process knows, as after it was lost. */
  async register(): Promise<void> {
    await Promise.all([...this.#known].map(([name, known]) => this.#register(name, known)));
  }

  /** Names of the partitions that there may be. */
  async names(): Promise<string[]> {
    return [...new Set([...(await this.#registry.names()), ...this.#known.keys()])].toSorted();
  }

  /** All stores: those of the partitions, and the one above them. */
  async all(): Promise<OpenStore[]> {
    const names = await this.names();
    return [...names.map((name) => this.at(name)), this.above];
  }

  /** @returns of how many calls stores were not told how they ended */
  async flush(): Promise<number> {
    const unsent = await Promise.all(this.#opened.map((store) => store.flush()));
    return unsent.reduce((sum, count) => sum + count, 0);
  }

  /** See `LeasingSink.renew`. */
  async renew(): Promise<void> {
    await Promise.all(this.#opened.map((store) => store.renew()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((store) => store.close()));
  }

  get #opened(): OpenStore[] {
    const known = [...this.#known.values()].map(({ store }) => store);
    return [this.above, ...known, ...this.#leaving];
  }

  #lookAbove(): void {
    const { epoch } = this.above.scripts.session;
    if (epoch === this.#epoch) return;
    if (this.#epoch !== null) void this.register().catch(() => {});
    this.#epoch = epoch;
  }

  async #register(name: string, known: Known): Promise<void> {
    known.registeredAt = Date.now();
    try {
      await this.#registry.add(name);
    } catch (error) {
      known.registered = null;
      throw error;
    }
  }

  #know(name: string): Known {
    const known = this.#known.get(name);
    if (known !== undefined) {
      this.#known.delete(name);
      this.#known.set(name, known);
      return known;
    }
    if (this.#known.size >= MOST_KNOWN) {
      const [oldest = ''] = this.#known.keys();
      this.#leave(this.#known.get(oldest)?.store as OpenStore);
      this.#known.delete(oldest);
    }
    const made: Known = { store: this.#make(name), registered: null, registeredAt: 0 };
    this.#known.set(name, made);
    return made;
  }

  /** Where that fails, it is tried again when all are closed. */
  #leave(store: OpenStore): void {
    this.#leaving.add(store);
    const left = () => void this.#leaving.delete(store);
    store.close().then(left, () => {});
  }
}
