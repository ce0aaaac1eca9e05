import type { JsonObject } from '../json-object.ts';
import type { UsageReport } from '../reply.ts';
import type { TokenCounts } from '../token-counts.ts';

/** The figures as OpenAI nests them: the total includes what was cached, and what was reasoned. */
export interface OpenaiTotals {
  readonly input: number;
  readonly cached: number;
  /** Models that do not bill cache writes do not mention them. */
  readonly cacheWrite: JsonObject;
  readonly output: number;
  readonly reasoning: number;
  readonly total: number;
}

/** What stands under `usage`; undefined where the key is to be missing. */
export function openaiUsage(
  report: UsageReport | undefined,
  counts: TokenCounts,
  shape: (totals: OpenaiTotals) => JsonObject,
): JsonObject | undefined {
  if (report === 'missing') return undefined;
  if (report !== undefined && report !== 'reported') return report;
  const cacheWrite = counts.cacheWrite5m + counts.cacheWrite1h;
  const input = counts.input + counts.cacheRead + cacheWrite;
  const output = counts.output + counts.reasoning;
  return shape({
    input,
    cached: counts.cacheRead,
    cacheWrite: cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite },
    output,
    reasoning: counts.reasoning,
    total: input + output,
  });
}
