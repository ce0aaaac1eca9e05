import type { CallRequest } from '@hardcap/core';
import { hidesReasoning } from '@hardcap/core/input-bound';
import { askedReasoning } from './asked-reasoning.ts';
import type { HardcapCallOptions } from './call-channel.ts';
import { type CallType, continuedInput } from './continued-input.ts';
import { fallbackModels } from './fallback-models.ts';
import { inputOf } from './input-of.ts';
import { requestsAudio, requestsLongCacheWrites } from './input-traits.ts';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { promptParts } from './prompt-parts.ts';
import { requestBase } from './request-base.ts';
import { askedTier } from './service-tier.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';
import type { OutputLimit } from './wire-limits.ts';

/** What the guard is asked to hold for one attempt. */
export async function callRequestOf(
  {
    call,
    model,
    type,
    limit,
    channel,
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
  const fallbacks = fallbackModels(call, model);
  const serviceTier = askedTier(call, model);
  const { inputTokens, unseenInput } = inputOf(promptParts(call), model, options);
  return {
    ...(await requestBase(call, model, channel, options)),
    inputTokens: continuedInput(inputTokens, maxOutputTokens, model, type),
    unseenInput,
    longCacheWrites: requestsLongCacheWrites(call),
    audio: requestsAudio(call),
    hiddenReasoning: hidesReasoning({
      provider,
      model: modelId,
      reasoning: askedReasoning(call, model),
    }),
    ...(fallbacks === undefined ? {} : { fallbackModels: fallbacks }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(minOutputTokens === undefined ? {} : { minOutputTokens }),
  };
}
