import type { Awaitable } from './awaitable.ts';
import type { MemoryStore } from './memory-store.ts';
import type { EntryQuery, SinkEntry } from './sink-entry.ts';
import type {
  Account,
  AccountReading,
  AdjustAnswer,
  AdjustRequest,
  ExtendAnswer,
  ExtendRequest,
  ReleaseAnswer,
  ReserveAnswer,
  ReserveRequest,
  SettleAnswer,
  SettleRequest,
  UsageSink,
  VerifyReport,
} from './usage-sink.ts';

export interface MemoryUsageSinkOptions {
  /** Ms since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Ledger entries kept one by one; older ones live on as sums. @default 512 */
  readonly ledgerCapacity?: number;
  /** Resolved reservations remembered, so that a repeated settlement is recognised. @default 512 */
  readonly rememberedReservations?: number;
  /** Accounts kept; a call that would need one more is refused. @default 1_000_000 */
  readonly maxAccounts?: number;
}

/**
 * Counters and ledger in this process: exact, shared by its async tasks, gone when it ends.
 *
 * Its code is loaded as soon as one is made: who keeps counters elsewhere does without it. Until then
 * it answers with promises.
 */
export class MemoryUsageSink implements UsageSink {
  readonly #loading: Promise<MemoryStore>;
  #store: MemoryStore | null = null;

  constructor(options: MemoryUsageSinkOptions = {}) {
    this.#loading = this.#load(options);
    // Whoever waits for it is told.
    this.#loading.catch(() => {});
  }

  get opening(): Promise<unknown> | null {
    return this.#store === null ? this.#loading : null;
  }

  reserve(request: ReserveRequest): Awaitable<ReserveAnswer> {
    return this.#store?.reserve(request) ?? this.#loading.then((store) => store.reserve(request));
  }

  extend(request: ExtendRequest): Awaitable<ExtendAnswer> {
    return this.#store?.extend(request) ?? this.#loading.then((store) => store.extend(request));
  }

  settle(request: SettleRequest): Awaitable<SettleAnswer> {
    return this.#store?.settle(request) ?? this.#loading.then((store) => store.settle(request));
  }

  release(id: string): Awaitable<ReleaseAnswer> {
    return this.#store?.release(id) ?? this.#loading.then((store) => store.release(id));
  }

  read(accounts: readonly Account[]): Awaitable<readonly AccountReading[]> {
    return this.#store?.read(accounts) ?? this.#loading.then((store) => store.read(accounts));
  }

  async adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    return (await this.#loading).adjust(request);
  }

  async *entries(query?: EntryQuery): AsyncGenerator<SinkEntry> {
    yield* (await this.#loading).entries(query);
  }

  async verify(): Promise<VerifyReport> {
    return (await this.#loading).verify();
  }

  async rebuild(): Promise<VerifyReport> {
    return (await this.#loading).rebuild();
  }

  close(): void {}

  async #load(options: MemoryUsageSinkOptions): Promise<MemoryStore> {
    const { MemoryStore } = await import('./memory-store.ts');
    this.#store = new MemoryStore(options);
    return this.#store;
  }
}
