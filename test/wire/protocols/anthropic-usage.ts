import type { Generation } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';
import type { UsageReport } from '../reply.ts';

/** Of the output `message_start` knows nothing yet. */
const PLACEHOLDER_OUTPUT_TOKENS = 1;

/** The figures of a whole message. */
export function anthropicUsage(generation: Generation): JsonObject | undefined {
  return report(generation.reply.usage, () => ({
    ...inputFigures(generation),
    cache_creation: cacheCreation(generation),
    ...outputFigures(generation),
    ...served(generation),
  }));
}

/** Before the tools of the provider have read anything. */
export function anthropicEarlyUsage(generation: Generation): JsonObject | undefined {
  const { earlyUsage, usage } = generation.reply;
  return report(earlyUsage ?? usage, () => ({
    ...inputFigures(generation),
    input_tokens: generation.counts.input - (generation.reply.toolUseInputTokens ?? 0),
    cache_creation: cacheCreation(generation),
    output_tokens: PLACEHOLDER_OUTPUT_TOKENS,
    ...served(generation),
  }));
}

/** Cumulative, like every figure of a `message_delta`. */
export function anthropicFinalUsage(generation: Generation): JsonObject | undefined {
  return report(generation.reply.usage, () => ({
    ...inputFigures(generation),
    ...outputFigures(generation),
  }));
}

function report(how: UsageReport | undefined, figures: () => JsonObject): JsonObject | undefined {
  if (how === 'missing') return undefined;
  return how === undefined || how === 'reported' ? figures() : how;
}

function inputFigures({ counts }: Generation): JsonObject {
  return {
    input_tokens: counts.input,
    cache_creation_input_tokens: counts.cacheWrite5m + counts.cacheWrite1h,
    cache_read_input_tokens: counts.cacheRead,
  };
}

function cacheCreation({ counts }: Generation): JsonObject {
  return {
    ephemeral_5m_input_tokens: counts.cacheWrite5m,
    ephemeral_1h_input_tokens: counts.cacheWrite1h,
  };
}

function outputFigures({ counts }: Generation): JsonObject {
  return {
    output_tokens: counts.output + counts.reasoning,
    output_tokens_details: { thinking_tokens: counts.reasoning },
  };
}

/** What is fast is no tier here, and is said beside it, where that was asked for. */
function served({ reply: { serviceTier } }: Generation): JsonObject {
  const isFast = serviceTier === 'fast';
  return {
    service_tier: isFast ? 'standard' : (serviceTier ?? 'standard'),
    inference_geo: 'not_available',
    ...(serviceTier === undefined ? {} : { speed: isFast ? 'fast' : 'standard' }),
  };
}
