import type { TokenUsage } from '@hardcap/core';
import { asObject, type JsonObject, listAt, numberAt } from '@hardcap/core/adapter';

/** The figures of Gemini's `usageMetadata`. Thoughts are beside the candidates, cached input is in the prompt. */
export function googleUsage(raw: JsonObject): TokenUsage {
  const count = (key: string): number => numberAt(raw, key) ?? 0;
  const cacheRead = count('cachedContentTokenCount');
  const audioInput = Math.max(
    0,
    audio(raw, 'promptTokensDetails') - audio(raw, 'cacheTokensDetails'),
  );
  return {
    input: count('promptTokenCount') + count('toolUsePromptTokenCount') - cacheRead - audioInput,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count('candidatesTokenCount'),
    reasoning: count('thoughtsTokenCount'),
    ...(audioInput === 0 ? {} : { audioInput }),
  };
}

function audio(raw: JsonObject, key: string): number {
  return listAt(raw, key)
    .map(asObject)
    .filter((detail) => detail?.['modality'] === 'AUDIO')
    .reduce((total, detail) => total + (numberAt(detail, 'tokenCount') ?? 0), 0);
}
