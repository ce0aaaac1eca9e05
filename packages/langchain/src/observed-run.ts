import type { Settlement } from '@hardcap/core';
import { asObject, listAt } from '@hardcap/core/adapter';
import type { MeteredCall } from './attempt.ts';
import { ChunkTally } from './chunk-tally.ts';
import { EventTally } from './event-tally.ts';
import { failureOutcome } from './failure-outcome.ts';
import { generateSettlement } from './generate-settlement.ts';
import { unhurried } from './recent-denials.ts';
import { type Tally, unreported } from './tally.ts';

/** A call that a callback handler has reserved, as its callbacks tell of it. */
export class ObservedRun {
  readonly call: MeteredCall;
  /** Whether the model waits for what a callback throws: else it would end the process instead. */
  readonly canBeCut: boolean;
  #tally: Tally | undefined;
  /** The text of a model that tells of no chunks. */
  #hasText = false;
  #isMetered = false;

  constructor(call: MeteredCall, canBeCut: boolean) {
    this.call = call;
    this.canBeCut = canBeCut;
  }

  /** @throws what stops the call, where nothing can carry more. */
  async chunk(chunk: unknown, token: string): Promise<void> {
    const tally = this.#tallied(() => new ChunkTally(this.call));
    // Some packages give the text alone; and what comes from a cache has begun nothing that could be
    // cut: it comes as one text.
    const isFirstText = chunk === undefined && !this.#isMetered;
    // Those of text models have no message.
    const isText = asObject(chunk)?.['message'] === undefined;
    const verdict = isText ? this.#meter(token) : tally.count(chunk);
    this.#isMetered = true;
    if (!(await verdict) && !isFirstText) this.#cut();
  }

  /** @throws what stops the call, where nothing can carry more. */
  async event(event: unknown): Promise<void> {
    const tally = this.#tallied(() => new EventTally(this.call));
    if (!(await tally.count(event))) this.#cut();
  }

  async end(output: unknown): Promise<void> {
    const [generations] = listAt(asObject(output), 'generations');
    const llmOutput = asObject(output)?.['llmOutput'];
    await this.settle(
      this.#tally?.reported(true) ??
        (await generateSettlement({ generations, llmOutput }, this.call)),
    );
  }

  async fail(error: unknown): Promise<void> {
    const { hasUnseen = false, hasBegun = false } = this.#tally ?? {};
    const begun = hasBegun || this.#hasText;
    await this.settle(
      this.#tally?.reported(false) ??
        (begun ? unreported({ hasUnseen }, this.call.spend) : failureOutcome(error)),
    );
  }

  /** The answer came from a cache, or the call was never sent. */
  async release(): Promise<void> {
    await this.call.spend.release().catch(() => {});
  }

  /** A callback that throws here would take away an answer that is paid for. */
  async settle(settlement: Settlement): Promise<void> {
    await this.call.spend.settle(settlement).catch(() => {});
  }

  #tallied(make: () => Tally): Tally {
    this.#tally ??= make();
    return this.#tally;
  }

  #meter(text: string): boolean | Promise<boolean> {
    if (text === '') return true;
    this.#hasText = true;
    return this.call.spend.meter({ text });
  }

  #cut(): void {
    if (this.canBeCut) throw unhurried(this.call.spend.stopReason);
  }
}
