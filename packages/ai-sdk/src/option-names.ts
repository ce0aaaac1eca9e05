import type { ModelId } from './middleware.ts';
import { type ModelCall, providerName } from './model-call.ts';
import { type ProviderFamily, providerFamily } from './provider-family.ts';

// Azure's package is OpenAI's, and every openai-compatible one also reads the common name.
const COMMON = ['openai', 'openaiCompatible', 'openai-compatible'];

/** The keys that packages read under any name of theirs. */
const SHARED: Readonly<Record<ProviderFamily, readonly string[]>> = {
  anthropic: ['anthropic'],
  bedrock: ['bedrock', 'amazonBedrock'],
  google: ['google', 'vertex', 'googleVertex'],
  openai: COMMON,
  plain: COMMON,
};

/** How OpenAI's package ends the names that it is given, and Vertex's that of Gemini, too. */
const OPENAI_SHAPED = /^(?!google\.?vertex).*\.(?:chat|responses|completion)$/i;

/**
 * The keys of `providerOptions` that the package of this model reads; a gateway passes on all. What a
 * call says to other providers, in case they are asked, is nothing to this one.
 */
export function optionNames(call: ModelCall, model: ModelId): string[] {
  const { provider } = model;
  const given = Object.keys(call.providerOptions ?? {});
  const own = providerName(provider);
  if (own === 'gateway') return given;
  const camel = own.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const common = OPENAI_SHAPED.test(provider) ? COMMON : [];
  const read = new Set([own, camel, ...SHARED[providerFamily(model)], ...common]);
  return given.filter((name) => read.has(name));
}
