import { InvalidArgumentError } from '@hardcap/core';
import { asObject, type JsonObject, looseCount } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import { type ModelCall, withProviderOptions } from './model-call.ts';
import { optionNames } from './option-names.ts';
import type { OutputLimit } from './wire-limits.ts';

// OpenAI's Responses API refuses less.
const RESPONSES_LEAST_TOKENS = 16;

/** The limit of a package that sends what it is given: the highest of all that is given. */
export function plainLimit(call: ModelCall, model: ModelId, minOutputTokens: number): OutputLimit {
  const overrides = overridesOf(call, model);
  const choices = choicesOf(call, model);
  const limits = overrides.map(({ tokens }) => tokens);
  if (call.maxOutputTokens !== undefined) limits.push(call.maxOutputTokens);
  const highest = Math.max(0, ...limits);
  const isLimited = limits.length > 0 && Number.isFinite(highest);
  if (!isLimited && choices > 1) {
    throw new InvalidArgumentError(
      `The call asks for ${choices} choices and gives no output limit. Set maxOutputTokens.`,
    );
  }
  const least = /\.responses$/.test(model.provider) ? RESPONSES_LEAST_TOKENS : 1;
  return {
    tokens: isLimited ? highest * choices : undefined,
    leastTokens: Math.max(least, minOutputTokens) * choices,
    lowered: (tokens) => {
      const each = Math.floor(tokens / choices);
      return overrides.reduce<ModelCall>(
        (changed, { name, field, tokens: before }) =>
          withProviderOptions(changed, name, { [field]: Math.min(before, each) }),
        { ...call, maxOutputTokens: Math.min(call.maxOutputTokens ?? each, each) },
      );
    },
  };
}

/** Options that packages put on the wire beside or instead of `maxOutputTokens`. */
const LIMIT_FIELDS = [
  'maxCompletionTokens',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
] as const;
/** What is generated is billed, whether it is given back or not. */
const CHOICE_FIELDS = ['n', 'best_of', 'candidateCount', 'candidate_count'] as const;

interface LimitOverride {
  readonly name: string;
  readonly field: string;
  /** Infinite where the option takes the limit away, as `null` and -1 do. */
  readonly tokens: number;
}

function overridesOf(call: ModelCall, model: ModelId): LimitOverride[] {
  return optionNames(call, model).flatMap((name) => {
    const options = asObject(call.providerOptions?.[name]) ?? {};
    return LIMIT_FIELDS.filter((field) => field in options && !isLeftOut(options, field)).map(
      (field) => {
        const tokens = looseCount(options, field) ?? 0;
        return { name, field, tokens: tokens > 0 ? tokens : Number.POSITIVE_INFINITY };
      },
    );
  });
}

/** A package's own option, unlike a field of the body, is as good as absent where it is undefined. */
function isLeftOut(options: JsonObject, field: string): boolean {
  return field === 'maxCompletionTokens' && options[field] === undefined;
}

function choicesOf(call: ModelCall, model: ModelId): number {
  const counts = optionNames(call, model).flatMap((name) => {
    const options = asObject(call.providerOptions?.[name]);
    return CHOICE_FIELDS.map((field) => looseCount(options, field) ?? 1);
  });
  return Math.max(1, ...counts);
}
