import type { Settlement, SpendCall } from '@hardcap/core';
import type { CallOptions, ChatModel } from './chat-model.ts';
import type { ModelName } from './spend-budget-options.ts';

/** An admitted call, with what tells how its usage is to be read. */
export interface MeteredCall {
  readonly spend: SpendCall;
  readonly name: ModelName;
  /** Cache writes of an hour were asked for: prices those whose age is not reported. */
  readonly longCacheWrites: boolean;
  /** The model's package reports Anthropic's input without what was cached. */
  readonly excludesCache: boolean;
}

export interface AttemptDetails extends MeteredCall {
  /** Reserves the same once more. Throws where that is refused. */
  readonly reserve: (attempt: number) => Promise<SpendCall>;
  /** What the call is made with: the model itself, or one with a lower output limit. */
  readonly model: ChatModel;
  /** As the provider may see them. */
  readonly options: CallOptions;
}

/** One admitted call, and what is needed to meter and to settle what it sends. */
export class Attempt implements MeteredCall {
  spend: SpendCall;
  readonly model: ChatModel;
  readonly options: CallOptions;
  readonly name: ModelName;
  readonly longCacheWrites: boolean;
  readonly excludesCache: boolean;
  readonly #reserve: AttemptDetails['reserve'];
  #number = 1;

  constructor(details: AttemptDetails) {
    this.spend = details.spend;
    this.model = details.model;
    this.options = details.options;
    this.name = details.name;
    this.longCacheWrites = details.longCacheWrites;
    this.excludesCache = details.excludesCache;
    this.#reserve = details.reserve;
  }

  /**
   * Goes on with a reservation of its own for another request, after one that failed and is settled.
   *
   * @throws BudgetExceededError when a budget refuses; nothing is held then.
   */
  async reserveAgain(): Promise<void> {
    this.#number += 1;
    this.spend = await this.#reserve(this.#number);
  }

  /** Settles; what goes wrong shows in the guard's events and breaks nobody's result or stream. */
  async settle(settlement: Settlement): Promise<void> {
    try {
      await this.spend.settle(settlement);
    } catch {
      // The hold stays, and is charged when it expires.
    }
  }
}
