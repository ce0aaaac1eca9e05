import type { TokenUsage } from '@hardcap/core';
import { tokenUsage } from '../src/token-usage.ts';

export const ZERO: TokenUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

export interface Reported {
  readonly provider: string;
  readonly usage: unknown;
  readonly providerMetadata?: unknown;
  readonly longCacheWrites?: boolean;
}

export function usageOf({ provider, usage, providerMetadata, longCacheWrites = false }: Reported) {
  const model = { provider, modelId: 'a-model' };
  return tokenUsage({ usage, providerMetadata, model, longCacheWrites });
}

/** What version 3 and 4 of a package make of a usage: total, uncached, read, written; total, text, reasoning. */
export function nested(
  input: readonly (number | undefined)[],
  output: readonly (number | undefined)[],
  raw?: unknown,
) {
  const [total, noCache, cacheRead, cacheWrite] = input;
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite },
    outputTokens: { total: output[0], text: output[1], reasoning: output[2] },
    raw,
  };
}
