import type { Awaitable } from './awaitable.ts';
import type { BoundClaim } from './call-hold.ts';
import type { Refusal } from './denial.ts';
import type { EventPort } from './event.ts';
import { enforced, ShadowReport } from './shadow-report.ts';
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
  readonly #shadow: ShadowReport;

  constructor(sink: UsageSink, events: EventPort) {
    this.#sink = sink;
    this.#shadow = new ShadowReport(events);
  }

  async reserve(request: ReserveRequest): Promise<ReserveAnswer> {
    const answer = await this.#sink.reserve(request);
    const refusals = explained(answer.refusals, request.claims);
    this.#shadow.reserved(request, refusals, answer.at);
    return answer.admitted ? answer : { ...answer, refusals: enforced(refusals) };
  }

  async extend(request: ExtendRequest): Promise<ExtendAnswer> {
    const answer = await this.#sink.extend(request);
    if (answer.status !== 'extended' && answer.status !== 'refused') return answer;
    const refusals = explained(answer.refusals, request.claims);
    this.#shadow.tell(request.id, refusals, answer.at);
    return answer.status === 'extended' ? answer : { ...answer, refusals: enforced(refusals) };
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
function explained(refusals: readonly Refusal[] | undefined, claims: readonly Claim[]): Refusal[] {
  return (refusals ?? []).map((refusal) => {
    const claim = claims.find(({ account }) => account.key === refusal.account);
    const limitFrom = (claim as BoundClaim | undefined)?.account.rule.limitFrom;
    return limitFrom === undefined ? refusal : { ...refusal, limitFrom };
  });
}
