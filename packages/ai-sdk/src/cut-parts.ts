import type { JsonObject } from './json-object.ts';

/** How a stream that was cut ends for its reader. */
export interface Cut {
  /** Why; undefined where the reader is to see a stream that reached its length. */
  readonly error: unknown;
  /** Of the wrapped model: its parts have the shapes of that version. */
  readonly specificationVersion: string;
  /** What was metered. Neither may be left out: `ai` 6 fails on a finish without them. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The parts after the last block. Neither reason lets the SDK run tools or take another step. */
export function cutParts(cut: Cut): JsonObject[] {
  const { error } = cut;
  const reason = error === undefined ? 'length' : 'error';
  const finish =
    cut.specificationVersion === 'v2' ? flatFinish(reason, cut) : nestedFinish(reason, cut);
  return error === undefined ? [finish] : [{ type: 'error', error }, finish];
}

function flatFinish(finishReason: string, { inputTokens, outputTokens }: Cut): JsonObject {
  const totalTokens = inputTokens + outputTokens;
  return { type: 'finish', finishReason, usage: { inputTokens, outputTokens, totalTokens } };
}

function nestedFinish(reason: string, { inputTokens, outputTokens }: Cut): JsonObject {
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
