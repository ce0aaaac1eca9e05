import type { CallRequest, SpendGuard } from '@hardcap/core';
import { asObject, type JsonObject, objectAt } from '@hardcap/core/adapter';
import { excludesCache } from './anthropic-package.ts';
import { Attempt, type MeteredCall } from './attempt.ts';
import { carried, type HardcapRunOptions, mergedChannels } from './call-channel.ts';
import { callRequestOf } from './call-request-of.ts';
import type { CallOptions, ChatModel } from './chat-model.ts';
import { linkedAbort } from './linked-abort.ts';
import { modelName } from './model-name.ts';
import {
  canLower,
  leastTokens,
  type OutputLimit,
  outputLimit,
  sentLimit,
  withLowerLimit,
} from './output-limit.ts';
import { reserved } from './reserved.ts';
import { type ModelName, type SpendBudgetOptions, valueFor } from './spend-budget-options.ts';

const DEFAULT_MIN_OUTPUT_TOKENS = 256;

/** A call that is about to be made. */
interface PlannedCall extends Omit<MeteredCall, 'spend'> {
  readonly request: CallRequest;
  readonly model: ChatModel;
  readonly options: CallOptions;
  readonly choices: number;
}

/** Reserves for each call that a model is about to make. */
export class AttemptOpener {
  readonly guard: SpendGuard;
  readonly #options: SpendBudgetOptions;
  readonly #channel: HardcapRunOptions;

  /** @param channel what is said of every call, where its run says nothing else. */
  constructor(guard: SpendGuard, options: SpendBudgetOptions, channel: HardcapRunOptions = {}) {
    this.guard = guard;
    this.#options = options;
    this.#channel = channel;
  }

  /** @throws BudgetExceededError when a budget refuses; nothing is held then. */
  async open(
    given: ChatModel,
    messages: readonly unknown[],
    callOptions: CallOptions,
  ): Promise<Attempt> {
    callOptions.signal?.throwIfAborted();
    const call = await this.#planned(given, messages, callOptions);
    const { request, options, choices } = call;
    const stop = linkedAbort(options.signal);
    try {
      const spend = await reserved(this.guard, request, stop.signal);
      const { clamped, admittedOutputTokens: admitted } = spend;
      const isLowered = clamped && admitted !== null;
      // What is sent again is sent with the same limit: as a whole, or not at all.
      const { minOutputTokens: _, ...whole } = request;
      const again = isLowered ? { ...whole, maxOutputTokens: admitted } : whole;
      return new Attempt({
        ...call,
        spend,
        stop,
        reserve: (attempt) => reserved(this.guard, { ...again, attempt }, stop.signal),
        model: isLowered ? withLowerLimit(call.model, Math.floor(admitted / choices)) : call.model,
      });
    } catch (error) {
      stop.unlink();
      throw error;
    }
  }

  /** What is to be held for a call, and what it is to be made with. */
  async #planned(
    given: ChatModel,
    messages: readonly unknown[],
    callOptions: CallOptions,
  ): Promise<PlannedCall> {
    const { channel, sent: options } = carried(callOptions);
    const name = this.#nameOf(given, options);
    const { model, params, limit } = this.#withDefaultLimit(given, options, name);
    const { choices } = limit;
    const least = leastTokens(
      params,
      limit,
      this.#options.minOutputTokens ?? DEFAULT_MIN_OUTPUT_TOKENS,
    );
    const isObeyed = canLower(model, options, Math.floor(least / choices));
    const request = await callRequestOf(
      {
        name,
        messages,
        params,
        maxOutputTokens: limit.tokens,
        minOutputTokens: isObeyed ? least : undefined,
        channel: mergedChannels(this.#channel, channel),
      },
      this.#options,
    );
    return {
      request,
      model,
      options,
      choices,
      name,
      longCacheWrites: request.longCacheWrites === true,
      excludesCache: excludesCache(name, objectAt(model, 'metadata')),
    };
  }

  #nameOf(model: ChatModel, options: CallOptions): ModelName {
    const name = modelName({
      lsParams: model.getLsParams?.(options),
      model,
      kind: model._llmType(),
    });
    const { provider = name.provider } = this.#options;
    return { ...name, provider };
  }

  /** The model as it is called without a budget, but never without the limit that the options ask for. */
  #withDefaultLimit(
    given: ChatModel,
    options: CallOptions,
    name: ModelName,
  ): { readonly model: ChatModel; readonly params: JsonObject; readonly limit: OutputLimit } {
    const paramsOf = (model: ChatModel) => asObject(model.invocationParams?.(options)) ?? {};
    const params = paramsOf(given);
    const wanted = valueFor(this.#options.maxOutputTokens, name);
    const isAsked = wanted !== undefined && sentLimit(params, given) === undefined;
    const model =
      isAsked && canLower(given, options, wanted) ? withLowerLimit(given, wanted) : given;
    const sent = model === given ? params : paramsOf(model);
    return { model, params: sent, limit: outputLimit(sent, model) };
  }
}
