import {
  type CallRequest,
  type Identity,
  InvalidArgumentError,
  type SpendCall,
  type SpendGuard,
} from '@hardcap/core';
import { type JsonObject, linkedAbort, objectAt } from '@hardcap/core/adapter';
import { excludesCache } from './anthropic-package.ts';
import { Attempt, type MeteredCall } from './attempt.ts';
import {
  type CallChannel,
  carried,
  type HardcapRunOptions,
  mergedChannels,
} from './call-channel.ts';
import { callRequestOf, identityFor } from './call-request-of.ts';
import type { CallOptions, ChatModel } from './chat-model.ts';
import { checkOptions } from './check-options.ts';
import { covers, type EarlyReservation, takeEarly } from './early-reservations.ts';
import { sentParams } from './google-settings.ts';
import { modelGuardOf } from './model-guard.ts';
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
import { sentTerms } from './sent-terms.ts';
import { type ModelName, type SpendBudgetOptions, valueFor } from './spend-budget-options.ts';

const DEFAULT_MIN_OUTPUT_TOKENS = 256;

/** How often a call is reserved for whose model is given other settings meanwhile. */
const MOST_ATTEMPTS = 3;

const CHANGED =
  'The settings of the model were changed again and again while a call of it was reserved. ' +
  'Give the call a model of its own, or settings by withConfig.';

/** A call that is about to be made. */
interface PlannedCall extends Omit<MeteredCall, 'spend'> {
  readonly request: CallRequest;
  readonly model: ChatModel;
  readonly options: CallOptions;
  readonly choices: number;
  /** Of the model as it was given. */
  readonly terms: string;
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
    attempts: number = MOST_ATTEMPTS,
  ): Promise<Attempt> {
    callOptions.signal?.throwIfAborted();
    const { channel, sent } = carried(callOptions);
    // Another guard of the model is told, too.
    const options = modelGuardOf(given) === undefined ? sent : callOptions;
    const call = await this.#planned(given, messages, options, channel);
    const { request, choices } = call;
    const stop = linkedAbort(options.signal);
    try {
      const early = await this.#early(channel, request);
      const spend = early ?? (await reserved(this.guard, request, stop.signal));
      if (termsNow(given, options) !== call.terms) {
        await spend.release().catch(() => {});
        if (attempts > 1) {
          stop.unlink();
          return await this.open(given, messages, callOptions, attempts - 1);
        }
        throw new InvalidArgumentError(CHANGED);
      }
      const { clamped, admittedOutputTokens: admitted } = spend;
      const isLowered = clamped && admitted !== null;
      // What is sent again is sent with the same limit: as a whole, or not at all.
      const { minOutputTokens: _, ...whole } = request;
      const again = isLowered ? { ...whole, maxOutputTokens: admitted } : whole;
      const attempt = new Attempt({
        ...call,
        spend,
        stop,
        reserve: (attempt) => reserved(this.guard, { ...again, attempt }, stop.signal),
        model: isLowered ? withLowerLimit(call.model, Math.floor(admitted / choices)) : call.model,
      });
      if (!attempt.isOver) return attempt;
      // It was blocked in between, and is not sent.
      await spend.release().catch(() => {});
      throw attempt.stopReason ?? stop.signal.reason;
    } catch (error) {
      stop.unlink();
      throw error;
    }
  }

  /**
   * Reserves for a call that is made later, and as a whole.
   *
   * @throws BudgetExceededError when a budget refuses; nothing is held then.
   */
  async hold(
    given: ChatModel,
    messages: readonly unknown[],
    options: CallOptions,
    channel: CallChannel,
  ): Promise<EarlyReservation> {
    const { request } = await this.#planned(given, messages, options, channel);
    const { minOutputTokens: _, ...whole } = request;
    // Calls that waited for each other could wait in vain.
    const spend = await reserved(this.guard, { ...whole, waitForHeadroomMs: 0 });
    return { spend, request };
  }

  /** What was reserved for a call before, where that is enough for it. */
  async #early(
    channel: CallChannel | undefined,
    request: CallRequest,
  ): Promise<SpendCall | undefined> {
    if (channel?.reservation === undefined) return undefined;
    const early = takeEarly(this.guard, channel.reservation);
    if (early === undefined || covers(early, request)) return early?.spend;
    // What it holds may be what the call needs.
    await early.spend.release().catch(() => {});
    return undefined;
  }

  /** What is to be held for a call, and what it is to be made with. */
  async #planned(
    given: ChatModel,
    messages: readonly unknown[],
    options: CallOptions,
    channel: CallChannel | undefined,
  ): Promise<PlannedCall> {
    checkOptions(options);
    const name = this.#nameOf(given, options);
    const { model, params, limit, terms } = this.#withDefaultLimit(given, options, name);
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
        modelOutputTokens: limit.modelTokens,
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
      terms,
      name,
      longCacheWrites: request.longCacheWrites === true,
      excludesCache: excludesCache(name, objectAt(model, 'metadata')),
      serviceTier: request.serviceTier,
    };
  }

  /** Who pays for the calls of a model, where nothing else says. */
  identityOf(model: ChatModel): Promise<Identity | undefined> {
    return identityFor(this.#nameOf(model, {}), this.#options);
  }

  #nameOf(model: ChatModel, options: CallOptions): ModelName {
    const name = modelName({
      lsParams: model.getLsParams?.(options),
      invocationParams: sentParams(model, options),
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
  ): Pick<PlannedCall, 'model' | 'terms'> & { readonly params: JsonObject; limit: OutputLimit } {
    const params = sentParams(given, options);
    const wanted = valueFor(this.#options.maxOutputTokens, name);
    const isAsked =
      wanted !== undefined && !Number.isFinite(sentLimit(params, given) ?? Number.NaN);
    const model =
      isAsked && canLower(given, options, wanted) ? withLowerLimit(given, wanted) : given;
    const sent = model === given ? params : sentParams(model, options);
    const terms = sentTerms(params, given);
    return { model, params: sent, limit: outputLimit(sent, model), terms };
  }
}

/** Undefined for settings that have become invalid: whoever plans the call again is told. */
function termsNow(model: ChatModel, options: CallOptions): string | undefined {
  try {
    return sentTerms(sentParams(model, options), model);
  } catch {
    return undefined;
  }
}
