import { HardcapError, type Settlement, type SpendCall } from '@hardcap/core';
import { asObject, type LinkedAbort, numberAt } from '@hardcap/core/adapter';
import type { CallOptions, ChatModel } from './chat-model.ts';
import { failureOutcome } from './failure-outcome.ts';
import { unhurried } from './recent-denials.ts';
import type { ModelName } from './spend-budget-options.ts';
import { ToldUsage } from './told-usage.ts';

/** An admitted call, with what tells how its usage is to be read. */
export interface MeteredCall {
  readonly spend: SpendCall;
  readonly name: ModelName;
  /** Cache writes of an hour were asked for: prices those whose age is not reported. */
  readonly longCacheWrites: boolean;
  /** The model's package reports Anthropic's input without what was cached. */
  readonly excludesCache: boolean;
  /** The tier of service that was asked for; undefined for the usual one. */
  readonly serviceTier: string | undefined;
  /** What Anthropic tells of a stream, where that can be heard. */
  readonly told?: ToldUsage;
}

export interface AttemptDetails extends MeteredCall {
  /** Reserves the same once more. Throws where that is refused. */
  readonly reserve: (attempt: number) => Promise<SpendCall>;
  /** What the call is made with: the model itself, or one with a lower output limit. */
  readonly model: ChatModel;
  /** As the provider may see them. */
  readonly options: CallOptions;
  /** Stops the provider: for the caller, and for us. */
  readonly stop: LinkedAbort;
}

/** One admitted call, and what is needed to meter and to settle what it sends. */
export class Attempt implements MeteredCall {
  spend: SpendCall;
  readonly model: ChatModel;
  readonly options: CallOptions;
  readonly name: ModelName;
  readonly longCacheWrites: boolean;
  readonly excludesCache: boolean;
  readonly serviceTier: string | undefined;
  readonly told: ToldUsage = new ToldUsage();
  readonly #reserve: AttemptDetails['reserve'];
  readonly #stop: LinkedAbort;
  #number = 1;
  /** The latest request is settled, so that another one needs a reservation of its own. */
  #hasFailed = false;
  /** The latest request has an answer, which is billed whatever becomes of it. */
  #isAnswered = false;
  #refusal: unknown;

  constructor(details: AttemptDetails) {
    this.spend = details.spend;
    this.model = details.model;
    this.options = { ...details.options, signal: details.stop.signal };
    this.name = details.name;
    this.longCacheWrites = details.longCacheWrites;
    this.excludesCache = details.excludesCache;
    this.serviceTier = details.serviceTier;
    this.#reserve = details.reserve;
    this.#stop = details.stop;
    this.#follow(details.spend);
  }

  /** Aborts when the caller aborts, and when the call must stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What hardcap has against the call: a budget that carries no more of it, say. */
  get stopReason(): unknown {
    return this.#refusal ?? unhurried(this.spend.stopReason);
  }

  /** Nothing further may be sent. */
  get isOver(): boolean {
    return this.signal.aborted || this.#refusal !== undefined;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Lets go of the caller's signal. */
  unlink(): void {
    this.#stop.unlink();
  }

  /**
   * To be called before each request on the wire. The first has the reservation of the call; one that
   * follows a request that failed gets its own.
   *
   * @throws BudgetExceededError when a budget refuses; nothing is held then.
   */
  async beginRequest(): Promise<void> {
    if (!this.#hasFailed) return;
    try {
      this.spend = await this.#reserve(this.#number + 1);
    } catch (error) {
      if (HardcapError.isInstance(error)) this.#refusal = error;
      throw error;
    }
    this.#number += 1;
    this.#hasFailed = false;
    this.#isAnswered = false;
    this.#follow(this.spend);
  }

  /** To be called with what each request came to that did not fail. */
  answerRequest(response: unknown): void {
    // Some packages look at the status later.
    if ((numberAt(asObject(response), 'status') ?? 0) < 400) this.#isAnswered = true;
  }

  /** What a call comes to that ended with an error, where nothing of it was metered. */
  failure(error: unknown): Settlement {
    // A callback of the program may throw anything, after the provider has answered.
    return this.#isAnswered ? { outcome: 'unknown' } : failureOutcome(error, this.signal);
  }

  /** To be called for each request that failed. */
  async failRequest(settlement: Settlement): Promise<void> {
    this.#hasFailed = true;
    this.#isAnswered = false;
    await this.settle(settlement);
  }

  /** Settles; what goes wrong shows in the guard's events and breaks nobody's result or stream. */
  async settle(settlement: Settlement): Promise<void> {
    try {
      await this.spend.settle(settlement);
    } catch {
      // The hold stays, and is charged when it expires.
    }
  }

  #follow(spend: SpendCall): void {
    const { signal } = spend;
    const stop = (): void => this.abort(unhurried(spend.stopReason));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }
}
