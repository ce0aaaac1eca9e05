import type { Generation } from '../generation.ts';
import { type JsonObject, objectAt } from '../json-object.ts';
import { endStatus, outputItem } from './openai-responses-items.ts';
import { openaiUsage } from './openai-usage.ts';

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed';

/** The response as a whole, as it stands at some point of its life: it echoes the request. */
export function openaiResponsesObject(
  generation: Generation,
  status: ResponseStatus,
  error: JsonObject | null = null,
): JsonObject {
  const { body } = generation.request;
  const echoed = (key: string, otherwise: unknown) => body[key] ?? otherwise;
  const isDone = status === 'completed' || status === 'incomplete';
  return {
    id: `resp_${generation.suffix}`,
    object: 'response',
    created_at: generation.createdAtSeconds,
    status,
    background: false,
    completed_at: status === 'completed' ? generation.createdAtSeconds : null,
    error,
    frequency_penalty: 0,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: echoed('instructions', null),
    max_output_tokens: echoed('max_output_tokens', null),
    max_tool_calls: echoed('max_tool_calls', null),
    model: generation.model,
    output: isDone ? output(generation) : [],
    parallel_tool_calls: echoed('parallel_tool_calls', true),
    presence_penalty: 0,
    previous_response_id: echoed('previous_response_id', null),
    prompt_cache_key: echoed('prompt_cache_key', null),
    prompt_cache_retention: null,
    reasoning: { effort: null, summary: null, ...objectAt(body, 'reasoning') },
    safety_identifier: null,
    service_tier: isDone
      ? (generation.reply.serviceTier ?? 'default')
      : echoed('service_tier', 'auto'),
    store: echoed('store', true),
    temperature: echoed('temperature', 1),
    text: echoed('text', { format: { type: 'text' }, verbosity: 'medium' }),
    tool_choice: echoed('tool_choice', 'auto'),
    tools: echoed('tools', []),
    top_logprobs: 0,
    top_p: echoed('top_p', 1),
    truncation: echoed('truncation', 'disabled'),
    usage: isDone ? usage(generation) : null,
    user: null,
    metadata: echoed('metadata', {}),
  };
}

function output(generation: Generation): JsonObject[] {
  return generation.parts.map((part) => outputItem(generation, part, endStatus(generation, part)));
}

function usage({ reply, counts }: Generation): JsonObject | undefined {
  return openaiUsage(reply.usage, counts, (totals) => ({
    input_tokens: totals.input,
    input_tokens_details: { cached_tokens: totals.cached, ...totals.cacheWrite },
    output_tokens: totals.output,
    output_tokens_details: { reasoning_tokens: totals.reasoning },
    total_tokens: totals.total,
  }));
}
