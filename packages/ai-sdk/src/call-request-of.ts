import type { CallRequest, Identity } from '@hardcap/core';
import { hidesReasoning, inputBound } from '@hardcap/core/input-bound';
import { askedReasoning } from './asked-reasoning.ts';
import type { HardcapCallOptions } from './call-channel.ts';
import { type CallType, continuedInput } from './continued-input.ts';
import { requestsAudio, requestsLongCacheWrites } from './input-traits.ts';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { promptParts } from './prompt-parts.ts';
import { type SpendBudgetOptions, valueFor } from './spend-budget-options.ts';
import type { OutputLimit } from './wire-limits.ts';

/** What the guard is asked to hold for one attempt. */
export async function callRequestOf(
  {
    call,
    model,
    type,
    limit,
    channel = {},
  }: {
    readonly call: ModelCall;
    readonly model: ModelId;
    readonly type: CallType;
    readonly limit: OutputLimit;
    readonly channel?: HardcapCallOptions | undefined;
  },
  options: SpendBudgetOptions,
): Promise<CallRequest> {
  const { provider, modelId } = model;
  const { tokens: maxOutputTokens, leastTokens: minOutputTokens } = limit;
  const { identity, operationId } = channel;
  const { estimate } = options;
  const defaultIdentity = await identityFor(call, model, options);
  const tags = { ...options.tags, ...channel.tags };
  const { inputTokens, unseenInput } = inputOf(call, model, options);
  return {
    provider,
    model: modelId,
    inputTokens: continuedInput(inputTokens, maxOutputTokens, model, type),
    unseenInput,
    longCacheWrites: requestsLongCacheWrites(call),
    audio: requestsAudio(call),
    hiddenReasoning: hidesReasoning({
      provider,
      model: modelId,
      reasoning: askedReasoning(call, model),
    }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(minOutputTokens === undefined ? {} : { minOutputTokens }),
    ...(estimate === undefined ? {} : { estimate }),
    ...(identity === undefined ? {} : { identity }),
    ...(defaultIdentity === undefined ? {} : { defaultIdentity }),
    ...(operationId === undefined ? {} : { operationId }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
  };
}

async function identityFor(
  call: ModelCall,
  { provider, modelId }: ModelId,
  { identity }: SpendBudgetOptions,
): Promise<Identity | undefined> {
  return typeof identity === 'function' ? identity({ provider, modelId, params: call }) : identity;
}

function inputOf(
  call: ModelCall,
  model: ModelId,
  options: SpendBudgetOptions,
): { readonly inputTokens: number; readonly unseenInput: boolean } {
  const { provider, modelId } = model;
  const contextWindow = valueFor(options.contextWindow, model);
  const { inputEstimator: estimator } = options;
  const { tokens, isBound } = inputBound(promptParts(call), {
    provider,
    model: modelId,
    ...(estimator === undefined ? {} : { estimator }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  });
  return { inputTokens: tokens, unseenInput: !isBound };
}
