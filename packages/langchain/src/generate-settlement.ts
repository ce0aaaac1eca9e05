import type { Settlement } from '@hardcap/core';
import { asObject, type JsonObject, listAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { MeteredCall } from './attempt.ts';
import { chunkText } from './chunk-text.ts';
import { googleSearches } from './google-searches.ts';
import { isGoogle } from './model-name.ts';
import { reportSettlement } from './reported-usage.ts';
import { servedTier } from './service-tier.ts';
import { webSearchesIn } from './web-searches.ts';

/** What a whole answer settles with: a `ChatResult`, with a generation for each choice. */
export async function generateSettlement(result: unknown, call: MeteredCall): Promise<Settlement> {
  const answer = asObject(result);
  const generations = listAt(answer, 'generations');
  const messages = generations.map((generation) => objectAt(generation, 'message') ?? {});
  const reported = answerSettlement(generations[0], objectAt(answer, 'llmOutput'), call);
  if (reported !== undefined) return reported;
  // Nothing is known: the hold is charged, or what a call that holds nothing has shown.
  for (const message of messages) await call.spend.meter({ text: answerText(message) });
  return { outcome: 'known' };
}

/** The settlement of what a generation reports; every choice of an answer reports the same. */
function answerSettlement(
  generation: unknown,
  llmOutput: JsonObject | undefined,
  { name, longCacheWrites, excludesCache, serviceTier, told }: Omit<MeteredCall, 'spend'>,
): Settlement | undefined {
  const message = objectAt(generation, 'message');
  const metadata = objectAt(message, 'response_metadata');
  const kwargs = objectAt(message, 'additional_kwargs');
  const isAnthropic = name.provider === 'anthropic';
  return reportSettlement(
    {
      // The framework's figures are those of Anthropic's start, where the whole was told.
      metadata: told?.whole === undefined ? objectAt(message, 'usage_metadata') : undefined,
      anthropic:
        told?.whole ??
        (isAnthropic ? (objectAt(llmOutput, 'usage') ?? objectAt(metadata, 'usage')) : undefined),
      excludesCache,
      gemini: isGoogle(name) ? geminiReport(message) : undefined,
      longCacheWrites,
      webSearches: webSearchesIn(message) + googleSearches(generation, name),
    },
    {
      servedModel:
        textAt(metadata, 'model_name') ?? textAt(metadata, 'model') ?? textAt(kwargs, 'model'),
      serviceTier: servedTier(generation, serviceTier, llmOutput),
    },
  );
}

/** A whole answer of a model that streams by itself is made of chunks. */
function geminiReport(message: Readonly<Record<string, unknown>> | undefined): 'whole' | 'summed' {
  return message?.['tool_call_chunks'] === undefined ? 'whole' : 'summed';
}

function answerText(message: Readonly<Record<string, unknown>>): string {
  const calls = listAt(message, 'tool_calls').map((call) => asObject(call)?.['args']);
  return chunkText(message) + (calls.length === 0 ? '' : JSON.stringify(calls));
}
