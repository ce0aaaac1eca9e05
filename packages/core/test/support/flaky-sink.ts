import type {
  Account,
  AccountReading,
  AdjustAnswer,
  AdjustRequest,
  Awaitable,
} from '../../src/index.ts';
import { ReachedSink } from './reached-sink.ts';

/**
 * A sink behind a network that is slow, loses what is sent or what comes back, and delivers late. What
 * arrives, arrives in the order in which it was sent.
 */
export class FlakySink extends ReachedSink {
  #fate = 0;
  #delayMs = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param fate 0: it works; 1: requests are lost; 2: replies are; 3: requests wait, and are carried out
   * late; 4: replies are late */
  network(fate: number, delayMs: number): void {
    this.#fate = fate;
    this.#delayMs = delayMs;
  }

  override read(accounts: readonly Account[]): Promise<readonly AccountReading[]> {
    return this.over('read', () => this.sink.read(accounts));
  }

  override adjust(request: AdjustRequest): Promise<AdjustAnswer> {
    return this.over('adjust', () => this.sink.adjust(request));
  }

  protected async over<Answer>(_: string, carryOut: () => Awaitable<Answer>): Promise<Answer> {
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
