import { InvalidArgumentError } from '@hardcap/core';
import {
  asObject,
  type JsonObject,
  limitOfFallbacks,
  looseCount,
  loweredFallbacks,
  modelsNamedIn,
  numberAt,
  objectAt,
  textAt,
} from '@hardcap/core/adapter';
import { type CallOptions, type ChatModel, derived } from './chat-model.ts';
import { leastGoogleThinking, loweredSettings, sentParams } from './google-settings.ts';
import { bareDelegatesOf } from './model-guard.ts';

/** What bounds the output of a call on the wire, thinking and all choices included. */
export interface OutputLimit {
  /** What is sent. Undefined: only what the model can write. */
  readonly tokens: number | undefined;
  /** The most that the model says it can write, where it matters. */
  readonly modelTokens?: number | undefined;
  readonly choices: number;
}

const LIMIT_FIELDS = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens'],
  ...['maxTokens', 'maxOutputTokens', 'maxCompletionTokens', 'num_predict', 'numPredict'],
] as const;
/** Those that models have as members; with some, only once they are given a value. */
const MODEL_FIELDS = ['maxTokens', 'maxOutputTokens', 'numPredict'] as const;
/** What is generated is billed, whether it is given back or not. */
const CHOICE_FIELDS = ['n', 'best_of', 'candidateCount', 'candidate_count'] as const;

/** Where providers keep settings within the request. */
const NESTED = ['generationConfig', 'inferenceConfig', 'options'] as const;

/**
 * Reads the output limit that a call has on the wire from what the model says it sends.
 *
 * @throws InvalidArgumentError for several choices without a limit, which nothing bounds.
 */
export function outputLimit(params: JsonObject, model: unknown): OutputLimit {
  const choices = choicesOf(params);
  const limit = sentLimit(params, model);
  if (limit !== undefined && Number.isFinite(limit)) return { tokens: limit * choices, choices };
  const modelTokens = modelsOwnLimit(params, model);
  if (choices === 1) return { tokens: undefined, modelTokens, choices };
  if (modelTokens !== undefined) return { tokens: modelTokens * choices, choices };
  throw new InvalidArgumentError(
    `The call asks for ${choices} choices and gives no output limit. Set maxTokens of the model.`,
  );
}

/** How often an answer is generated. */
export function choicesOf(params: JsonObject): number {
  return Math.max(1, ...settingsIn(params, CHOICE_FIELDS).map(({ count }) => count ?? 1));
}

/** The most that the model says it can write; undefined where another one may answer. */
function modelsOwnLimit(params: JsonObject, model: unknown): number | undefined {
  const own = asObject(model);
  const isAlone = modelsNamedIn(params, textAt(own, 'model') ?? '').length === 0;
  const most = isAlone ? numberAt(objectAt(own, 'profile'), 'maxOutputTokens') : undefined;
  return most !== undefined && most > 0 ? most : undefined;
}

interface Setting {
  readonly field: string;
  /** Undefined where it is given, but says no number. */
  readonly count: number | undefined;
}

/** The fields that are given a value, in a request or in what is nested in it. */
function settingsIn(place: JsonObject, fields: readonly string[]): Setting[] {
  const places = [place, ...NESTED.map((key) => objectAt(place, key))];
  return places.flatMap((each) =>
    fields
      .filter((field) => each?.[field] !== undefined)
      .map((field) => ({ field, count: looseCount(each, field) })),
  );
}

/** Infinite where a setting takes the limit away, as `null` and -1 do. */
function limitsIn(place: JsonObject, fields: readonly string[] = LIMIT_FIELDS): number[] {
  return settingsIn(place, fields).map(({ count = 0 }) => (count > 0 ? count : Infinity));
}

/** Anthropic refuses a smaller thinking budget, and one that leaves nothing to say. */
const LEAST_THINKING_TOKENS = 1_024;

/** The least that lowering may leave, given what should remain to be said. */
export function leastTokens(
  params: JsonObject,
  { tokens, modelTokens, choices }: OutputLimit,
  minOutputTokens: number,
): number {
  const each = Math.floor((tokens ?? modelTokens ?? Number.MAX_SAFE_INTEGER) / choices);
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

/** The output limit of one choice that is sent; infinite where it is taken away, undefined where there is none. */
export function sentLimit(params: JsonObject, model: unknown): number | undefined {
  const sent = limitsIn(params);
  // Some models keep their limit to themselves; others say that they send none.
  const limits = sent.length > 0 || saysLimit(params) ? sent : limitsIn(asObject(model) ?? {});
  if (limits.length === 0) return undefined;
  return Math.max(...limits, limitOfFallbacks(params));
}

/** A field of the request that has no value is one that is not sent. */
function saysLimit(params: JsonObject): boolean {
  const places = [params, ...NESTED.map((key) => objectAt(params, key) ?? {})];
  return places.some((place) => LIMIT_FIELDS.some((field) => field in place));
}

/** Whether what a model sends obeys when its output limit is lowered here. */
export function canLower(model: ChatModel, options: CallOptions, tokens: number): boolean {
  const lowered = withLowerLimit(model, tokens);
  try {
    const params = sentParams(lowered, options);
    const limits = limitsIn(params);
    return limits.length > 0 && Math.max(...limits, limitOfFallbacks(params)) <= tokens;
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
    if (field in given) own[field] = Math.min(tokens, ...limitsIn(given, [field]));
  }
  // Settings that are sent as they are, over the model's own.
  for (const name of ['modelKwargs', 'invocationKwargs']) {
    const bag = asObject(given[name]);
    if (bag !== undefined) own[name] = { ...bag, ...loweredBag(bag, tokens) };
  }
  const thinking = objectAt(given, 'thinking');
  if (thinking !== undefined) own['thinking'] = loweredThinking(thinking, tokens);
  for (const [name, delegate] of bareDelegatesOf(model))
    own[name] = withLowerLimit(delegate, tokens);
  return derived(model, own);
}

function loweredBag(bag: JsonObject, tokens: number): JsonObject {
  const own: Record<string, unknown> = {};
  for (const field of LIMIT_FIELDS) {
    if (field in bag) own[field] = Math.min(tokens, ...limitsIn(bag, [field]));
  }
  const thinking = objectAt(bag, 'thinking');
  if (thinking !== undefined) own['thinking'] = loweredThinking(thinking, tokens);
  if (limitOfFallbacks(bag) > 0) own['fallbacks'] = loweredFallbacks(bag, tokens);
  return own;
}

/** Leaves half of a limit for something to be said. */
function loweredThinking(thinking: JsonObject, tokens: number): JsonObject {
  const budget = numberAt(thinking, 'budget_tokens');
  if (budget === undefined) return thinking;
  const most = Math.max(LEAST_THINKING_TOKENS, Math.floor(tokens / 2));
  return { ...thinking, budget_tokens: Math.min(budget, most) };
}
