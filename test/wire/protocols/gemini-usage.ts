import type { Generation } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';
import type { UsageReport } from '../reply.ts';

/** What was generated until then, over all candidates. */
export interface Generated {
  readonly output: number;
  readonly reasoning: number;
}

/**
 * The `usageMetadata` of an answer, or of a chunk: each has all until then. Cached input is in the
 * prompt, thoughts are beside the candidates and tool use beside the prompt. A count of zero is left
 * out, as protocol buffers have it. Undefined where the key is to be missing.
 */
export function geminiUsage(
  { counts, reply }: Generation,
  { output, reasoning }: Generated,
  report: UsageReport | undefined = reply.usage,
): JsonObject | undefined {
  if (report === 'missing') return undefined;
  if (report !== undefined && report !== 'reported') return report;
  const toolUse = reply.toolUseInputTokens ?? 0;
  const prompt = counts.input - toolUse + counts.cacheRead;
  return {
    ...given('promptTokenCount', prompt),
    ...given('candidatesTokenCount', output),
    ...given('totalTokenCount', prompt + toolUse + output + reasoning),
    ...given('cachedContentTokenCount', counts.cacheRead),
    ...modalities('promptTokensDetails', prompt),
    ...modalities('cacheTokensDetails', counts.cacheRead),
    ...given('toolUsePromptTokenCount', toolUse),
    ...modalities('toolUsePromptTokensDetails', toolUse),
    ...given('thoughtsTokenCount', reasoning),
    serviceTier: reply.serviceTier ?? 'standard',
  };
}

function given(key: string, count: number): JsonObject {
  return count === 0 ? {} : { [key]: count };
}

function modalities(key: string, tokenCount: number): JsonObject {
  return tokenCount === 0 ? {} : { [key]: [{ modality: 'TEXT', tokenCount }] };
}
