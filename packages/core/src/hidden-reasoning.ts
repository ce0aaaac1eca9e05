import { type ModelTraits, modelTraits } from './model-traits.ts';

/** What {@link hidesReasoning} needs to know of a call. */
export interface ReasoningQuestion {
  readonly provider: string;
  readonly model: string;
  /** Whether the call asks for reasoning or turns it off; absent where it says nothing. */
  readonly reasoning?: boolean | undefined;
}

/**
 * Whether a provider may bill more output than it shows: the model reasons, and nothing or a summary
 * of that streams. It is what `hiddenReasoning` of a call says.
 *
 * Where a provider hides and the name of the model tells nothing, the model is taken for one that
 * reasons. Reasoning that streams as it is billed (DeepSeek, Groq, servers of one's own) is not hidden.
 */
export function hidesReasoning({ provider, model, reasoning }: ReasoningQuestion): boolean {
  // A server that only speaks OpenAI's protocol hides no more than its models do.
  const seller = /compatible/i.test(provider) ? '' : provider;
  const traits = modelTraits(seller, model);
  const { id, family, version } = traits;
  if (family === 'anthropic') return reasoning === true || claudeHides(seller, traits, reasoning);
  if (family === 'other') return otherHides(seller, id, reasoning);
  if (version < FIRST_REASONING[family] && !REASONED_EARLIER.test(id)) return false;
  return !NEVER_REASONS.test(id) && !(reasoning === false && OBEYS_OFF.test(id));
}

/** Versions from which models reason unless their name says otherwise. */
const FIRST_REASONING = { google: 2.05, openai: 5, xai: 0 } as const;

// A name such as `ft:o4-mini:acme:gpt-4-like` has the version of something else.
const REASONED_EARLIER = /\bo[1-9]\b|codex|thinking/;

// `gpt-35` is how Azure writes it; of all chat models, only GPT-5's first does not reason.
const NEVER_REASONS =
  /gpt-35|gpt-5-chat|davinci|babbage|non-reasoning|grok-(?:[12](?!\d)|3(?!-mini)|beta|vision)/;

// Models that take an effort of none, or a budget of 0. Packages leave it out for names that they do
// not know, such as those of deployments, so the name has to begin like this.
const OBEYS_OFF =
  /^(?:.*\/)?(?:gpt-5\.[1-9](?!.*(?:chat|codex|pro))|gpt-6-(?:sol|luna)|gemini-2\.5-flash)/;

/** Claude up to 4 thinks where it is asked to, later ones by themselves, some of them always. */
function claudeHides(
  provider: string,
  { id, version }: ModelTraits,
  reasoning: boolean | undefined,
): boolean {
  if (/:thinking/.test(id)) return true;
  // Models of OpenRouter's package may have settings that no call shows.
  if (/openrouter/i.test(provider) && version >= 3.07) return reasoning !== false;
  if (version < 5 || !/claude/.test(id)) return false;
  return reasoning !== false || version >= 5.05 || /fable|mythos/.test(id);
}

// Names at gateways: a maker that hides, a router that may choose it, research that bills its thoughts.
const HIDING_NAMES = /^(?:openai|google|x-?ai)\/(?!gpt-oss|gemma)|^openrouter\/|deep-research/;

function otherHides(provider: string, id: string, reasoning: boolean | undefined): boolean {
  // Amazon's own models think where they are asked to, and show none of it.
  if (/bedrock/i.test(provider)) return reasoning === true;
  // OpenAI's API shows no reasoning, nor do its packages that of other models.
  return /^(?:openai|azure)\b/i.test(provider) || HIDING_NAMES.test(id);
}
