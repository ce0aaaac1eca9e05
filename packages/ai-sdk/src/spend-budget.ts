import type { SpendGuard } from '@hardcap/core';
import { AttemptOpener } from './attempt-opener.ts';
import { CallHandover } from './call-handover.ts';
import { generateSettlement } from './generate-settlement.ts';
import { isGuardedBy } from './guarded-mark.ts';
import { meteredStream } from './metered-stream.ts';
import type { SpendBudgetMiddleware } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import { reportsEarlyInRaw } from './provider-family.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

/**
 * Middleware for `wrapLanguageModel`, `wrapProvider` and `createProviderRegistry` of `ai` 5, 6 and
 * 7: holds the worst case of every call before it is sent, meters what it streams, cuts it where a
 * budget is crossed, and settles what it cost.
 *
 * Put it last: then it sees each call as it is sent, and none that an outer middleware answers.
 */
export function spendBudget(
  guard: SpendGuard,
  options: SpendBudgetOptions = {},
): SpendBudgetMiddleware {
  const handover = new CallHandover();
  const attempts = new AttemptOpener(guard, options, handover);
  return {
    specificationVersion: 'v3',

    transformParams: async ({ type, params, model }) => {
      if (isGuardedBy(guard, model)) return params;
      const call: ModelCall = params;
      const addsRaw = type === 'stream' && !call.includeRawChunks && reportsEarlyInRaw(model);
      return handover.taken(params, addsRaw ? { includeRawChunks: true } : {});
    },

    wrapGenerate: async ({ doGenerate, params, model }) => {
      if (isGuardedBy(guard, model)) return doGenerate();
      const attempt = await attempts.open(params, model, 'generate');
      return attempt.orSettle(async () => {
        const result = await attempt.send(doGenerate, (sent) => model.doGenerate(sent));
        await attempt.settle(await generateSettlement(result, attempt));
        return result;
      });
    },

    wrapStream: async ({ doStream, params, model }) => {
      if (isGuardedBy(guard, model)) return doStream();
      const attempt = await attempts.open(params, model, 'stream');
      return attempt.orSettle(async () => {
        const result = await attempt.send(doStream, (sent) => model.doStream(sent));
        if (typeof result?.stream?.getReader !== 'function') {
          // Nothing to meter, and not for us to judge.
          await attempt.settle({ outcome: 'unknown' });
          return result;
        }
        await attempt.holdWireLimit(result);
        return { ...result, stream: meteredStream(result.stream, attempt) };
      });
    },
  };
}
