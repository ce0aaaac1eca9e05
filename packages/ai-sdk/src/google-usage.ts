import type { TokenUsage } from '@hardcap/core';
import { asObject, type JsonObject, listAt, numberAt } from '@hardcap/core/adapter';

/**
 * The figures of Gemini's `usageMetadata`. Thoughts are beside the candidates, what tools read is
 * beside the prompt, and cached input is in it.
 */
export function googleUsage(raw: JsonObject, webSearch: number): TokenUsage {
  const count = (key: string): number => numberAt(raw, key) ?? 0;
  const cacheRead = count('cachedContentTokenCount');
  const uncached = count('promptTokenCount') + toolUse(raw) - cacheRead;
  const audioInput = Math.min(
    Math.max(0, audio(raw, 'promptTokensDetails') - audio(raw, 'cacheTokensDetails')),
    // Packages of version 2 leave out how much of the cached input is audio.
    Math.max(0, uncached),
  );
  return {
    input: uncached - audioInput,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count('candidatesTokenCount'),
    reasoning: count('thoughtsTokenCount'),
    ...(audioInput === 0 ? {} : { audioInput }),
    ...(webSearch === 0 ? {} : { fees: { webSearch } }),
  };
}

/** Packages of version 2 leave it out, so that it is in the total alone. */
function toolUse(raw: JsonObject): number {
  const others = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'].map(
    (key) => numberAt(raw, key) ?? 0,
  );
  const inTotal = others.reduce(
    (rest, count) => rest - count,
    numberAt(raw, 'totalTokenCount') ?? 0,
  );
  return numberAt(raw, 'toolUsePromptTokenCount') ?? Math.max(0, inTotal);
}

function audio(raw: JsonObject, key: string): number {
  return listAt(raw, key)
    .map(asObject)
    .filter((detail) => detail?.['modality'] === 'AUDIO')
    .reduce((total, detail) => total + (numberAt(detail, 'tokenCount') ?? 0), 0);
}
