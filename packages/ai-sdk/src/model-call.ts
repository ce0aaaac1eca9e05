import type { JsonObject } from '@hardcap/core/adapter';

/** The settings of a call that matter here; they have the same names in `ai` 5, 6 and 7. */
export interface ModelCall {
  readonly prompt?: readonly unknown[];
  readonly maxOutputTokens?: number | undefined;
  /** Since version 7: how much to think, in words. */
  readonly reasoning?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly responseFormat?: unknown;
  readonly providerOptions?: JsonObject | undefined;
  readonly includeRawChunks?: boolean | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The name under which a provider looks for its options: `openai` of `openai.responses`. */
export function providerName(provider: string): string {
  return provider.split('.', 1)[0] as string;
}

/** The call with some options of one provider replaced. */
export function withProviderOptions(call: ModelCall, name: string, options: JsonObject): ModelCall {
  const all = call.providerOptions ?? {};
  const own = all[name] as JsonObject | undefined;
  return { ...call, providerOptions: { ...all, [name]: { ...own, ...options } } };
}
