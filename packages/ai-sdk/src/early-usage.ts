import type { TokenUsage } from '@hardcap/core';
import { anthropicUsage, type JsonObject, numberAt, objectAt } from '@hardcap/core/adapter';

/**
 * What a `raw` or `custom` part of a stream tells about usage before its end: Anthropic's
 * `message_start`, with the input, and `message_delta`, with everything so far.
 */
export function earlyUsage(
  part: JsonObject,
  longCacheWrites: boolean,
): Partial<TokenUsage> | undefined {
  if (part['type'] === 'custom') {
    if (part['kind'] !== 'anthropic.message_start') return undefined;
    return startUsage(objectAt(part, 'providerMetadata', 'anthropic', 'usage'), longCacheWrites);
  }
  const event = objectAt(part, 'rawValue');
  if (event?.['type'] === 'message_start') {
    return startUsage(objectAt(event, 'message', 'usage'), longCacheWrites);
  }
  // Only the output is news: the input classes may be without the split that message_start had.
  const output = numberAt(objectAt(event, 'usage'), 'output_tokens');
  return event?.['type'] === 'message_delta' && output !== undefined ? { output } : undefined;
}

function startUsage(
  usage: JsonObject | undefined,
  longCacheWrites: boolean,
): Partial<TokenUsage> | undefined {
  if (usage === undefined) return undefined;
  // Its output is a placeholder, and stays out.
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = anthropicUsage(usage, longCacheWrites);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h };
}
