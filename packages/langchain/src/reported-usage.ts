import type { Settlement, TokenUsage } from '@hardcap/core';
import {
  anthropicUsage,
  type CacheWrites,
  cacheWritesOf,
  type JsonObject,
  numberAt,
  objectAt,
} from '@hardcap/core/adapter';

/** What a message says about its usage. */
export interface UsageReport {
  /** `usage_metadata` of the message. */
  readonly metadata: JsonObject | undefined;
  /** Anthropic's own figures: those of a whole answer, or of `message_start`, perhaps without the totals. */
  readonly anthropic?: JsonObject | undefined;
  /** `input_tokens` of the metadata leaves out what was cached, as older Anthropic packages have it. */
  readonly excludesCache?: boolean;
  /** Of Gemini, and whether the framework has made it by adding up what the chunks of a stream told. */
  readonly gemini?: 'whole' | 'summed' | undefined;
  /** Cache writes of an hour were asked for: prices those whose age is not reported. */
  readonly longCacheWrites: boolean;
  readonly webSearches?: number;
}

/**
 * The reported usage in disjoint classes; undefined where nothing was reported. What was reported may
 * be no counts (NaN, negative): the guard takes that for unknown.
 *
 * Packages make 0/0/0 of usage that is missing, so no call is believed to have cost nothing.
 */
export function reportedUsage(report: UsageReport): TokenUsage | undefined {
  const { metadata, anthropic } = report;
  const usage =
    numberAt(anthropic, 'input_tokens') === undefined
      ? metadata === undefined
        ? undefined
        : fromMetadata(metadata, report)
      : anthropicUsage(anthropic as JsonObject, report.longCacheWrites);
  if (usage === undefined || isNothing(usage)) return undefined;
  const searches = Math.max(report.webSearches ?? 0, usage.fees?.['webSearch'] ?? 0);
  return searches === 0 ? usage : { ...usage, fees: { webSearch: searches } };
}

function fromMetadata(metadata: JsonObject, report: UsageReport): TokenUsage | undefined {
  const input = numberAt(metadata, 'input_tokens');
  const stated = numberAt(metadata, 'output_tokens');
  const total = numberAt(metadata, 'total_tokens');
  if (input === undefined && stated === undefined) return undefined;
  const inputDetails = objectAt(metadata, 'input_token_details');
  const outputDetails = objectAt(metadata, 'output_token_details');
  const beside = report.excludesCache === true;
  const read = repeatsCacheReads(metadata, report) ? 0 : countAt(inputDetails, 'cache_read');
  const written = countAt(inputDetails, 'cache_creation');
  const toolUse = geminiToolUse(metadata, report);
  const all = (input ?? Number.NaN) + toolUse + (beside ? read + written : 0);
  // Some packages add up what is cumulative: no part is larger than the whole.
  const cacheRead = Math.min(read, all);
  const cacheWrite = Math.min(written, all - cacheRead);
  const audioInput = Math.min(countAt(inputDetails, 'audio'), all - cacheRead - cacheWrite);
  // Thoughts of Gemini may be in the total alone.
  const output = Math.max(
    stated ?? Number.NEGATIVE_INFINITY,
    total === undefined || beside
      ? Number.NEGATIVE_INFINITY
      : total - toolUse - (input ?? Number.NaN),
  );
  const reasoning = Math.min(countAt(outputDetails, 'reasoning'), output);
  const audioOutput = Math.min(countAt(outputDetails, 'audio'), output - reasoning);
  return {
    input: all - cacheRead - cacheWrite - audioInput,
    cacheRead,
    ...cacheWrites(cacheWrite, objectAt(report.anthropic, 'cache_creation'), report),
    output: output - reasoning - audioOutput,
    reasoning,
    ...(audioInput === 0 ? {} : { audioInput }),
    ...(audioOutput === 0 ? {} : { audioOutput }),
  };
}

/**
 * What tools have read is in Gemini's total alone. There are thoughts, too, where a package does not
 * tell them: then all of it counts as output.
 */
function geminiToolUse(metadata: JsonObject, { gemini }: UsageReport): number {
  if (gemini === undefined || !tellsThoughts(metadata)) return 0;
  const [total = 0, input = 0, output = 0] = ['total_tokens', 'input_tokens', 'output_tokens'].map(
    (key) => numberAt(metadata, key),
  );
  return Math.max(0, total - input - output);
}

/** The same package puts all cached input into every chunk: so often added up, it is no figure. */
function repeatsCacheReads(metadata: JsonObject, { gemini }: UsageReport): boolean {
  return gemini === 'summed' && !tellsThoughts(metadata);
}

function tellsThoughts(metadata: JsonObject): boolean {
  return numberAt(objectAt(metadata, 'output_token_details'), 'reasoning') !== undefined;
}

function cacheWrites(
  written: number,
  split: JsonObject | undefined,
  { longCacheWrites }: UsageReport,
): CacheWrites {
  const long = countAt(split, 'ephemeral_1h_input_tokens');
  const isCurrent =
    split !== undefined && long + countAt(split, 'ephemeral_5m_input_tokens') === written;
  return cacheWritesOf(written, isCurrent ? long : undefined, longCacheWrites);
}

/** A part that is not reported is none. */
function countAt(object: JsonObject | undefined, key: string): number {
  return numberAt(object, key) ?? 0;
}

function isNothing(usage: TokenUsage): boolean {
  return Object.values(usage).every((count) => count === 0);
}

/** Who has answered, as far as that was told. */
export interface Served {
  readonly servedModel: string | undefined;
  readonly serviceTier: string | undefined;
}

/** What a call settles with that reported its usage; undefined where it did not. */
export function reportSettlement(
  report: UsageReport,
  { servedModel, serviceTier }: Served,
): Extract<Settlement, { outcome: 'known' }> | undefined {
  const usage = reportedUsage(report);
  if (usage === undefined) return undefined;
  return {
    outcome: 'known',
    usage,
    ...(servedModel === undefined ? {} : { servedModel }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
  };
}
