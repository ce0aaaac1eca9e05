import { InvalidArgumentError, type SpendGuard } from '@hardcap/core';
import { CallHandover } from './call-handover.ts';
import { heldCall } from './held-call.ts';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { pieceCost } from './piece-cost.ts';
import { requestBase } from './request-base.ts';
import type { SpendBudgetForAllOptions } from './spend-budget-options.ts';

/** A call of a model that bills no tokens: of speech, transcription, reranking or video. */
export type GuardPieces = <Result>(
  model: ModelId,
  params: object,
  send: (params: object) => PromiseLike<Result>,
) => Promise<Result>;

/** Guards calls that cost what the options say, each as one piece. */
export function spendBudgetForPieces(
  guard: SpendGuard,
  options: SpendBudgetForAllOptions,
): GuardPieces {
  const handover = new CallHandover();
  return async (model, params, send) => {
    const piece = pieceCost(options, model, params, 1);
    if (piece === undefined) {
      throw new InvalidArgumentError(
        `Nothing says what a call of ${model.modelId} costs: it bills no tokens. Set \`pieceCost\`.`,
      );
    }
    const sent = handover.taken(params);
    const call: ModelCall = sent;
    const { channel, stop } = handover.of(sent);
    return heldCall(guard, {
      request: async () => ({
        ...(await requestBase(call, model, channel, options)),
        inputTokens: 0,
        maxOutputTokens: 0,
        estimate: piece.estimate,
      }),
      stop,
      send: () => send(sent),
      settlementOf: () => ({ outcome: 'known', costNanoUsd: piece.costNanoUsd }),
    });
  };
}
