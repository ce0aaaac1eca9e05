import {
  type Account,
  type AccountReading,
  type AdjustAnswer,
  type AdjustRequest,
  ConfigError,
  type EntryQuery,
  type ExtendAnswer,
  type ExtendRequest,
  type ReleaseAnswer,
  type ReserveAnswer,
  type ReserveRequest,
  type SettleAnswer,
  type SettleRequest,
  type SinkEntry,
  type SinkNotice,
  type UsageSink,
  type VerifyReport,
} from '@hardcap/core';
import { checkAdjustment, checkCharges, checkClaims, checkId, checkTtl } from '@hardcap/core/sink';
import { adjust } from './adjust.ts';
import type { Books } from './books.ts';
import { detailsText } from './details-text.ts';
import { isBusy, type SqliteDatabase } from './driver.ts';
import { readEntries } from './entries.ts';
import { type PruneReport, pruneLedger } from './prune-ledger.ts';
import { readAccount } from './read.ts';
import { extend, release, reserve } from './reserve.ts';
import { settle } from './settle.ts';
import { Store, StoreLostError, type StoreOptions } from './store.ts';
import { verifyLedger } from './verify-ledger.ts';
import { closed, unavailable, WorkQueue } from './work-queue.ts';

export interface SqliteUsageSinkOptions {
  /** The sink's clock, in ms since the epoch; one that runs backwards stands still. @default Date.now */
  readonly now?: () => number;
  /**
   * Ms that an operation waits while other processes hold the lock; then it is a
   * `SinkUnavailableError`, and was not carried out.
   *
   * @default 1_000
   */
  readonly timeoutMs?: number;
  /**
   * `normal` survives the death of the process; the last calls before a loss of power may be gone.
   * `full` survives that, too, and waits for the disk with every transaction.
   *
   * @default 'normal'
   */
  readonly synchronous?: 'normal' | 'full';
  /**
   * Ms for which a repeated settlement is recognised after the first, and a late one awaited after an
   * expiry.
   *
   * @default 86_400_000 (one day)
   */
  readonly rememberedMs?: number;
}

const DAY_MS = 86_400_000;

/**
 * Counters and ledger in a SQLite file: they survive restarts, and all processes of one machine that
 * open the file share them. Operations wait for the lock without holding up the event loop.
 *
 * Every operation may fail with a `SinkUnavailableError`; it was not carried out then.
 */
export class SqliteUsageSink implements UsageSink {
  readonly #given: string | SqliteDatabase;
  readonly #options: StoreOptions;
  readonly #queue: WorkQueue;
  #store: Store;
  #closing: Promise<void> | null = null;
  // Somebody accepted that the store was lost, and the next answer tells it.
  #isReset = false;

  /**
   * @param pathOrDatabase a file, made where there is none; or a connection of `node:sqlite` or
   * `better-sqlite3` to a database that holds nothing else. It is set to WAL mode and no busy timeout,
   * and is never closed.
   * @throws ConfigError when that is no store of hardcap, is damaged, was made by a newer version or
   * cannot be written; it is left as it is. SinkUnavailableError when other processes hold its lock.
   */
  constructor(pathOrDatabase: string | SqliteDatabase, options: SqliteUsageSinkOptions = {}) {
    const { now = Date.now, timeoutMs = 1_000, rememberedMs = DAY_MS } = options;
    const { synchronous = 'normal' } = options;
    if (!(timeoutMs >= 0) || !(rememberedMs >= 0)) {
      throw new ConfigError('`timeoutMs` and `rememberedMs` are numbers of milliseconds.');
    }
    this.#given = pathOrDatabase;
    this.#options = { now, rememberedMs, synchronous };
    this.#store = new Store(pathOrDatabase, this.#options);
    this.#queue = new WorkQueue(() => this.#store, timeoutMs);
  }

  async reserve(request: ReserveRequest): Promise<ReserveAnswer> {
    checkId(request.id);
    checkClaims(request.claims);
    checkTtl(request.ttlMs);
    return this.#told(await this.#queue.run((books) => reserve(books, request)));
  }

  async extend(request: ExtendRequest): Promise<ExtendAnswer> {
    checkClaims(request.claims);
    checkTtl(request.ttlMs);
    return this.#told(await this.#queue.run((books) => extend(books, request)));
  }

  async settle(request: SettleRequest): Promise<SettleAnswer> {
    checkCharges(request.charges);
    const details = detailsText(request.details);
    return this.#told(await this.#queue.run((books) => settle(books, request, details)));
  }

  async release(id: string): Promise<ReleaseAnswer> {
    return this.#told(await this.#queue.run((books) => release(books, id)));
  }

  /** Takes no lock, unless it comes upon holds that ran out. */
  async read(accounts: readonly Account[]): Promise<AccountReading[]> {
    return this.#look((books) => accounts.map((account) => readAccount(books, account)));
  }

  async adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    checkId(request.id);
    checkAdjustment(request.change);
    const details = detailsText(request.details);
    return this.#told(await this.#queue.run((books) => adjust(books, request, details)));
  }

  /** Those that are there when it begins. Reads a page at a time, and holds up nobody. */
  async *entries(query: EntryQuery = {}): AsyncGenerator<SinkEntry> {
    yield* readEntries((work) => this.#look(work), query);
  }

  /**
   * Compares counters with the ledger, bit by bit, while traffic goes on. A rolling window's slots and
   * the holds of all open calls are compared each in one piece.
   */
  async verify(): Promise<VerifyReport> {
    return verifyLedger({ read: (work) => this.#look(work) });
  }

  /** The same, and restores the counters. Accepts a lost store, like {@link acceptStoreReset}. */
  async rebuild(): Promise<VerifyReport> {
    if (this.#isLost()) this.acceptStoreReset();
    return verifyLedger({
      read: (work) => this.#look(work),
      write: (work) => this.#queue.run(work),
    });
  }

  /**
   * Drops entries that were written before a time, a few at a time. Those of windows that are still
   * open stay; what is dropped of a window without end lives on as a sum, so that `verify` stays right.
   *
   * @param options.olderThan ms since the epoch.
   */
  async pruneLedger(options: { readonly olderThan: number }): Promise<PruneReport> {
    return pruneLedger(this.#queue, options.olderThan);
  }

  /**
   * Goes on with the store that is there now, after the one that was open was deleted or replaced.
   * The next answer brings a `store-reset` notice.
   *
   * @throws ConfigError as the constructor does.
   */
  acceptStoreReset(): void {
    const before = this.#store;
    if (this.#closing !== null) throw closed();
    this.#store = new Store(this.#given, this.#options);
    before.close();
    this.#isReset = true;
  }

  /**
   * Waits for the operations that were begun, and closes the file; a connection that was given stays
   * open. Whatever is asked from now on is a `SinkUnavailableError`, and so is the rest of a `verify`,
   * `rebuild`, `pruneLedger` or `entries` that is under way.
   */
  close(): Promise<void> {
    this.#closing ??= this.#queue.close().then(() => this.#store.close());
    return this.#closing;
  }

  #isLost(): boolean {
    try {
      this.#store.read(() => {});
      return false;
    } catch (error) {
      return error instanceof StoreLostError;
    }
  }

  /** Reads, once what ran out was charged. */
  async #look<Answer>(work: (books: Books) => Answer): Promise<Answer> {
    if (this.#closing !== null) throw closed();
    try {
      const seen = this.#store.read((books) => (books.isDue ? null : { answer: work(books) }));
      if (seen !== null) return seen.answer;
    } catch (error) {
      if (!isBusy(error)) throw unavailable(error);
    }
    return this.#queue.run(work);
  }

  #told<Answer extends { readonly at: number; readonly notices: readonly SinkNotice[] }>(
    answer: Answer,
  ): Answer {
    if (!this.#isReset) return answer;
    this.#isReset = false;
    const reset: SinkNotice = { type: 'store-reset', at: answer.at };
    return { ...answer, notices: [reset, ...answer.notices] };
  }
}
