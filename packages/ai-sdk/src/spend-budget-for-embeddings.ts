import type { Settlement, SpendGuard, TokenUsage } from '@hardcap/core';
import { asObject, listAt, numberAt, objectAt } from '@hardcap/core/adapter';
import { CallHandover } from './call-handover.ts';
import { isGuardedBy } from './guarded-mark.ts';
import { heldCall } from './held-call.ts';
import { inputOf } from './input-of.ts';
import type { EmbeddingCall, SpendBudgetForEmbeddings } from './middleware.ts';
import { reportedCost } from './reported-cost.ts';
import { requestBase } from './request-base.ts';
import type { EmbeddingBudgetOptions } from './spend-budget-options.ts';

/**
 * Middleware for `wrapEmbeddingModel` of `ai` 6 and 7: holds the bound of all values before they are
 * sent, and settles what the provider counted; where it counts nothing, the bound.
 */
export function spendBudgetForEmbeddings(
  guard: SpendGuard,
  options: EmbeddingBudgetOptions = {},
): SpendBudgetForEmbeddings {
  const handover = new CallHandover();
  return {
    specificationVersion: 'v3',

    transformParams: async ({ params, model }) =>
      isGuardedBy(guard, model) ? params : handover.taken(params),

    wrapEmbed: async ({ doEmbed, params, model }) => {
      if (isGuardedBy(guard, model)) return doEmbed();
      const call: EmbeddingCall = params;
      const { channel, stop } = handover.of(params);
      const { values = [] } = call;
      const parts = {
        texts: values,
        messages: values.length,
        // Gemini takes pictures and more beside each value.
        serverState: listAt(objectAt(call.providerOptions, 'google'), 'content').length > 0,
      };
      return heldCall(guard, {
        request: async () => ({
          ...(await requestBase(call, model, channel, options)),
          ...inputOf(parts, model, options),
          maxOutputTokens: 0,
        }),
        stop,
        send: doEmbed,
        settlementOf: embeddingSettlement,
      });
    },
  };
}

function embeddingSettlement(result: unknown): Settlement {
  const answer = asObject(result);
  const body = objectAt(answer, 'response', 'body');
  const input =
    numberAt(objectAt(answer, 'usage'), 'tokens') ??
    // Google's packages leave out what its newer models report.
    numberAt(objectAt(body, 'usageMetadata'), 'promptTokenCount');
  const costNanoUsd = reportedCost(undefined, answer?.['providerMetadata']);
  return {
    outcome: 'known',
    ...(input === undefined ? {} : { usage: inputOnly(input) }),
    ...(costNanoUsd === undefined ? {} : { costNanoUsd }),
  };
}

function inputOnly(input: number): TokenUsage {
  return { input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
}
