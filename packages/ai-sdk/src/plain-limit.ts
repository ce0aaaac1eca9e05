import { InvalidArgumentError } from '@hardcap/core';
import { asObject, numberAt } from '@hardcap/core/adapter';
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
  if (limits.length === 0 && choices > 1) {
    throw new InvalidArgumentError(
      `The call asks for ${choices} choices and gives no output limit. Set maxOutputTokens.`,
    );
  }
  const least = /\.responses$/.test(model.provider) ? RESPONSES_LEAST_TOKENS : 1;
  return {
    tokens: limits.length === 0 ? undefined : Math.max(...limits) * choices,
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
const CHOICE_FIELDS = ['n', 'candidateCount', 'candidate_count'] as const;

interface LimitOverride {
  readonly name: string;
  readonly field: string;
  readonly tokens: number;
}

function overridesOf(call: ModelCall, model: ModelId): LimitOverride[] {
  return optionNames(call, model).flatMap((name) => {
    const options = asObject(call.providerOptions?.[name]);
    return LIMIT_FIELDS.flatMap((field) => {
      const tokens = numberAt(options, field);
      return tokens === undefined ? [] : [{ name, field, tokens }];
    });
  });
}

function choicesOf(call: ModelCall, model: ModelId): number {
  const counts = optionNames(call, model).flatMap((name) => {
    const options = asObject(call.providerOptions?.[name]);
    return CHOICE_FIELDS.map((field) => numberAt(options, field) ?? 1);
  });
  return Math.max(1, ...counts);
}
