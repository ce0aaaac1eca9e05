import type { TokenUsage } from '@hardcap/core';
import {
  anthropicUsage,
  asObject,
  cacheWritesOf,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  textAt,
} from '@hardcap/core/adapter';
import { googleSearches } from './google-searches.ts';
import { googleUsage } from './google-usage.ts';
import type { ModelId } from './middleware.ts';
import { providerFamily } from './provider-family.ts';
import { type UsageTotals, usageTotals } from './usage-totals.ts';

/** What a provider package reported at the end of a call. */
export interface UsageReport {
  readonly usage: unknown;
  readonly providerMetadata: unknown;
  readonly model: ModelId;
  /** Cache writes of an hour were asked for: prices those whose age is not reported. */
  readonly longCacheWrites: boolean;
}

/**
 * The reported usage in disjoint classes; undefined where nothing was reported. What was reported
 * may be no counts (NaN, negative): the guard takes that for unknown.
 */
export function tokenUsage(report: UsageReport): TokenUsage | undefined {
  const { providerMetadata, model, longCacheWrites } = report;
  const usage = asObject(report.usage);
  const raw = asObject(usage?.['raw']);
  if (providerFamily(model) === 'anthropic') {
    const own = [raw, objectAt(providerMetadata, 'anthropic', 'usage')];
    const figures = own.find((object) => object !== undefined && 'input_tokens' in object);
    if (figures !== undefined) return anthropicUsage(figures, longCacheWrites);
  }
  const google = [
    raw,
    ...['google', 'vertex', 'googleVertex'].map((name) =>
      objectAt(providerMetadata, name, 'usageMetadata'),
    ),
  ];
  const figures = google.find((object) => object !== undefined && 'promptTokenCount' in object);
  if (figures !== undefined) return googleUsage(figures, googleSearches(providerMetadata, model));
  const totals = usageTotals(usage);
  return totals === undefined ? undefined : disjoint(totals, raw, report);
}

function disjoint(
  totals: UsageTotals,
  raw: JsonObject | undefined,
  { providerMetadata, model, longCacheWrites }: UsageReport,
): TokenUsage {
  const family = providerFamily(model);
  const { input = Number.NaN, cacheRead = 0, reasoning = 0 } = totals;
  const told = totals.cacheWrite ?? metadataCount(providerMetadata, WRITE_FIELDS);
  const untold = told === undefined ? writtenOf(raw) : 0;
  const written = told ?? untold;
  // Packages of version 2 leave the cache out of Anthropic's input, and in everybody else's.
  const excludesCache = family === 'anthropic' || family === 'bedrock';
  return {
    input:
      totals.fresh === undefined
        ? input - (excludesCache ? 0 : cacheRead + written)
        : totals.fresh - untold,
    cacheRead,
    ...cacheWritesOf(written, longOnes(raw), longCacheWrites),
    output: visibleOutput(totals, family === 'google'),
    reasoning,
  };
}

function visibleOutput(totals: UsageTotals, excludesThoughts: boolean): number {
  const { input = 0, output, visible, reasoning = 0, all } = totals;
  if (output === undefined) return visible ?? Number.NaN;
  if (reasoning === 0) return output;
  const isBeside =
    reasoning > output ||
    (excludesThoughts && visible === undefined) ||
    (all !== undefined && all - input - output === reasoning);
  return isBeside ? output : output - reasoning;
}

/** Where packages of version 2 put what their flat usage has no field for. */
const WRITE_FIELDS = ['cacheCreationInputTokens', 'cacheWriteTokens', 'cacheWriteInputTokens'];

function metadataCount(metadata: unknown, fields: readonly string[]): number | undefined {
  for (const own of Object.values(asObject(metadata) ?? {}).map(asObject)) {
    for (const holder of [own, objectAt(own, 'usage')]) {
      const count = fields
        .map((field) => numberAt(holder, field))
        .find((found) => found !== undefined);
      if (count !== undefined) return count;
    }
  }
  return undefined;
}

/** Of those who speak OpenAI's dialect, whose package leaves them in the raw figures. */
function writtenOf(raw: JsonObject | undefined): number {
  const details = objectAt(raw, 'prompt_tokens_details') ?? objectAt(raw, 'input_tokens_details');
  return numberAt(details, 'cache_write_tokens') ?? 0;
}

/** Bedrock's split of cache writes by their age; undefined where there is none. */
function longOnes(raw: JsonObject | undefined): number | undefined {
  const details = listAt(raw, 'cacheDetails').map(asObject);
  if (details.length === 0) return undefined;
  return details
    .filter((detail) => textAt(detail, 'ttl') === '1h')
    .reduce((total, detail) => total + (numberAt(detail, 'inputTokens') ?? 0), 0);
}
