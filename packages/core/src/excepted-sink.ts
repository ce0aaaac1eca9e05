import { type Awaitable, isPending } from './awaitable.ts';
import type { BoundAccount } from './bound-budgets.ts';
import type { RefusedAnswer } from './call-admission.ts';
import type { CallDetails } from './call-details.ts';
import type { BoundClaim } from './call-hold.ts';
import { CallWithoutSink } from './call-without-sink.ts';
import type { Refusal } from './denial.ts';
import { inTime } from './in-time.ts';
import { type BoundReserveRequest, Outage } from './outage.ts';
import { enforced, ShadowReport } from './shadow-report.ts';
import type { EntryQuery, SinkEntry } from './sink-entry.ts';
import { isOutage, tellLate } from './sink-failure.ts';
import type { SinkPort } from './sink-port.ts';
import type {
  Account,
  AccountReading,
  AdjustAnswer,
  AdjustRequest,
  Claim,
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

export interface ExceptedSinkOptions {
  readonly sink: UsageSink;
  readonly port: SinkPort;
  readonly timeoutMs: number;
  readonly now: () => number;
  /** The account of a key, under the terms of the configuration. */
  readonly accountOf: (key: string) => BoundAccount | undefined;
}

/**
 * A sink as budgets with exceptions see it: one that says where limits came from, and may be away. What
 * ends a reservation has no deadline here; whoever asks for it knows when to ask again.
 */
export class ExceptedSink implements UsageSink {
  readonly #sink: UsageSink;
  readonly #options: ExceptedSinkOptions;
  readonly #shadow: ShadowReport;
  readonly #outage: Outage;

  constructor(options: ExceptedSinkOptions) {
    this.#sink = options.sink;
    this.#options = options;
    this.#shadow = new ShadowReport(options.port.events);
    this.#outage = new Outage(options.now);
  }

  async reserve(request: BoundReserveRequest): Promise<ReserveAnswer> {
    const { claims } = request;
    let asked: Awaitable<ReserveAnswer> | undefined;
    try {
      asked = this.#sink.reserve(request);
      const answer = await this.#inTime(asked);
      const refusals = explained(answer.refusals, claims);
      this.#shadow.reserved(request, refusals, answer.at);
      const { admitted } = answer;
      this.#outage.decided(request, enforced(refusals), admitted, mayDoWithout(claims));
      return admitted ? answer : { ...answer, refusals: enforced(refusals) };
    } catch (error) {
      if (!isOutage(error)) throw error;
      const answer = this.#reserveWithout(request, error);
      // What was asked may be held, or will be, for a call that is not sent.
      const late = asked !== undefined && isPending(asked) ? asked : undefined;
      if (!answer?.admitted) this.#options.port.releaseDoubtful(request, late);
      if (answer === undefined) throw error;
      return answer;
    }
  }

  async extend(request: ExtendRequest): Promise<ExtendAnswer> {
    const call = this.#outage.call(request.id);
    try {
      if (call?.isKnown === false) await this.#inTime(this.#introduce(call.request));
      const answer = await this.#inTime(this.#sink.extend(request));
      if (answer.status !== 'extended' && answer.status !== 'refused') return answer;
      const refusals = explained(answer.refusals, request.claims);
      this.#shadow.tell(request.id, refusals, answer.at);
      if (answer.status === 'refused') return { ...answer, refusals: enforced(refusals) };
      if (call === undefined) return answer;
      call.held(request.claims);
      this.#outage.isHeld(call);
      return answer;
    } catch (error) {
      if (call === undefined || !isOutage(error)) throw error;
      return this.#extendWithout(call, request, error);
    }
  }

  async settle(request: SettleRequest): Promise<SettleAnswer> {
    const call = this.#outage.call(request.id);
    const asked = this.marked(request);
    call?.settled(asked);
    if (call?.isKnown === false) await this.#introduce(call.request);
    const answer = await this.#settled(asked);
    this.#outage.ended(request.id);
    return answer;
  }

  /** Charges also what was never held, or was given back as the answer of the sink got lost. */
  async #settled(asked: SettleRequest): Promise<SettleAnswer> {
    const answer = await this.#sink.settle(asked);
    const { status, notices } = answer;
    const isGivenBack = status === 'already-resolved' && answer.first === 'released';
    if (!asked.details['withoutSink'] || (status !== 'never-held' && !isGivenBack)) return answer;
    // What has been released can be held no more under its id.
    const again = isGivenBack ? { ...asked, id: `${asked.id}~` } : asked;
    await this.#introduce(this.#requestFor(again));
    const last = await this.#sink.settle(again);
    return { ...last, notices: [...notices, ...last.notices] };
  }

  /** A settlement as a journal must have it: another process will not know what the sink does not hold. */
  marked(request: SettleRequest): SettleRequest {
    return this.#outage.call(request.id)?.marked(request) ?? request;
  }

  async release(id: string): Promise<ReleaseAnswer> {
    const call = this.#outage.call(id);
    call?.released();
    const answer = await this.#sink.release(id);
    this.#outage.ended(id);
    const isDone = call?.isKnown === false && answer.status === 'never-held';
    return isDone ? { ...answer, status: 'released' } : answer;
  }

  /** Nobody asks any more for this to be ended. */
  lost(id: string): void {
    this.#outage.lost(id);
  }

  async read(accounts: readonly Account[]): Promise<readonly AccountReading[]> {
    const readings = await this.#inTime(this.#sink.read(accounts));
    for (const [place, reading] of readings.entries()) {
      this.#outage.read(accounts[place] as Account, reading);
    }
    return readings;
  }

  async adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    const answer = await this.#inTime(this.#sink.adjust(request));
    this.#outage.read(request.account, answer.reading);
    return answer;
  }

  entries(query?: EntryQuery): AsyncIterable<SinkEntry> {
    return this.#sink.entries(query);
  }

  verify(): Awaitable<VerifyReport> {
    return this.#sink.verify();
  }

  rebuild(): Awaitable<VerifyReport> {
    return this.#sink.rebuild();
  }

  flush(): Awaitable<number> {
    return this.#sink.flush?.() ?? 0;
  }

  close(): Awaitable<void> {
    return this.#sink.close();
  }

  #inTime<Answer>(answer: Awaitable<Answer>): Awaitable<Answer> {
    return isPending(answer) ? this.#inTimeOr(answer) : answer;
  }

  async #inTimeOr<Answer>(answer: PromiseLike<Answer>): Promise<Answer> {
    try {
      return await inTime(answer, this.#options.timeoutMs);
    } catch (error) {
      tellLate(this.#options.port.events, answer);
      throw error;
    }
  }

  /** Undefined where a budget does not do without the sink. */
  #reserveWithout(request: BoundReserveRequest, error: unknown): ReserveAnswer | undefined {
    const { id, claims, ttlMs, details } = request;
    if (!mayDoWithout(claims)) return undefined;
    const { events } = this.#options.port;
    const at = this.#outage.now;
    const refusals = this.#outage.refusals(claims);
    const isKept = refusals.length === 0 && this.#outage.keep(new CallWithoutSink(request, false));
    if (refusals.length === 0 && !isKept) return undefined;
    events.emit({ type: 'sink-unavailable', operation: 'reserve', error });
    if (!isKept) {
      const refused: RefusedAnswer = {
        admitted: false,
        refusals,
        at,
        notices: [],
        isDoubtful: true,
      };
      return refused;
    }
    const {
      identity = {},
      provider = '',
      model = '',
    } = (details?.() ?? {}) as Partial<CallDetails>;
    events.emit({ type: 'admitted-without-sink', id, identity, provider, model, at });
    return { admitted: true, expiresAt: at + ttlMs, at, notices: [] };
  }

  #extendWithout(call: CallWithoutSink, request: ExtendRequest, error: unknown): ExtendAnswer {
    this.#options.port.events.emit({ type: 'sink-unavailable', operation: 'extend', error });
    const at = this.#outage.now;
    const growth = call.growth(request.claims as readonly BoundClaim[]);
    const refusals = this.#outage.refusals(growth);
    if (refusals.length > 0) return { status: 'refused', refusals, at, notices: [] };
    if (growth.length > 0 && !this.#outage.keep(call)) throw error;
    call.grow(growth);
    return { status: 'extended', expiresAt: at + request.ttlMs, at, notices: [] };
  }

  /**
   * Makes a call known to the sink that was admitted without it. It has been sent, so no account may
   * refuse it now.
   */
  async #introduce(request: ReserveRequest): Promise<void> {
    const claims = request.claims.map(({ account: { key, rule }, amount }) => {
      return { account: { key, rule: { ...rule, shadow: true } }, amount };
    });
    try {
      const answer = await this.#sink.reserve({ ...request, claims });
      this.#options.port.events.emitAll(answer.notices);
      this.#outage.call(request.id)?.held(request.claims);
    } catch (error) {
      // It was held, and has ended: what the sink says to its settlement tells how.
      if (isOutage(error)) throw error;
    }
  }

  /** What to hold for a settlement of another process. */
  #requestFor({ id, charges, details }: SettleRequest): ReserveRequest {
    const claims = charges.flatMap(({ account: key, amount }): Claim[] => {
      const account = this.#options.accountOf(key);
      return account === undefined || amount === 'hold' ? [] : [{ account, amount }];
    });
    return { id, claims, ttlMs: 60_000, details: () => details };
  }
}

/** Whether all accounts of a call may do without the sink: one that may not decides. */
function mayDoWithout(claims: readonly BoundClaim[]): boolean {
  return claims.every(({ account }) => account.rule.withoutSink !== undefined);
}

/** Refusals that say where their limits came from. */
function explained(
  refusals: readonly Refusal[] | undefined,
  claims: readonly Claim[],
): readonly Refusal[] {
  return (refusals ?? []).map((refusal) => {
    const claim = claims.find(({ account }) => account.key === refusal.account);
    const limitFrom = (claim as BoundClaim | undefined)?.account.rule.limitFrom;
    return limitFrom === undefined ? refusal : { ...refusal, limitFrom };
  });
}
