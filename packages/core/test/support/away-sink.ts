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

/** What is lost on the way: the request, so that nothing happens, or only the reply. */
export type Loss = 'request' | 'reply';

/** A sink behind a connection that can be lost; what gets through really happens. */
export class AwaySink implements UsageSink {
  /** Null: the connection works. */
  lost: Loss | null = null;
  /** Answers and failures come at once, or as a promise. */
  isPrompt = false;
  /** Operations that came in, such as `settle 1`, whatever became of them. */
  readonly asked: string[] = [];
  readonly #sink: UsageSink;

  constructor(sink: UsageSink) {
    this.#sink = sink;
  }

  reserve(request: ReserveRequest): Awaitable<ReserveAnswer> {
    return this.#over(`reserve ${request.id}`, () => this.#sink.reserve(request));
  }

  extend(request: ExtendRequest): Awaitable<ExtendAnswer> {
    return this.#over(`extend ${request.id}`, () => this.#sink.extend(request));
  }

  settle(request: SettleRequest): Awaitable<SettleAnswer> {
    return this.#over(`settle ${request.id}`, () => this.#sink.settle(request));
  }

  release(id: string): Awaitable<ReleaseAnswer> {
    return this.#over(`release ${id}`, () => this.#sink.release(id));
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

  #over<Answer>(operation: string, carryOut: () => Awaitable<Answer>): Awaitable<Answer> {
    this.asked.push(operation);
    const { lost } = this;
    const answered = (): Awaitable<Answer> => {
      const answer = lost === 'request' ? undefined : carryOut();
      if (lost !== null) throw new Error('connection lost');
      return answer as Awaitable<Answer>;
    };
    return this.isPrompt ? answered() : Promise.resolve().then(answered);
  }
}
