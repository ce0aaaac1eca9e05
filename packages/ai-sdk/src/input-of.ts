import type { CallRequest } from '@hardcap/core';
import { type InputParts, inputBound } from '@hardcap/core/input-bound';
import type { ModelId } from './middleware.ts';
import { type SpendBudgetOptions, valueFor } from './spend-budget-options.ts';

/** The bound of what a call sends. */
export function inputOf(
  parts: InputParts,
  model: ModelId,
  options: Pick<SpendBudgetOptions, 'contextWindow' | 'inputEstimator'>,
): Required<Pick<CallRequest, 'inputTokens' | 'unseenInput'>> {
  const { provider, modelId } = model;
  const contextWindow = valueFor(options.contextWindow, model);
  const { inputEstimator: estimator } = options;
  const { tokens, isBound } = inputBound(parts, {
    provider,
    model: modelId,
    ...(estimator === undefined ? {} : { estimator }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  });
  return { inputTokens: tokens, unseenInput: !isBound };
}
