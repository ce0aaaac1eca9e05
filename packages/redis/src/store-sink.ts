import {
  type Account,
  type AccountReading,
  type AdjustAnswer,
  type Adjustment,
  type AdjustRequest,
  type Claim,
  type CorrectionCharge,
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
  type SinkNotice,
  SinkUnavailableError,
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
import { LedgerPruner } from './ledger-pruner.ts';
import { readLedger } from './ledger-reader.ts';
import type { RedisClient } from './redis-client.ts';
import { type RedisUsageSinkOptions, sessionOptions } from './redis-usage-sink-options.ts';
import type { ReplicatedConnection } from './replicated-connection.ts';
import { AccountArguments, chargesText, waysOf } from './script-arguments.ts';
import { type Argument, ScriptRunner } from './script-runner.ts';
import { ADJUST, EXTEND, FIND, READ, RELEASE, RESERVE, type Script, SETTLE } from './scripts.ts';
import type { StoreKeys } from './store-keys.ts';
import { StoreSession } from './store-session.ts';
import { UnconfirmedError } from './unconfirmed-error.ts';
import { verifyBooks } from './verify-books.ts';

/** How often an operation is repeated because its windows were over. */
const MOST_TURNS = 5;

type ReplyParts = [
  status: string,
  at: number,
  more: unknown,
  notices: string,
  shadowed?: unknown,
  first?: number,
];

/** What a store does of a correction. */
export interface CorrectionPart {
  readonly charges: readonly CorrectionCharge[];
  /** Ids by which the store may have the reservation. */
  readonly reservations: readonly string[];
}

interface FoundAnswer {
  readonly found: readonly string[];
  readonly at: number;
  readonly notices: readonly SinkNotice[];
}

/** Who would refuse what was asked, if anybody. */
export type Refusing = Extract<ReserveAnswer, { admitted: false }>;

/** What stores of one sink share. */
export interface StoreConnection {
  readonly client: RedisClient;
  /** Where replicas have to confirm what is held. */
  readonly replicated: ReplicatedConnection | null;
}

/** A sink over one store: three keys, in one slot of a cluster. */
export class StoreSink implements UsageSink {
  readonly runner: ScriptRunner;
  /** Of answers to a repeated reservation, the time of the first. */
  readonly repeats: WeakMap<ReserveAnswer, number> = new WeakMap();
  readonly #session: StoreSession;
  readonly #ledger: string;
  readonly #pruner: LedgerPruner;
  readonly #accounts: AccountArguments = new AccountArguments();
  readonly #isPart: boolean;

  /** @param isPart ids begin with the place of a part: see `call-part.ts`. */
  constructor(
    { client, replicated }: StoreConnection,
    keys: StoreKeys,
    options: RedisUsageSinkOptions,
    isPart: boolean,
  ) {
    this.#ledger = keys.ledger;
    this.#isPart = isPart;
    this.runner = new ScriptRunner(client, keys, options.timeoutMs ?? 1_000, replicated);
    this.#session = new StoreSession(this.runner, sessionOptions(options));
    const capacity = options.ledgerCapacity ?? 100_000;
    this.#pruner = new LedgerPruner(this.runner, this.#session, this.#ledger, capacity);
  }

  async reserve({ id, claims, ttlMs }: ReserveRequest): Promise<ReserveAnswer> {
    if (!this.#isPart) checkId(id);
    checkClaims(claims);
    checkTtl(ttlMs);
    const deadline = Date.now() + this.runner.timeoutMs;
    let reply: Reply;
    try {
      reply = await this.#run(RESERVE, (at) => {
        const args: Argument[] = [inJson(id), ttlMs, this.#session.notAfter];
        for (const claim of claims) this.#accounts.claim(args, claim, at, at + ttlMs);
        return args;
      });
    } catch (error) {
      if (error instanceof UnconfirmedError) await this.#giveBack(id, deadline - Date.now());
      throw error;
    }
    const [status, at, more, notices, shadowed, first] = reply as ReplyParts;
    if (status === 'mismatch')
      throw new ReservationMismatchError(this.#shown(id), resolutionIn(more));
    const base = { at, notices: readNotices(notices) };
    if (status === 'held') {
      const refusals = readRefusals(shadowed || [], claims, at);
      const answer = { admitted: true, expiresAt: Number(more), ...base } as const;
      if (first !== undefined) this.repeats.set(answer, first);
      return reporting(answer, refusals);
    }
    return { admitted: false, refusals: readRefusals(more, claims, at), ...base };
  }

  /** Who would refuse this. Holds nothing; whoever would refuse counts a denial. */
  async refusalsOf({ id, claims }: Pick<ReserveRequest, 'id' | 'claims'>): Promise<Refusing> {
    const reply = await this.#run(RESERVE, (at) => {
      const args: Argument[] = [inJson(id), 0, ''];
      for (const claim of claims) this.#accounts.claim(args, claim, at, at);
      return args;
    });
    return refusingOf(reply as ReplyParts, claims);
  }

  async extend({ id, claims, ttlMs }: ExtendRequest): Promise<ExtendAnswer> {
    checkClaims(claims);
    checkTtl(ttlMs);
    const reply = await this.#extend(id, claims, ttlMs);
    const [status, at, more, notices, shadowed] = reply as ReplyParts;
    if (status === 'mismatch') throw new ReservationMismatchError(this.#shown(id));
    const base = { at, notices: readNotices(notices) };
    if (status === 'extended') {
      const refusals = readRefusals(shadowed || [], claims, at);
      return reporting({ status, expiresAt: Number(more), ...base }, refusals);
    }
    if (status !== 'denied') return endedAnswer(reply);
    return { status: 'refused', refusals: readRefusals(more, claims, at), ...base };
  }

  /** Who would refuse these totals. Nothing is changed. */
  async growthRefusalsOf({ id, claims }: Omit<ExtendRequest, 'ttlMs'>): Promise<Refusing> {
    return refusingOf((await this.#extend(id, claims, 0)) as ReplyParts, claims);
  }

  async settle(request: SettleRequest): Promise<SettleAnswer> {
    const { id, outcome, charges, details } = request;
    checkCharges(charges);
    const text = JSON.stringify(details);
    const asked = charges.flatMap(({ account, amount }) => [inJson(account), amount]);
    const reply = await this.#run(SETTLE, (_, ways) => [
      inJson(id),
      outcome,
      text,
      charges.length,
      ...asked,
      ...ways(0),
    ]);
    const [status, at, list, overshot, notices] = reply;
    if (status !== 'settled' && status !== 'late') return endedAnswer(reply);
    this.#pruner.wrote();
    const charged = readCharges(list);
    const overshoot = readOvershoot(overshot, charged);
    return { status, charged, overshoot, at: Number(at), notices: readNotices(notices) };
  }

  release(id: string): Promise<ReleaseAnswer> {
    return this.#release([inJson(id)]);
  }

  /**
   * Takes back the hold of a call that another store has refused, as if it had never been. One that
   * was made at another time stays.
   */
  undo(id: string, admittedAt: number): Promise<ReleaseAnswer> {
    return this.#release([inJson(id), admittedAt]);
  }

  /** Which of some ids it knows. */
  async find(ids: readonly string[]): Promise<FoundAnswer> {
    const [, at, notices, found] = await this.#run(FIND, () => ids.map(inJson));
    const known = new Set(found as readonly string[]);
    return {
      found: ids.filter((id) => known.has(inJson(id))),
      at: Number(at),
      notices: readNotices(notices),
    };
  }

  async read(accounts: readonly Account[]): Promise<AccountReading[]> {
    return (await this.readAt(accounts)).readings;
  }

  async readAt(accounts: readonly Account[]): Promise<{ at: number; readings: AccountReading[] }> {
    const [, time, ...figures] = await this.#run(READ, (now) => {
      const args: Argument[] = [];
      for (const account of accounts) this.#accounts.account(args, account, now);
      return args;
    });
    const at = Number(time);
    const readings = accounts.map((account, place) => readingOf(account, figures[place], at));
    return { at, readings };
  }

  /** @param part of a correction, what this store does of it */
  async adjust(request: AdjustRequest, part?: CorrectionPart): Promise<AdjustAnswer> {
    const { id, account, change } = request;
    if (!this.#isPart) {
      checkId(id);
      checkAdjustment(change);
    }
    const reply = await this.#adjust(request, part ?? wholeOf(change), (args, at) => {
      this.#accounts.account(args, account, at);
    });
    const [, at, figures] = reply;
    return { ...adjustedOf(reply), reading: readingOf(account, figures, Number(at)) };
  }

  /** A part of a correction that is asked for on an account of another store. */
  async adjustElsewhere(
    request: AdjustRequest,
    part: CorrectionPart,
  ): Promise<Omit<AdjustAnswer, 'reading'>> {
    const { key, rule } = request.account;
    const names = `${JSON.stringify(rule.budget)},${JSON.stringify(rule.unit)}`;
    const reply = await this.#adjust(request, part, (args) => {
      args.push(inJson(key), '', '', names);
    });
    return adjustedOf(reply);
  }

  async *entries(query: EntryQuery = {}): AsyncGenerator<SinkEntry> {
    // Charges what is due, as every operation does.
    await this.#run(READ, () => []);
    for await (const entry of readLedger(this.runner, this.#ledger, query)) {
      if (matchesQuery(entry, query)) yield entry;
    }
  }

  verify(): Promise<VerifyReport> {
    return verifyBooks(this.#session, { repair: false, isPart: this.#isPart });
  }

  async rebuild(): Promise<VerifyReport> {
    await this.#session.meet(true);
    return verifyBooks(this.#session, { repair: true, isPart: this.#isPart });
  }

  /** Waits for what goes on beside the calls. */
  close(): Promise<void> {
    return this.#pruner.settled();
  }

  #extend(id: string, claims: ExtendRequest['claims'], ttlMs: number): Promise<Reply> {
    return this.#run(EXTEND, (at, ways) => {
      const args: Argument[] = [inJson(id), ttlMs, claims.length];
      for (const claim of claims) this.#accounts.claim(args, claim, at, at + ttlMs);
      args.push(...ways(ttlMs));
      return args;
    });
  }

  async #release(args: readonly Argument[]): Promise<ReleaseAnswer> {
    const reply = await this.#run(RELEASE, () => [...args]);
    const [status, at, notices] = reply;
    if (status !== 'released') return endedAnswer(reply);
    return { status, at: Number(at), notices: readNotices(notices) };
  }

  #adjust(
    { id, change, details }: AdjustRequest,
    { charges, reservations }: CorrectionPart,
    pushAccount: (args: Argument[], at: number) => void,
  ): Promise<Reply> {
    const amount = 'amount' in change ? change.amount : 'limit' in change ? change.limit : null;
    const until = 'until' in change ? change.until : null;
    const texts = [JSON.stringify(change), JSON.stringify(details)];
    return this.#run(ADJUST, (at) => {
      const args: Argument[] = [inJson(id)];
      pushAccount(args, at);
      args.push(change.type, amount ?? '', until ?? '', ...texts);
      if (change.type === 'correction') {
        args.push(reservations.map(inJson).join('\n'), ...chargesText(charges));
      }
      return args;
    });
  }

  /** An id as the caller of the sink knows it. */
  #shown(id: string): string {
    return this.#isPart ? readPartId(id).id : id;
  }

  /** Waits no longer than the call may take; what fails is charged or released when it expires. */
  async #giveBack(id: string, mostMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOver = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, mostMs);
    });
    const isReleased = this.release(id).catch(() => {});
    await Promise.race([isReleased, isOver]);
    clearTimeout(timer);
  }

  /**
   * Runs a script with arguments made for a time. Where that was in another window than the server's
   * time is, the script has done nothing and says so.
   */
  async #run(
    script: Script,
    args: (at: number, ways: (ttlMs: number) => Argument[]) => Argument[],
  ): Promise<Reply> {
    let needed: readonly unknown[] = [];
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const { at } = this.#session;
      const ways = (ttlMs: number) => waysOf(needed, at, ttlMs);
      const reply = await this.#session.run(script, args(at, ways));
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

function refusingOf([, at, refusals, notices]: ReplyParts, claims: readonly Claim[]): Refusing {
  // Where the id is known, and nothing is asked, it is no list.
  const told = Array.isArray(refusals) ? readRefusals(refusals, claims, at) : [];
  return { admitted: false, refusals: told, at, notices: readNotices(notices) };
}

function wholeOf(change: Adjustment): CorrectionPart {
  if (change.type !== 'correction') return { charges: [], reservations: [] };
  return { charges: change.charges, reservations: [change.reservation] };
}

function adjustedOf([status, at, , notices]: Reply): Omit<AdjustAnswer, 'reading'> {
  return {
    status: status === 'adjusted' ? 'adjusted' : 'already-adjusted',
    at: Number(at),
    notices: readNotices(notices),
  };
}
