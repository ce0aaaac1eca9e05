import { chunksOf, type TokenGroup } from '../chunks-of.ts';
import type { Generation, Part } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';
import { continuationFields } from './gemini-continuation.ts';
import { geminiError } from './gemini-error.ts';
import { geminiFinish } from './gemini-finish.ts';
import { groundingFields } from './gemini-grounding.ts';
import { geminiEvent } from './gemini-json.ts';
import { geminiPart, hasThought, showsThoughts, THOUGHT_SIGNATURE } from './gemini-parts.ts';
import { type Generated, geminiUsage } from './gemini-usage.ts';
import type { Chunk, StreamScript } from './protocol.ts';

export function geminiStream(generation: Generation): StreamScript {
  const { choices, counts, reply } = generation;
  const early = reply.earlyUsage ?? reply.usage;
  const event = (part: JsonObject, usage: JsonObject | undefined, finishReason?: string): string =>
    geminiEvent({
      candidates: Array.from({ length: choices }, (_, index) => ({
        content: { parts: [part], role: 'model' },
        ...(finishReason === undefined ? {} : { finishReason }),
        index,
        ...(finishReason === undefined ? {} : continuationFields(generation)),
        ...(finishReason === undefined ? {} : groundingFields(generation)),
      })),
      ...(usage === undefined ? {} : { usageMetadata: usage }),
      modelVersion: generation.model,
      responseId: `wire${generation.suffix}`,
    });
  return {
    head: () => '',
    *chunks() {
      let generated: Generated = { output: 0, reasoning: 0 };
      for (const part of generation.parts) {
        for (const group of chunksOf(part.tokens, reply.tokensPerChunk)) {
          const tokens = group.count * choices;
          const isThought = part.kind === 'reasoning';
          const step = { output: isThought ? 0 : tokens, reasoning: isThought ? tokens : 0 };
          generated = {
            output: generated.output + step.output,
            reasoning: generated.reasoning + step.reasoning,
          };
          const shown = shownPart(generation, part, group);
          const usage = geminiUsage(generation, generated, early);
          const text = shown === null ? '' : event(shown, usage);
          yield { ...step, text, visible: shown !== null } satisfies Chunk;
        }
      }
    },
    tail: () =>
      event(
        { text: '', ...(hasThought(generation) ? { thoughtSignature: THOUGHT_SIGNATURE } : {}) },
        geminiUsage(generation, counts),
        geminiFinish(generation),
      ),
    error: () => geminiEvent({ ...geminiError({ status: 503 }) }),
  };
}

/** Thoughts are hidden unless asked for, and a call of a tool comes as a whole. */
function shownPart(generation: Generation, part: Part, group: TokenGroup): JsonObject | null {
  if (part.kind === 'reasoning' && !showsThoughts(generation)) return null;
  if (part.kind !== 'tool-call') return geminiPart(part, group.text);
  return group.isLast ? geminiPart(part, part.tokens.join('')) : null;
}
