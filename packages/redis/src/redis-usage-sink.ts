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
  SinkUnavailableError,
  type UsageSink,
  type VerifyReport,
} from '@hardcap/core';
import {
  checkAdjustment,
  checkCharges,
  checkClaims,
  checkId,
  checkTopUp,
  checkTtl,
  matchesQuery,
  reporting,
} from '@hardcap/core/sink';
import { inJson } from './account-text.ts';
import {
  endedAnswer,
  type Reply,
  readCharges,
  readingOf,
  readNotices,
  readOvershoot,
  readRefusals,
  resolutionIn,
} from './answer-text.ts';
import { CallsTogether } from './calls-together.ts';
import { dedicatedClient } from './durability.ts';
import { settlementText } from './entry-text.ts';
import { LedgerPruner } from './ledger-pruner.ts';
import { readLedger } from './ledger-reader.ts';
import { OwnClient } from './own-client.ts';
import type { RedisClient } from './redis-client.ts';
import { type RedisUsageSinkOptions, sessionOptions } from './redis-usage-sink-options.ts';
import { ReplicatedConnection } from './replicated-connection.ts';
import { AccountArguments, correctionText, waysOf } from './script-arguments.ts';
import { type Argument, ScriptRunner } from './script-runner.ts';
import { ADJUST, EXTEND, READ, RELEASE, RESERVE, type Script, SETTLE } from './scripts.ts';
import { checkClient } from './server-checks.ts';
import { storeKeys } from './store-keys.ts';
import { StoreSession } from './store-session.ts';
import { UnconfirmedError } from './unconfirmed-error.ts';
import { verifyBooks } from './verify-books.ts';

/** How often an operation is repeated because its windows were over. */
const MOST_TURNS = 5;

type ReplyParts = readonly [status: string, at: number, more?: unknown, notices?: string];

/** Counters and ledger in Redis or Valkey, shared by every process that uses the same namespace. */
export class RedisUsageSink implements UsageSink {
  readonly #session: StoreSession;
  readonly #runner: ScriptRunner;
  readonly #ledger: string;
  readonly #own: OwnClient | null;
  readonly #replicated: ReplicatedConnection | null;
  readonly #pruner: LedgerPruner;
  readonly #accounts: AccountArguments = new AccountArguments();
  readonly #together: CallsTogether;

  /**
   * @param redis a client of ioredis, which stays yours and is never closed, or the URL of a server,
   *   for which the sink makes a client of its own (`ioredis` must be installed).
   * @throws ConfigError for a client with `keyPrefix`, and for `durability` where it cannot be had.
   */
  constructor(redis: RedisClient | string, options: RedisUsageSinkOptions = {}) {
    if (typeof redis !== 'string') checkClient(redis);
    this.#own = typeof redis === 'string' ? new OwnClient(redis) : null;
    const client = typeof redis === 'string' ? (this.#own as OwnClient) : redis;
    const keys = storeKeys(options.namespace ?? 'default');
    this.#ledger = keys.ledger;
    const { timeoutMs = 1_000, durability = 'async' } = options;
    this.#replicated =
      durability === 'async'
        ? null
        : new ReplicatedConnection(dedicatedClient(client, durability, timeoutMs), durability);
    this.#runner = new ScriptRunner(client, keys, timeoutMs, this.#replicated);
    this.#session = new StoreSession(this.#runner, sessionOptions(options));
    // Each hold that replicas have to confirm is an answer of its own.
    this.#together = new CallsTogether(this.#session, this.#replicated === null);
    const capacity = options.ledgerCapacity ?? 100_000;
    this.#pruner = new LedgerPruner(this.#runner, this.#session, this.#ledger, capacity);
  }

  async reserve({ id, claims, ttlMs }: ReserveRequest): Promise<ReserveAnswer> {
    checkId(id);
    checkClaims(claims);
    checkTtl(ttlMs);
    const { deadline } = this.#runner;
    const argsAt = (at: number): Argument[] => {
      const args: Argument[] = [`r${inJson(id)}`, ttlMs, this.#session.notAfter, claims.length];
      for (const { account } of claims) args.push(this.#accounts.field(account.key));
      for (const { amount } of claims) args.push(amount);
      for (const { account } of claims) args.push(this.#accounts.terms(account, at, at + ttlMs));
      return args;
    };
    let reply: Reply;
    try {
      reply = await this.#run(RESERVE, argsAt, deadline);
    } catch (error) {
      if (error instanceof UnconfirmedError) await this.#giveBack(id, deadline);
      throw error;
    }
    const [status, at, more = at + ttlMs, notices] = reply as ReplyParts;
    if (status === 'mismatch') throw new ReservationMismatchError(id, resolutionIn(more));
    const base = { at, notices: readNotices(notices) };
    const refusals = readRefusals(reply, claims, at);
    if (status !== 'held') return { admitted: false, refusals, ...base };
    return reporting({ admitted: true, expiresAt: Number(more), ...base }, refusals);
  }

  async extend({ id, claims, ttlMs }: ExtendRequest): Promise<ExtendAnswer> {
    checkClaims(claims);
    checkTtl(ttlMs);
    const reply = await this.#run(EXTEND, (at, ways) => {
      const args: Argument[] = [inJson(id), ttlMs, claims.length];
      for (const { account, amount } of claims) {
        args.push(inJson(account.key), amount, this.#accounts.terms(account, at, at + ttlMs));
      }
      args.push(...ways(ttlMs));
      return args;
    });
    const [status, at, more, notices] = reply as ReplyParts;
    if (status === 'mismatch') throw new ReservationMismatchError(id);
    if (status !== 'extended' && status !== 'denied') return endedAnswer(reply);
    const base = { at, notices: readNotices(notices) };
    const refusals = readRefusals(reply, claims, at);
    if (status === 'denied') return { status: 'refused', refusals, ...base };
    return reporting({ status, expiresAt: Number(more), ...base }, refusals);
  }

  async settle(request: SettleRequest): Promise<SettleAnswer> {
    const { id, charges } = request;
    checkCharges(charges);
    const text = settlementText(request);
    const reply = await this.#run(SETTLE, (_, ways) => {
      const args: Argument[] = [`r${inJson(id)}`, text, charges.length];
      for (const { account } of charges) args.push(this.#accounts.field(account));
      for (const { amount } of charges) args.push(amount);
      args.push(...ways(0));
      return args;
    });
    const [status, at, list, overshot, notices] = reply;
    if (status !== 'settled' && status !== 'late') return endedAnswer(reply);
    this.#pruner.wrote();
    const charged = readCharges(list);
    const overshoot = readOvershoot(overshot, charged);
    return { status, charged, overshoot, at: Number(at), notices: readNotices(notices) };
  }

  async release(id: string): Promise<ReleaseAnswer> {
    const reply = await this.#run(RELEASE, () => [inJson(id)]);
    const [status, at, notices] = reply;
    if (status !== 'released') return endedAnswer(reply);
    return { status, at: Number(at), notices: readNotices(notices) };
  }

  async read(accounts: readonly Account[]): Promise<AccountReading[]> {
    const [, at, ...figures] = await this.#run(READ, (now) => {
      const args: Argument[] = [];
      for (const account of accounts) {
        args.push(inJson(account.key), this.#accounts.terms(account, now, now));
      }
      return args;
    });
    return accounts.map((account, place) => readingOf(account, figures[place], Number(at)));
  }

  async adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    const { id, account, change, details } = request;
    checkId(id);
    checkAdjustment(change);
    const amount = 'amount' in change ? change.amount : 'limit' in change ? change.limit : null;
    const until = 'until' in change ? change.until : null;
    const texts = [JSON.stringify(change), JSON.stringify(details)];
    const reply = await this.#run(ADJUST, (at) => {
      const terms = this.#accounts.terms(account, at, at);
      const args: Argument[] = [inJson(id), inJson(account.key), terms];
      args.push(change.type, amount ?? '', until ?? '', ...texts);
      if (change.type === 'correction') args.push(...correctionText(change));
      return args;
    });
    const [status, at, figures, notices] = reply;
    if (status === 'too-much') checkTopUp(change, Number(figures));
    return {
      status: status === 'adjusted' ? 'adjusted' : 'already-adjusted',
      reading: readingOf(account, figures, Number(at)),
      at: Number(at),
      notices: readNotices(notices),
    };
  }

  async *entries(query: EntryQuery = {}): AsyncGenerator<SinkEntry> {
    // Charges what is due, as every operation does.
    await this.#run(READ, () => []);
    for await (const entry of readLedger(this.#runner, this.#ledger, query)) {
      if (matchesQuery(entry, query)) yield entry;
    }
  }

  verify(): Promise<VerifyReport> {
    return verifyBooks(this.#session, false);
  }

  async rebuild(): Promise<VerifyReport> {
    await this.#session.meet(true);
    return verifyBooks(this.#session, true);
  }

  /** Closes the clients that the sink has made, and no other. */
  async close(): Promise<void> {
    await this.#pruner.settled();
    this.#replicated?.disconnect();
    await this.#own?.close();
  }

  /** Waits no longer than the call may take; what fails is charged or released when it expires. */
  async #giveBack(id: string, deadline: number): Promise<void> {
    await this.#runner.wait('release', deadline, this.release(id)).catch(() => {});
  }

  /**
   * Runs a script with arguments made for a time. Where that was in another window than the server's
   * time is, the script has done nothing and says so.
   */
  async #run(
    script: Script,
    args: (at: number, ways: (ttlMs: number) => Argument[]) => Argument[],
    deadline: number = this.#runner.deadline,
  ): Promise<Reply> {
    let needed: readonly unknown[] = [];
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const { at } = this.#session;
      const ways = (ttlMs: number) => waysOf(needed, at, ttlMs);
      // What is asked again has more to say than fits a script for several calls.
      const sender = turn === 0 ? this.#together : this.#session;
      const reply = await sender.run(script, args(at, ways), deadline);
      if (reply[0] !== 'stale') return reply;
      needed = reply.slice(2);
      this.#accounts.forget();
    }
    throw new SinkUnavailableError(
      `The windows of a call were over each of ${MOST_TURNS} times (${script.name}): the clock of ` +
        'the server jumps. Nothing was done.',
    );
  }
}
