import {
  type Account,
  type AccountReading,
  type AdjustAnswer,
  type AdjustRequest,
  type EntryQuery,
  type ExtendAnswer,
  type ExtendRequest,
  type ReleaseAnswer,
  ReservationMismatchError,
  type ReserveAnswer,
  type ReserveRequest,
  type SettleAnswer,
  type SettleRequest,
  type SinkEntry,
  type UsageSink,
  type VerifyReport,
} from '@hardcap/core';
import { checkAdjustment, checkCharges, checkClaims, checkId, checkTtl } from '@hardcap/core/sink';
import { digestOf } from './account-text.ts';
import { adjustParts } from './adjust-parts.ts';
import {
  type CallPart,
  checkPartCount,
  inOrder,
  type Manner,
  PartitionedCall,
  partId,
  tellingPlace,
} from './call-part.ts';
import { CallSearch } from './call-search.ts';
import { chargesOf, endParts, releasedAnswer, settledAnswer } from './end-parts.ts';
import { extendParts } from './extend-parts.ts';
import { mergeLedgers } from './merge-ledgers.ts';
import type { Partitioning } from './partition.ts';
import { PartitionStores } from './partition-stores.ts';
import { RecentCalls } from './recent-calls.ts';
import type { RedisUsageSinkOptions } from './redis-usage-sink-options.ts';
import { reserveParts, undoParts } from './reserve-parts.ts';
import type { StoreConnection } from './store-sink.ts';
import { Turns } from './turns.ts';

/** So many stores are verified at once. */
const VERIFIED_AT_ONCE = 16;
/** So many adjustments are remembered; stores remember their own. */
const MOST_ADJUSTED = 10_000;

/**
 * A sink over many stores: one for each partition, and one for the accounts above them. A call on
 * accounts of several has a part in each, under an id that says so.
 */
export class PartitionedSink implements UsageSink {
  readonly #partitioning: Partitioning;
  readonly #stores: PartitionStores;
  readonly #calls: RecentCalls = new RecentCalls();
  readonly #turns: Turns = new Turns();
  readonly #search: CallSearch;
  /** What adjustments were, by id: an id is for one of them, in whatever store. */
  readonly #adjusted: Map<string, string> = new Map();
  /** Tells the order of what this process writes within a millisecond. */
  #written = 0;

  constructor(
    connection: StoreConnection,
    partitioning: Partitioning,
    options: RedisUsageSinkOptions,
  ) {
    this.#partitioning = partitioning;
    this.#stores = new PartitionStores(connection, partitioning, options);
    this.#search = new CallSearch(this.#stores, this.#nameOf);
  }

  async reserve(request: ReserveRequest): Promise<ReserveAnswer> {
    const { id, claims, ttlMs } = request;
    checkId(id);
    checkClaims(claims);
    checkTtl(ttlMs);
    return this.#turns.take(id, async () => {
      const manner = this.#manner();
      const call = await this.#callFor(request, manner.deadline);
      try {
        const answer = await reserveParts(call, request, manner);
        if (!answer.admitted && !call.isAdmitted) this.#calls.delete(id);
        return answer;
      } catch (error) {
        const isOthers = ReservationMismatchError.isInstance(error) && !call.isAdmitted;
        if (isOthers) this.#calls.delete(id);
        // While a server is away there may be very many of these.
        if (!call.isAdmitted) this.#calls.end(id);
        throw error;
      }
    });
  }

  async extend(request: ExtendRequest): Promise<ExtendAnswer> {
    const { id, claims, ttlMs } = request;
    checkClaims(claims);
    checkTtl(ttlMs);
    return this.#turns.take(id, () => {
      const manner = this.#manner();
      const extend = (call: PartitionedCall) => extendParts(call, request, manner);
      const known = this.#calls.get(id);
      if (known !== undefined) {
        this.#calls.use(known);
        return extend(known);
      }
      const accounts = claims.map(({ account }) => account.key);
      return this.#search.find(id, accounts, manner.deadline, (parts) =>
        extend(new PartitionedCall(id, parts, [])),
      );
    });
  }

  async settle(request: SettleRequest): Promise<SettleAnswer> {
    const { id, charges } = request;
    checkCharges(charges);
    this.#written += 1;
    const details = { n: this.#written, d: request.details };
    return this.#turns.take(id, () => {
      const { deadline } = this.#manner();
      const end = (part: CallPart) => {
        const own = chargesOf(part, charges, this.#nameOf);
        return part.store.settle({ ...request, id: part.id, charges: own, details }, deadline);
      };
      const settle = async (parts: readonly CallPart[]) => {
        const answers = await endParts(parts, { way: 'settled', end, deadline });
        this.#calls.end(id);
        return settledAnswer(answers, (all) => this.#calls.sorted(id, all));
      };
      const known = this.#calls.get(id);
      if (known !== undefined) return settle(known.parts);
      const accounts = charges.map(({ account }) => account);
      return this.#search.find(id, accounts, deadline, settle);
    });
  }

  async release(id: string): Promise<ReleaseAnswer> {
    return this.#turns.take(id, () => {
      const { deadline } = this.#manner();
      const end = (part: CallPart) => part.store.release(part.id, deadline);
      const release = async (parts: readonly CallPart[]) => {
        const answers = await endParts(parts, { way: 'released', end, deadline });
        this.#calls.end(id);
        return releasedAnswer(answers);
      };
      const known = this.#calls.get(id);
      return known === undefined
        ? this.#search.find(id, [], deadline, release)
        : release(known.parts);
    });
  }

  async read(accounts: readonly Account[]): Promise<AccountReading[]> {
    const { runner } = this.#stores.above.scripts;
    const { deadline } = runner;
    const names = inOrder(accounts.map(({ key }) => this.#nameOf(key)));
    const readings = new Map<string, AccountReading>();
    const read = names.map(async (name) => {
      const own = accounts.filter(({ key }) => this.#nameOf(key) === name);
      const store = this.#stores.at(name);
      for (const each of (await store.readAt(own, deadline)).readings)
        readings.set(each.account, each);
    });
    await runner.wait('read', deadline, Promise.all(read));
    return accounts.map(({ key }) => readings.get(key) as AccountReading);
  }

  async adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    const { id, account, change } = request;
    checkId(id);
    checkAdjustment(change);
    return this.#turns.take(`adjust ${id}`, async () => {
      const what = digestOf(JSON.stringify([account.key, change]));
      const before = this.#adjusted.get(id);
      if (before !== undefined && before !== what) {
        const store = this.#stores.at(this.#nameOf(account.key));
        const { at, readings } = await store.readAt([account]);
        const [reading] = readings as [AccountReading];
        return { status: 'already-adjusted', reading, at, notices: [] };
      }
      this.#written += 1;
      const details = { n: this.#written, d: request.details };
      const answer = await adjustParts({ ...request, details }, this.#stores, this.#manner());
      if (this.#adjusted.size >= MOST_ADJUSTED) this.#adjusted.clear();
      this.#adjusted.set(id, what);
      return answer;
    });
  }

  async *entries(query: EntryQuery = {}): AsyncGenerator<SinkEntry> {
    const stores = await this.#stores.all();
    yield* mergeLedgers(stores, query, (id, all) => this.#calls.sorted(id, all));
  }

  verify(): Promise<VerifyReport> {
    return this.#verified((store) => store.verify());
  }

  async rebuild(): Promise<VerifyReport> {
    const report = await this.#verified((store) => store.rebuild());
    await this.#stores.register();
    return report;
  }

  flush(): Promise<number> {
    return this.#stores.flush();
  }

  /** Sees to leases now: tests do, whose time stands still. */
  renew(): Promise<void> {
    return this.#stores.renew();
  }

  close(): Promise<void> {
    return this.#stores.close();
  }

  readonly #nameOf = (account: string): string | null => this.#partitioning.nameOf(account);

  /** Of an operation that begins now: one deadline for all its steps. */
  #manner(): Manner {
    return { nameOf: this.#nameOf, deadline: this.#stores.above.scripts.runner.deadline };
  }

  /** The call that a reservation is of, and in which stores. */
  async #callFor({ id, claims }: ReserveRequest, deadline: number): Promise<PartitionedCall> {
    const known = this.#calls.get(id);
    const names = inOrder(claims.map(({ account }) => this.#nameOf(account.key)));
    if (names.length === 0) names.push(null);
    if (known !== undefined) {
      const isSame = sameNames(known, names);
      if (!isSame) throw new ReservationMismatchError(id);
      if (known.isDoubtful) await undoParts(known, deadline);
      if (!known.isAdmitted) {
        known.ask(claims);
        this.#calls.add(known);
      }
      return known;
    }
    checkPartCount(names.length);
    const telling = tellingPlace(names, claims, this.#nameOf);
    const parts = names.map(async (name, index) => {
      const own = { place: index + 1, count: names.length, tells: index === telling, id };
      return { name, id: partId(own), store: await this.#stores.of(name) };
    });
    const { runner } = this.#stores.above.scripts;
    const met = await runner.wait('reserve', deadline, Promise.all(parts));
    const call = new PartitionedCall(id, met, claims);
    this.#calls.add(call);
    return call;
  }

  async #verified(
    verify: (store: PartitionStores['above']) => Promise<VerifyReport>,
  ): Promise<VerifyReport> {
    const stores = await this.#stores.all();
    const reports: VerifyReport[] = [];
    while (stores.length > 0) {
      reports.push(...(await Promise.all(stores.splice(0, VERIFIED_AT_ONCE).map(verify))));
    }
    const sum = (of: (report: VerifyReport) => number) => {
      return reports.reduce((total, report) => total + of(report), 0);
    };
    return {
      at: reports.reduce((latest, { at }) => Math.max(latest, at), 0),
      accounts: sum(({ accounts }) => accounts),
      entries: sum(({ entries }) => entries),
      reservations: sum(({ reservations }) => reservations),
      differences: reports.flatMap(({ differences }) => differences),
    };
  }
}

function sameNames({ parts }: PartitionedCall, names: readonly (string | null)[]): boolean {
  return parts.length === names.length && parts.every(({ name }, place) => name === names[place]);
}
