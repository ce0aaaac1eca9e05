import type { SpendGuard } from '@hardcap/core';
import { admitted, unlinkedWhereItFails } from './admitted.ts';
import { Attempt } from './attempt.ts';
import type { CallHandover } from './call-handover.ts';
import { callRequestOf } from './call-request-of.ts';
import type { CallType } from './continued-input.ts';
import type { WrappedModel } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { type SpendBudgetOptions, valueFor } from './spend-budget-options.ts';
import { outputLimit } from './wire-limits.ts';

const DEFAULT_MIN_OUTPUT_TOKENS = 256;

/** Reserves for each attempt of a call; retries and further steps come through here again. */
export class AttemptOpener {
  readonly #guard: SpendGuard;
  readonly #options: SpendBudgetOptions;
  readonly #handover: CallHandover;

  constructor(guard: SpendGuard, options: SpendBudgetOptions, handover: CallHandover) {
    this.#guard = guard;
    this.#options = options;
    this.#handover = handover;
  }

  /** @throws BudgetExceededError when a budget refuses; nothing is held then. */
  async open(params: object, model: WrappedModel, type: CallType): Promise<Attempt> {
    const { minOutputTokens = DEFAULT_MIN_OUTPUT_TOKENS, onCut = 'error' } = this.#options;
    const { channel, stop, swallowsRaw } = this.#handover.of(params);
    const call = this.#withDefaultLimit(params, model);
    return unlinkedWhereItFails(stop, async () => {
      const limit = outputLimit(call, model, minOutputTokens);
      const request = await callRequestOf({ call, model, type, limit, channel }, this.#options);
      const spend = await admitted(this.#guard, request, stop);
      const longCacheWrites = request.longCacheWrites === true;
      const given = params;
      return new Attempt({
        spend,
        given,
        call,
        limit,
        model,
        longCacheWrites,
        swallowsRaw,
        onCut,
        stop,
      });
    });
  }

  #withDefaultLimit(call: ModelCall, model: WrappedModel): ModelCall {
    if (call.maxOutputTokens !== undefined) return call;
    const maxOutputTokens = valueFor(this.#options.maxOutputTokens, model);
    return maxOutputTokens === undefined ? call : { ...call, maxOutputTokens };
  }
}
