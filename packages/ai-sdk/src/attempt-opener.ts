import { BudgetExceededError, type SpendGuard } from '@hardcap/core';
import { Attempt } from './attempt.ts';
import type { HardcapCallOptions } from './call-channel.ts';
import { callRequestOf } from './call-request-of.ts';
import type { CallType } from './continued-input.ts';
import type { WrappedModel } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { type SpendBudgetOptions, valueFor } from './spend-budget-options.ts';
import { outputLimit } from './wire-limits.ts';

/** What `transformParams` took out of a call, or put into it. */
export interface Handover {
  readonly channel?: HardcapCallOptions | undefined;
  /** Raw parts were asked for by us alone. */
  readonly swallowsRaw: boolean;
}

const DEFAULT_MIN_OUTPUT_TOKENS = 256;

/** Reserves for each attempt of a call; retries and further steps come through here again. */
export class AttemptOpener {
  readonly #guard: SpendGuard;
  readonly #options: SpendBudgetOptions;
  // The wrapping hooks get the very object that `transformParams` returned.
  readonly #handovers: WeakMap<object, Handover> = new WeakMap();

  constructor(guard: SpendGuard, options: SpendBudgetOptions) {
    this.#guard = guard;
    this.#options = options;
  }

  handOver(params: object, handover: Handover): void {
    this.#handovers.set(params, handover);
  }

  /** @throws BudgetExceededError when a budget refuses; nothing is held then. */
  async open(params: object, model: WrappedModel, type: CallType): Promise<Attempt> {
    const { minOutputTokens = DEFAULT_MIN_OUTPUT_TOKENS, onCut = 'error' } = this.#options;
    const { channel, swallowsRaw } = this.#handovers.get(params) ?? { swallowsRaw: false };
    const call = this.#withDefaultLimit(params, model);
    const limit = outputLimit(call, model, minOutputTokens);
    const request = await callRequestOf({ call, model, type, limit, channel }, this.#options);
    const reservation = await this.#guard.reserve(request);
    if (!reservation.admitted) throw new BudgetExceededError(reservation.denial);
    return new Attempt({
      spend: reservation.call,
      given: params,
      call,
      limit,
      model,
      longCacheWrites: request.longCacheWrites === true,
      swallowsRaw,
      onCut,
    });
  }

  #withDefaultLimit(call: ModelCall, model: WrappedModel): ModelCall {
    if (call.maxOutputTokens !== undefined) return call;
    const maxOutputTokens = valueFor(this.#options.maxOutputTokens, model);
    return maxOutputTokens === undefined ? call : { ...call, maxOutputTokens };
  }
}
