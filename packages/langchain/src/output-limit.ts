import { InvalidArgumentError } from '@hardcap/core';
import { asObject, type JsonObject, numberAt, objectAt } from '@hardcap/core/adapter';
import { type CallOptions, type ChatModel, delegatesOf, derived } from './chat-model.ts';
import { leastGoogleThinking, loweredSettings, sentParams } from './google-settings.ts';

/** What bounds the output of a call on the wire, thinking and all choices included. */
export interface OutputLimit {
  /**
   * What is sent, or else the most that the model says it can write. Undefined: only the price book
   * may know.
   */
  readonly tokens: number | undefined;
  readonly choices: number;
}

const LIMIT_FIELDS = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens'],
  ...['maxTokens', 'maxOutputTokens', 'maxCompletionTokens', 'num_predict', 'numPredict'],
] as const;
/** Those that models have as members; with some, only once they are given a value. */
const MODEL_FIELDS = ['maxTokens', 'maxOutputTokens', 'numPredict'] as const;
const CHOICE_FIELDS = ['n', 'candidateCount', 'candidate_count'] as const;

/** Where providers keep settings within the request. */
const NESTED = ['generationConfig', 'inferenceConfig', 'options'] as const;

/**
 * Reads the output limit that a call has on the wire from what the model says it sends.
 *
 * @throws InvalidArgumentError for several choices without a limit, which nothing bounds.
 */
export function outputLimit(params: JsonObject, model: unknown): OutputLimit {
  const choices = Math.max(1, ...figures(params, CHOICE_FIELDS));
  const most = numberAt(objectAt(asObject(model)?.['profile']), 'maxOutputTokens');
  const limit = sentLimit(params, model) ?? most;
  if (limit !== undefined && limit > 0) return { tokens: limit * choices, choices };
  if (choices === 1) return { tokens: undefined, choices };
  throw new InvalidArgumentError(
    `The call asks for ${choices} choices and gives no output limit. Set maxTokens of the model.`,
  );
}

/** Counts only: -1 and null are ways to say that there is no limit. */
function figures(place: JsonObject, fields: readonly string[]): number[] {
  const places = [place, ...NESTED.map((key) => objectAt(place, key))];
  return places
    .flatMap((each) => fields.map((field) => numberAt(each, field) ?? 0))
    .filter((figure) => figure > 0);
}

/** Anthropic refuses a smaller thinking budget, and one that leaves nothing to say. */
const LEAST_THINKING_TOKENS = 1_024;

/** The least that lowering may leave, given what should remain to be said. */
export function leastTokens(
  params: JsonObject,
  { tokens, choices }: OutputLimit,
  minOutputTokens: number,
): number {
  const each = Math.floor((tokens ?? Number.MAX_SAFE_INTEGER) / choices);
  const least = 'max_output_tokens' in params ? RESPONSES_LEAST_TOKENS : 1;
  const visible = Math.max(least, Math.min(minOutputTokens, each)) * choices;
  if (thinkingTokens(params) !== undefined) return visible + LEAST_THINKING_TOKENS;
  return visible + (leastGoogleThinking(params) ?? 0);
}

// OpenAI's Responses API refuses less.
const RESPONSES_LEAST_TOKENS = 16;

function thinkingTokens(params: JsonObject): number | undefined {
  return numberAt(objectAt(params, 'thinking'), 'budget_tokens');
}

/** The output limit of one choice that is sent; undefined where none is. */
export function sentLimit(params: JsonObject, model: unknown): number | undefined {
  // Some models keep their limit to themselves.
  const sent = figures(params, LIMIT_FIELDS);
  const limits = sent.length > 0 ? sent : figures(asObject(model) ?? {}, LIMIT_FIELDS);
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/** Whether what a model sends obeys when its output limit is lowered here. */
export function canLower(model: ChatModel, options: CallOptions, tokens: number): boolean {
  const lowered = withLowerLimit(model, tokens);
  try {
    const limits = figures(sentParams(lowered, options), LIMIT_FIELDS);
    return limits.length > 0 && Math.max(...limits) <= tokens;
  } catch {
    // It has private members, or does not take so low a limit.
    return false;
  }
}

/**
 * The model with an output limit of no more than so many tokens for each choice. Options of a call do
 * not reach the wire, so this is a model of its own, which shares everything else with the given one.
 */
export function withLowerLimit<Model extends object>(model: Model, tokens: number): Model {
  const given = model as JsonObject;
  const own: Record<string, unknown> = { ...loweredSettings(model, tokens) };
  for (const field of MODEL_FIELDS) {
    if (field in given) own[field] = Math.min(tokens, figures(given, [field])[0] ?? tokens);
  }
  // Settings that are sent as they are, over the model's own.
  for (const bag of ['modelKwargs', 'invocationKwargs']) {
    const settings = asObject(given[bag]);
    const limits = LIMIT_FIELDS.filter((field) => numberAt(settings, field) !== undefined);
    if (limits.length === 0) continue;
    own[bag] = { ...settings, ...Object.fromEntries(limits.map((field) => [field, tokens])) };
  }
  const thinking = objectAt(given, 'thinking');
  const budget = numberAt(thinking, 'budget_tokens');
  if (budget !== undefined) {
    const most = Math.max(LEAST_THINKING_TOKENS, Math.floor(tokens / 2));
    own['thinking'] = { ...thinking, budget_tokens: Math.min(budget, most) };
  }
  for (const [name, delegate] of delegatesOf(model)) own[name] = withLowerLimit(delegate, tokens);
  return derived(model, own);
}
