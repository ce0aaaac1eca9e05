import type { CallRequest, Identity } from '@hardcap/core';
import { type JsonObject, modelsNamedIn } from '@hardcap/core/adapter';
import { hidesReasoning, inputBound } from '@hardcap/core/input-bound';
import { askedReasoning } from './asked-reasoning.ts';
import type { HardcapRunOptions } from './call-channel.ts';
import { callInput } from './call-input.ts';
import { requestsAudio, requestsLongCacheWrites } from './input-traits.ts';
import { askedTier } from './service-tier.ts';
import { type ModelName, type SpendBudgetOptions, valueFor } from './spend-budget-options.ts';

/** A call as the framework hands it to the model. */
export interface ModelCall {
  readonly name: ModelName;
  readonly messages: readonly unknown[];
  /** What the model says it sends beside the messages. */
  readonly params: JsonObject;
  /** Over all choices. */
  readonly maxOutputTokens: number | undefined;
  /** The most that the model says it can write. */
  readonly modelOutputTokens?: number | undefined;
  /** Absent: the output limit cannot be lowered. */
  readonly minOutputTokens: number | undefined;
  readonly channel: HardcapRunOptions | undefined;
}

/** What the guard is asked to hold for one attempt. */
export async function callRequestOf(
  call: ModelCall,
  options: SpendBudgetOptions,
): Promise<CallRequest> {
  const { name, messages, params, maxOutputTokens, minOutputTokens, channel = {} } = call;
  const { identity, operationId } = channel;
  const { estimate, waitForHeadroomMs } = options;
  const defaultIdentity = await identityFor(name, options);
  const tags = { ...options.tags, ...channel.tags };
  const fallbackModels = modelsNamedIn(params, name.model);
  const serviceTier = askedTier(params);
  return {
    ...name,
    ...inputOf(call, options),
    longCacheWrites: requestsLongCacheWrites(messages, params),
    audio: requestsAudio(messages),
    hiddenReasoning: maxOutputTokens !== 0 && mayHide(name, fallbackModels, params),
    ...(fallbackModels.length === 0 ? {} : { fallbackModels }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    modelOutputTokens: call.modelOutputTokens,
    ...(minOutputTokens === undefined ? {} : { minOutputTokens }),
    ...(estimate === undefined ? {} : { estimate }),
    ...(waitForHeadroomMs === undefined ? {} : { waitForHeadroomMs }),
    ...(identity === undefined ? {} : { identity }),
    ...(defaultIdentity === undefined ? {} : { defaultIdentity }),
    ...(operationId === undefined ? {} : { operationId }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
  };
}

/** Whichever model answers. */
function mayHide(
  { provider, model }: ModelName,
  fallbackModels: readonly string[],
  params: JsonObject,
): boolean {
  const reasoning = askedReasoning(params);
  return [model, ...fallbackModels].some((each) =>
    hidesReasoning({ provider, model: each, reasoning }),
  );
}

/** Who pays, where neither the run nor the context says. */
export async function identityFor(
  name: ModelName,
  { identity }: SpendBudgetOptions,
): Promise<Identity | undefined> {
  return typeof identity === 'function' ? identity(name) : identity;
}

function inputOf(
  { name, messages, params }: ModelCall,
  options: SpendBudgetOptions,
): Pick<CallRequest, 'inputTokens' | 'unseenInput'> {
  const contextWindow = valueFor(options.contextWindow, name);
  const { inputEstimator: estimator } = options;
  const { tokens, isBound } = inputBound(callInput(messages, params), {
    ...name,
    ...(estimator === undefined ? {} : { estimator }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  });
  return { inputTokens: tokens, unseenInput: !isBound };
}
