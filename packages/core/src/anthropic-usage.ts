import { asObject, type JsonObject, listAt, numberAt, objectAt } from './json-object.ts';
import type { TokenUsage } from './usage.ts';

/**
 * The figures of Anthropic's own usage object. They may be no counts: whoever settles with them
 * checks.
 *
 * @param longCacheWrites an hour was asked for somewhere: prices writes that are not split by age.
 */
export function anthropicUsage(raw: JsonObject, longCacheWrites: boolean): TokenUsage {
  const { input, output } = executorTokens(raw);
  const reasoning = numberAt(objectAt(raw, 'output_tokens_details'), 'thinking_tokens') ?? 0;
  const searches = numberAt(objectAt(raw, 'server_tool_use'), 'web_search_requests') ?? 0;
  return {
    input,
    cacheRead: numberAt(raw, 'cache_read_input_tokens') ?? 0,
    ...cacheWrites(raw, longCacheWrites),
    output: output - reasoning,
    reasoning,
    ...(searches === 0 ? {} : { fees: { webSearch: searches } }),
  };
}

export type CacheWrites = Pick<TokenUsage, 'cacheWrite5m' | 'cacheWrite1h'>;

function cacheWrites(raw: JsonObject, longCacheWrites: boolean): CacheWrites {
  const split = objectAt(raw, 'cache_creation');
  const long = numberAt(split, 'ephemeral_1h_input_tokens') ?? 0;
  const short = numberAt(split, 'ephemeral_5m_input_tokens') ?? 0;
  const written = numberAt(raw, 'cache_creation_input_tokens') ?? long + short;
  // A split that does not add up is older than the total: `message_delta` repeats the total alone.
  const isCurrent = split !== undefined && long + short === written;
  return cacheWritesOf(written, isCurrent ? long : undefined, longCacheWrites);
}

/**
 * Cache writes by their age. Where it is not known, they count as the dearer ones if any of those
 * were asked for.
 */
export function cacheWritesOf(
  written: number,
  long: number | undefined,
  longCacheWrites: boolean,
): CacheWrites {
  const cacheWrite1h = long ?? (longCacheWrites ? written : 0);
  return { cacheWrite5m: written - cacheWrite1h, cacheWrite1h };
}

/** Compaction runs the model more often than the totals say; an answer by a fallback is in them. */
function executorTokens(raw: JsonObject): { readonly input: number; readonly output: number } {
  const iterations = listAt(raw, 'iterations').map((item) => asObject(item) ?? {});
  const types = iterations.map(({ type }) => type);
  const own = iterations.filter(({ type }) => type === 'message' || type === 'compaction');
  // An advisor is another model, at a price nobody told us: no usage, so the hold is charged.
  if (types.includes('advisor_message')) return { input: Number.NaN, output: Number.NaN };
  const summed = types.includes('fallback_message') || own.length === 0 ? [raw] : own;
  return { input: sum(summed, 'input_tokens'), output: sum(summed, 'output_tokens') };
}

function sum(items: readonly JsonObject[], key: string): number {
  return items.reduce((total, item) => total + (numberAt(item, key) ?? Number.NaN), 0);
}
