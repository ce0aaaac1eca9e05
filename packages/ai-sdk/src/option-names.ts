import type { ModelId } from './middleware.ts';
import { type ModelCall, providerName } from './model-call.ts';

/** The keys of `providerOptions` that the package of this model reads; a gateway passes on all. */
export function optionNames(call: ModelCall, { provider }: ModelId): string[] {
  const given = Object.keys(call.providerOptions ?? {});
  const own = providerName(provider);
  if (own === 'gateway') return given;
  const camel = own.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  // Azure's package is OpenAI's, and every openai-compatible one also reads the common name.
  const read = new Set([own, camel, 'openai', 'openaiCompatible', 'openai-compatible']);
  return given.filter((name) => read.has(name));
}
