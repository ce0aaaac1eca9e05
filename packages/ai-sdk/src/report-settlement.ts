import type { Settlement, TokenUsage } from '@hardcap/core';
import { reportedCost } from './reported-cost.ts';
import { tokenUsage, type UsageReport } from './token-usage.ts';

/** What a provider said at the end of a call. */
export interface FinalReport extends UsageReport {
  readonly servedModel: string | undefined;
  readonly serviceTier: string | undefined;
  readonly webSearches: number;
}

/**
 * The settlement of what a provider reported; undefined where it reported neither usage nor cost. A
 * cost it states itself beats what the usage comes to.
 */
export function reportSettlement(
  report: FinalReport,
): Extract<Settlement, { outcome: 'known' }> | undefined {
  const { servedModel, serviceTier, webSearches } = report;
  const usage = tokenUsage(report);
  const costNanoUsd = reportedCost(report.usage, report.providerMetadata);
  if (usage === undefined && costNanoUsd === undefined) return undefined;
  return {
    outcome: 'known',
    ...(usage === undefined ? {} : { usage: withSearches(usage, webSearches) }),
    ...(costNanoUsd === undefined ? {} : { costNanoUsd }),
    ...(servedModel === undefined ? {} : { servedModel }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
  };
}

function withSearches(usage: TokenUsage, webSearches: number): TokenUsage {
  return webSearches === 0 ? usage : { ...usage, fees: { ...usage.fees, webSearch: webSearches } };
}
