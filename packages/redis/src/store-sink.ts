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
import {
  checkAdjustment,
  checkCharges,
  checkClaims,
  checkId,
  checkTtl,
  matchesQuery,
  reporting,
} from '@hardcap/core/sink';
import { inJson } from './account-text.ts';
import { adjustElsewhere, adjustStore, type CorrectionPart } from './adjust-store.ts';
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
import { readPartId } from './call-part.ts';
import { settlementText } from './entry-text.ts';
import { LedgerPruner } from './ledger-pruner.ts';
import { readLedger } from './ledger-reader.ts';
import { rebuildBooks } from './rebuild-lost.ts';
import type { RedisClient } from './redis-client.ts';
import { type RedisUsageSinkOptions, sessionOptions } from './redis-usage-sink-options.ts';
import type { ReplicatedConnection } from './replicated-connection.ts';
import { extendArguments, reserveArguments } from './script-arguments.ts';
import { type Argument, ScriptRunner } from './script-runner.ts';
import { EXTEND, READ, RELEASE, RESERVE, SETTLE } from './scripts.ts';
import type { ServerCheck } from './server-checks.ts';
import type { StoreKeys } from './store-keys.ts';
import { StoreScripts } from './store-scripts.ts';
import { StoreSession } from './store-session.ts';
import { UnconfirmedError } from './unconfirmed-error.ts';
import { verifyBooks } from './verify-books.ts';

type ReplyParts = [status: string, at: number, more?: unknown, notices?: string, first?: unknown];

/** What stores of one sink share. */
export interface StoreConnection {
  readonly client: RedisClient;
  /** Where replicas have to confirm what is held. */
  readonly replicated: ReplicatedConnection | null;
  /** Null where the server is taken as it is. */
  readonly check: ServerCheck | null;
}

/** A sink over one store: three keys, in one slot of a cluster. */
export class StoreSink implements UsageSink {
  readonly scripts: StoreScripts;
  /** Of answers to a repeated reservation, the time of the first. */
  readonly repeats: WeakMap<ReserveAnswer, number> = new WeakMap();
  readonly #ledger: string;
  readonly #pruner: LedgerPruner;
  readonly #isPart: boolean;

  /** @param isPart ids begin with the place of a part: see `call-part.ts`. */
  constructor(
    { client, replicated, check }: StoreConnection,
    keys: StoreKeys,
    options: RedisUsageSinkOptions,
    isPart: boolean,
  ) {
    this.#ledger = keys.ledger;
    this.#isPart = isPart;
    const runner = new ScriptRunner(client, keys, options.timeoutMs ?? 1_000, replicated);
    const session = new StoreSession(runner, sessionOptions(options), check);
    // Each hold that replicas have to confirm is an answer of its own.
    this.scripts = new StoreScripts(runner, session, replicated === null);
    const capacity = options.ledgerCapacity ?? 100_000;
    this.#pruner = new LedgerPruner(runner, session, this.#ledger, capacity);
  }

  /** @throws InvalidArgumentError for what cannot be reserved. */
  check({ id, claims, ttlMs }: ReserveRequest): void {
    if (!this.#isPart) checkId(id);
    checkClaims(claims);
    checkTtl(ttlMs);
  }

  /** @param deadline here and below: of the operation that it is part of, in ms since the epoch */
  async reserve(
    request: ReserveRequest,
    deadline: number = this.scripts.runner.deadline,
  ): Promise<ReserveAnswer> {
    this.check(request);
    const { id, claims, ttlMs } = request;
    const { accounts, session } = this.scripts;
    let args: readonly Argument[] = [];
    const argsAt = (at: number) => {
      args = reserveArguments(accounts, { id, claims, ttlMs }, at, session.notAfter);
      return args;
    };
    let reply: Reply;
    try {
      reply = await this.scripts.run(RESERVE, argsAt, deadline);
    } catch (error) {
      if (error instanceof UnconfirmedError) await this.#giveBack(id, deadline);
      throw error;
    }
    const [status, at, more = at + ttlMs, notices, first] = reply as ReplyParts;
    if (status === 'mismatch') {
      throw new ReservationMismatchError(this.shown(id), resolutionIn(more));
    }
    const base = { at, notices: readNotices(notices) };
    if (status === 'again') {
      const answer = { admitted: true, expiresAt: Number(more), ...base } as const;
      this.repeats.set(answer, Number(first));
      return answer;
    }
    const refusals = readRefusals(reply, claims, at);
    if (status !== 'held') {
      accounts.refused(claims, args, refusals);
      return { admitted: false, refusals, ...base };
    }
    return reporting({ admitted: true, expiresAt: Number(more), ...base }, refusals);
  }

  async extend(
    { id, claims, ttlMs }: ExtendRequest,
    deadline: number = this.scripts.runner.deadline,
  ): Promise<ExtendAnswer> {
    checkClaims(claims);
    checkTtl(ttlMs);
    const argsAt = (at: number, ways: (ttlMs: number) => Argument[]): Argument[] => {
      const args = extendArguments(this.scripts.accounts, { id, claims, ttlMs }, at);
      args.push(...ways(ttlMs));
      return args;
    };
    const reply = await this.scripts.run(EXTEND, argsAt, deadline);
    const [status, at, more, notices] = reply as ReplyParts;
    if (status === 'mismatch') throw new ReservationMismatchError(this.shown(id));
    if (status !== 'extended' && status !== 'denied') return endedAnswer(reply);
    const base = { at, notices: readNotices(notices) };
    const refusals = readRefusals(reply, claims, at);
    if (status === 'denied') return { status: 'refused', refusals, ...base };
    return reporting({ status, expiresAt: Number(more), ...base }, refusals);
  }

  async settle(
    request: SettleRequest,
    deadline: number = this.scripts.runner.deadline,
  ): Promise<SettleAnswer> {
    const { id, charges } = request;
    checkCharges(charges);
    const { accounts } = this.scripts;
    const args: Argument[] = [`r${inJson(id)}`, settlementText(request), charges.length];
    for (const { account } of charges) args.push(accounts.field(account));
    for (const { amount } of charges) args.push(amount);
    const reply = await this.scripts.run(SETTLE, (_, ways) => [...args, ...ways(0)], deadline);
    const [status, at, list, overshot, notices] = reply;
    if (status !== 'settled' && status !== 'late') return endedAnswer(reply);
    this.wrote(1, Number(at));
    const charged = readCharges(list);
    const overshoot = readOvershoot(overshot, charged);
    return { status, charged, overshoot, at: Number(at), notices: readNotices(notices) };
  }

  async release(
    id: string,
    deadline: number = this.scripts.runner.deadline,
  ): Promise<ReleaseAnswer> {
    return releaseReply(await this.scripts.run(RELEASE, () => [inJson(id)], deadline));
  }

  async read(accounts: readonly Account[]): Promise<AccountReading[]> {
    return (await this.readAt(accounts)).readings;
  }

  async readAt(
    accounts: readonly Account[],
    deadline: number = this.scripts.runner.deadline,
  ): Promise<{ at: number; readings: AccountReading[] }> {
    const argsAt = (at: number): Argument[] => {
      const args: Argument[] = [];
      for (const account of accounts) {
        args.push(inJson(account.key), this.scripts.accounts.terms(account, at, at, false));
      }
      return args;
    };
    const [, time, ...figures] = await this.scripts.run(READ, argsAt, deadline);
    const at = Number(time);
    const readings = accounts.map((account, place) => readingOf(account, figures[place], at));
    return { at, readings };
  }

  /** @param part of a correction, what this store does of it */
  async adjust(request: AdjustRequest, part?: CorrectionPart): Promise<AdjustAnswer> {
    if (!this.#isPart) checkId(request.id);
    checkAdjustment(request.change);
    return adjustStore(this.scripts, request, part);
  }

  /** A part of a correction that is asked for on an account of another store. */
  adjustElsewhere(
    request: AdjustRequest,
    part: CorrectionPart,
  ): Promise<Omit<AdjustAnswer, 'reading'>> {
    return adjustElsewhere(this.scripts, request, part);
  }

  /** @param pageSize how many are read at once */
  async *entries(query: EntryQuery = {}, pageSize?: number): AsyncGenerator<SinkEntry> {
    // Charges what is due, as every operation does.
    await this.scripts.run(READ, () => []);
    for await (const entry of readLedger(this.scripts.runner, this.#ledger, query, pageSize)) {
      if (matchesQuery(entry, query)) yield entry;
    }
  }

  verify(): Promise<VerifyReport> {
    return verifyBooks(this.scripts.session, {
      repair: false,
      isLost: false,
      isPart: this.#isPart,
    });
  }

  rebuild(): Promise<VerifyReport> {
    return rebuildBooks(this.scripts.session, this.#isPart);
  }

  /** Whether a reservation is counted here, and not with another part of its call. */
  isCounted(id: string): boolean {
    return !this.#isPart || readPartId(id).place === 1;
  }

  /** Notices that so many entries were written. */
  wrote(entries: number, at: number): void {
    if (entries === 0) return;
    this.#pruner.wrote(entries);
    this.scripts.session.entered(at);
  }

  /** Everything has been told as it was answered. */
  async flush(): Promise<number> {
    return 0;
  }

  /** It has no leases. */
  async renew(): Promise<void> {}

  /** Waits for what goes on beside the calls. */
  close(): Promise<void> {
    return this.#pruner.settled();
  }

  /** An id as the caller of the sink knows it. */
  shown(id: string): string {
    return this.#isPart ? readPartId(id).id : id;
  }

  /** Waits no longer than the call may take; what fails is charged or released when it expires. */
  async #giveBack(id: string, deadline: number): Promise<void> {
    await this.scripts.runner.wait('release', deadline, this.release(id)).catch(() => {});
  }
}

export function releaseReply(reply: Reply): ReleaseAnswer {
  const [status, at, notices] = reply;
  if (status !== 'released') return endedAnswer(reply);
  return { status, at: Number(at), notices: readNotices(notices) };
}
