import type { Awaitable } from './awaitable.ts';
import type { BoundClaim } from './call-hold.ts';
import type { Refusal } from './denial.ts';
import type { EntryQuery, SinkEntry } from './sink-entry.ts';
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

/** A sink as budgets with exceptions see it. */
export class ExceptedSink implements UsageSink {
  readonly #sink: UsageSink;

  constructor(sink: UsageSink) {
    this.#sink = sink;
  }

  async reserve(request: ReserveRequest): Promise<ReserveAnswer> {
    const answer = await this.#sink.reserve(request);
    if (answer.admitted) return answer;
    return { ...answer, refusals: explained(answer.refusals, request.claims) };
  }

  async extend(request: ExtendRequest): Promise<ExtendAnswer> {
    const answer = await this.#sink.extend(request);
    if (answer.status !== 'refused') return answer;
    return { ...answer, refusals: explained(answer.refusals, request.claims) };
  }

  settle(request: SettleRequest): Awaitable<SettleAnswer> {
    return this.#sink.settle(request);
  }

  release(id: string): Awaitable<ReleaseAnswer> {
    return this.#sink.release(id);
  }

  read(accounts: readonly Account[]): Awaitable<readonly AccountReading[]> {
    return this.#sink.read(accounts);
  }

  adjust(request: AdjustRequest): Awaitable<AdjustAnswer> {
    return this.#sink.adjust(request);
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

  close(): Awaitable<void> {
    return this.#sink.close();
  }
}

/** Refusals that say where their limits came from. */
function explained(refusals: readonly Refusal[], claims: readonly Claim[]): Refusal[] {
  return refusals.map((refusal) => {
    const claim = claims.find(({ account }) => account.key === refusal.account);
    const limitFrom = (claim as BoundClaim | undefined)?.account.rule.limitFrom;
    return limitFrom === undefined ? refusal : { ...refusal, limitFrom };
  });
}
