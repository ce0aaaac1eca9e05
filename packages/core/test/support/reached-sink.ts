import type {
  Account,
  AccountReading,
  AdjustAnswer,
  AdjustRequest,
  Awaitable,
  EntryQuery,
  ExtendAnswer,
  ExtendRequest,
  ReleaseAnswer,
  ReserveAnswer,
  ReserveRequest,
  SettleAnswer,
  SettleRequest,
  SinkEntry,
  UsageSink,
  VerifyReport,
} from '../../src/index.ts';

/** A sink behind a way of its own, which operations of calls take. */
export abstract class ReachedSink implements UsageSink {
  protected readonly sink: UsageSink;

  constructor(sink: UsageSink) {
    this.sink = sink;
  }

  /** @param operation what came in, such as `settle 1`. */
  protected abstract over<Answer>(
    operation: string,
    carryOut: () => Awaitable<Answer>,
  ): Awaitable<Answer>;

  reserve(request: ReserveRequest): Awaitable<ReserveAnswer> {
    return this.over(`reserve ${request.id}`, () => this.sink.reserve(request));
  }

  extend(request: ExtendRequest): Awaitable<ExtendAnswer> {
    return this.over(`extend ${request.id}`, () => this.sink.extend(request));
  }

  settle(request: SettleRequest): Awaitable<SettleAnswer> {
    return this.over(`settle ${request.id}`, () => this.sink.settle(request));
  }

  release(id: string): Awaitable<ReleaseAnswer> {
    return this.over(`release ${id}`, () => this.sink.release(id));
  }

  read(accounts: readonly Account[]): Awaitable<readonly AccountReading[]> {
    return this.sink.read(accounts);
  }

  adjust(request: AdjustRequest): Awaitable<AdjustAnswer> {
    return this.sink.adjust(request);
  }

  entries(query?: EntryQuery): AsyncIterable<SinkEntry> {
    return this.sink.entries(query);
  }

  verify(): Awaitable<VerifyReport> {
    return this.sink.verify();
  }

  rebuild(): Awaitable<VerifyReport> {
    return this.sink.rebuild();
  }

  close(): Awaitable<void> {
    return this.sink.close();
  }
}
