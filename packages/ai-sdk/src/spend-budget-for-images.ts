import {
  InvalidArgumentError,
  type Settlement,
  type SpendGuard,
  type TokenUsage,
} from '@hardcap/core';
import { asObject, numberAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { InputParts } from '@hardcap/core/input-bound';
import { CallHandover } from './call-handover.ts';
import { fileContent } from './file-part.ts';
import { isGuardedBy } from './guarded-mark.ts';
import { heldCall } from './held-call.ts';
import { inputOf } from './input-of.ts';
import type { ImageCall, ModelId, SpendBudgetForImages } from './middleware.ts';
import { pieceCost } from './piece-cost.ts';
import { reportedCost } from './reported-cost.ts';
import { requestBase } from './request-base.ts';
import { type ImageBudgetOptions, valueFor } from './spend-budget-options.ts';

/**
 * Middleware for `wrapImageModel` of `ai` 6 and 7: holds what so many images may cost before they are
 * made, and settles what the provider reported; where it reports nothing, what was held.
 */
export function spendBudgetForImages(
  guard: SpendGuard,
  options: ImageBudgetOptions = {},
): SpendBudgetForImages {
  const handover = new CallHandover();
  return {
    specificationVersion: 'v3',

    transformParams: async ({ params, model }) =>
      isGuardedBy(guard, model) ? params : handover.taken(params),

    wrapGenerate: async ({ doGenerate, params, model }) => {
      if (isGuardedBy(guard, model)) return doGenerate();
      const call: ImageCall = params;
      const images = call.n ?? 1;
      const piece = pieceCost(options, model, params, images);
      const { channel, stop } = handover.of(params);
      const input = inputOf(imageParts(call), model, options);
      return heldCall(guard, {
        request: async () => {
          const base = await requestBase(call, model, channel, options);
          const isBounded = piece !== undefined || (base.estimate ?? 'ceiling') !== 'ceiling';
          return {
            ...base,
            ...input,
            ...(isBounded ? {} : { maxOutputTokens: images * boundPerImage(model, options) }),
            ...(piece === undefined ? {} : { estimate: piece.estimate }),
          };
        },
        stop,
        send: doGenerate,
        settlementOf: (result, { admittedOutputTokens }) => {
          const settlement = imageSettlement(result, piece?.costNanoUsd);
          const each = tokensPerImage(model, options);
          const isKnown = settlement.usage !== undefined || settlement.costNanoUsd !== undefined;
          const isHeld = admittedOutputTokens !== null || typeof options.estimate === 'object';
          if (isKnown || isHeld || each === undefined) return settlement;
          // Nothing is held that could be charged: it is what the images may have cost.
          return { outcome: 'metered', usage: imageUsage(input.inputTokens, images * each) };
        },
      });
    },
  };
}

/** The most that OpenAI's `gpt-image` models make of one: high quality, at their largest sizes. */
const GPT_IMAGE_TOKENS = 6_240;

function tokensPerImage(model: ModelId, { imageTokens }: ImageBudgetOptions): number | undefined {
  const isKnown = /gpt-image-1(?!\d)/.test(model.modelId);
  return valueFor(imageTokens, model) ?? (isKnown ? GPT_IMAGE_TOKENS : undefined);
}

function boundPerImage(model: ModelId, options: ImageBudgetOptions): number {
  const tokens = tokensPerImage(model, options);
  if (tokens !== undefined) return tokens;
  throw new InvalidArgumentError(
    `Nothing bounds what an image of ${model.modelId} costs. Set \`imageTokens\`, where it is billed by ` +
      'tokens, or `pieceCost`, where it is billed by the image, or another `estimate`.',
  );
}

function imageParts({ prompt, files = [], mask, providerOptions = {} }: ImageCall): InputParts {
  const contents = [...files, ...(mask === undefined ? [] : [mask])].map(fileContent);
  return {
    texts: prompt === undefined ? [] : [prompt],
    messages: 1,
    media: contents.flatMap((content) => ('media' in content ? [content.media] : [])),
    // What stands in the options may be sent as it is.
    toolPayloads: Object.keys(providerOptions).length === 0 ? [] : [providerOptions],
  };
}

function imageSettlement(
  result: unknown,
  pieces: number | undefined,
): Extract<Settlement, { outcome: 'known' }> {
  const answer = asObject(result);
  const usage = objectAt(answer, 'usage');
  const input = numberAt(usage, 'inputTokens');
  const output = numberAt(usage, 'outputTokens');
  const costNanoUsd = reportedCost(usage, answer?.['providerMetadata']) ?? pieces;
  const servedModel = textAt(objectAt(answer, 'response'), 'modelId');
  return {
    outcome: 'known',
    ...(input === undefined || output === undefined ? {} : { usage: imageUsage(input, output) }),
    ...(costNanoUsd === undefined ? {} : { costNanoUsd }),
    ...(servedModel === undefined ? {} : { servedModel }),
  };
}

function imageUsage(input: number, output: number): TokenUsage {
  return { input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 };
}
