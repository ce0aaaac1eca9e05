import type { Generation } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';
import { openaiUsage } from './openai-usage.ts';

export function openaiChatUsage({ reply, counts }: Generation): JsonObject | undefined {
  return openaiUsage(reply.usage, counts, (totals) => ({
    prompt_tokens: totals.input,
    completion_tokens: totals.output,
    total_tokens: totals.total,
    prompt_tokens_details: { cached_tokens: totals.cached, ...totals.cacheWrite, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: totals.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }));
}
