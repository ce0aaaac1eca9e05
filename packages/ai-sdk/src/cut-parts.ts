import type { TokenUsage } from '@hardcap/core';
import type { JsonObject } from '@hardcap/core/adapter';

/** How a stream that was cut ends for its reader. */
export interface Cut {
  /** Why; undefined where the reader is to see a stream that reached its length. */
  readonly error: unknown;
  /** Of the wrapped model: its parts have the shapes of that version. */
  readonly specificationVersion: string;
  /** What was metered, and is in the ledger. */
  readonly usage: TokenUsage;
}

/** The parts after the last block. Neither reason lets the SDK run tools or take another step. */
export function cutParts(cut: Cut): JsonObject[] {
  const { error } = cut;
  const reason = error === undefined ? 'length' : 'error';
  const totals = totalsOf(cut.usage);
  const finish =
    cut.specificationVersion === 'v2' ? flatFinish(reason, totals) : nestedFinish(reason, totals);
  return error === undefined ? [finish] : [{ type: 'error', error }, finish];
}

/** Neither may be left out of a finish: `ai` 6 fails without them. */
interface Totals {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

function totalsOf({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: TokenUsage): Totals {
  return { inputTokens: input + cacheRead + cacheWrite5m + cacheWrite1h, outputTokens: output };
}

function flatFinish(finishReason: string, { inputTokens, outputTokens }: Totals): JsonObject {
  const totalTokens = inputTokens + outputTokens;
  return { type: 'finish', finishReason, usage: { inputTokens, outputTokens, totalTokens } };
}

function nestedFinish(reason: string, { inputTokens, outputTokens }: Totals): JsonObject {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: undefined },
    usage: {
      inputTokens: {
        total: inputTokens,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    },
  };
}
