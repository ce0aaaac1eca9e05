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

/**
 * A sink behind a network that is slow, loses what is sent or what comes back, and delivers late. What
 * arrives, arrives in the order in which it was sent.
 */
export class FlakySink implements UsageSink {
  readonly #sink: UsageSink;
  #fate = 0;
  #delayMs = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(sink: UsageSink) {
    this.#sink = sink;
  }

  /** @param fate 0: it works; 1: requests are lost; 2: replies are; 3: requests wait, and are carried out
   * late; 4: replies are late */
  network(fate: number, delayMs: number): void {
    this.#fate = fate;
    this.#delayMs = delayMs;
  }

  reserve(request: ReserveRequest): Promise<ReserveAnswer> {
    return this.#over(() => this.#sink.reserve(request));
  }

  extend(request: ExtendRequest): Promise<ExtendAnswer> {
    return this.#over(() => this.#sink.extend(request));
  }

  settle(request: SettleRequest): Promise<SettleAnswer> {
    return this.#over(() => this.#sink.settle(request));
  }

  release(id: string): Promise<ReleaseAnswer> {
    return this.#over(() => this.#sink.release(id));
  }

  read(accounts: readonly Account[]): Promise<readonly AccountReading[]> {
    return this.#over(() => this.#sink.read(accounts));
  }

  adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    return this.#over(() => this.#sink.adjust(request));
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

  async #over<Answer>(carryOut: () => Awaitable<Answer>): Promise<Answer> {
    const [fate, delayMs] = [this.#fate, this.#delayMs];
    if (fate === 1) {
      await pause(delayMs);
      throw new Error('connection lost');
    }
    const before = this.#last;
    const arrived = Promise.all([before, fate === 3 ? pause(delayMs) : undefined]).then(carryOut);
    this.#last = arrived.catch(() => {});
    const answer = await arrived;
    if (fate === 2 || fate === 4) await pause(delayMs);
    if (fate === 2) throw new Error('connection lost');
    return answer;
  }
}

function pause(ms: number): Promise<void> | undefined {
  return ms === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms));
}
