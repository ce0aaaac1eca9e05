import { asObject, type JsonObject, numberAt, objectAt, textAt } from '@hardcap/core/adapter';
import { type CallOptions, type ChatModel, derived } from './chat-model.ts';

// The highest of the budgets that models of 2.5 take for their least.
const LEAST_THINKING_TOKENS = 512;

/**
 * What a model says it sends beside the messages, with what Google's packages do not say: one keeps its
 * model, what it has cached and, in LangChain 0.3, all settings in a client of its own; the other has the
 * tier of service in a header for Vertex.
 */
export function sentParams(model: ChatModel, options: CallOptions): JsonObject {
  const params = asObject(model.invocationParams?.(options)) ?? {};
  if (isChatGoogle(model)) {
    const serviceTier = options['serviceTier'] ?? objectAt(model, 'params')?.['serviceTier'];
    return { ...params, serviceTier };
  }
  const generationConfig = configOf(model);
  if (generationConfig === undefined) return params;
  const client = objectAt(model, 'client');
  const name = textAt(client, 'model')?.replace(/^models\//, '');
  return {
    generationConfig: { maxOutputTokens: undefined, ...generationConfig },
    ...params,
    ...(name === undefined ? {} : { model: name }),
    cachedContent: client?.['cachedContent'],
  };
}

/** The members with which a model of Google's packages sends no more than so many tokens. */
export function loweredSettings(model: object, tokens: number): JsonObject {
  const own: Record<string, unknown> = {};
  const { client, params, thinkingConfig } = model as JsonObject;
  const config = configOf(model);
  if (config !== undefined) {
    const generationConfig = {
      ...config,
      maxOutputTokens: least(config, 'maxOutputTokens', tokens),
    };
    own['client'] = derived(client as object, { generationConfig });
  }
  const thinking = asObject(thinkingConfig);
  const budget = numberAt(thinking, 'thinkingBudget') ?? 0;
  if (budget > 0) {
    own['thinkingConfig'] = { ...thinking, thinkingBudget: loweredBudget(budget, tokens) };
  }
  const settings = asObject(params);
  if (settings !== undefined && isChatGoogle(model)) {
    const thinks =
      numberAt(settings, 'maxReasoningTokens') ?? numberAt(settings, 'thinkingBudget') ?? 0;
    own['params'] = {
      ...settings,
      maxOutputTokens: least(settings, 'maxOutputTokens', tokens),
      ...(thinks > 0 ? { maxReasoningTokens: loweredBudget(thinks, tokens) } : {}),
    };
  }
  return own;
}

/** The least of a thinking budget that is sent; Gemini thinks within its output. Undefined: none is. */
export function leastGoogleThinking(params: JsonObject): number | undefined {
  const config = objectAt(objectAt(params, 'generationConfig'), 'thinkingConfig');
  const budget = numberAt(config, 'thinkingBudget') ?? 0;
  return budget > 0 ? Math.min(budget, LEAST_THINKING_TOKENS) : undefined;
}

/** Leaves half of a limit for something to be said, and what the model takes for its least. */
function loweredBudget(budget: number, tokens: number): number {
  return Math.min(budget, Math.max(LEAST_THINKING_TOKENS, Math.floor(tokens / 2)));
}

function configOf(model: object): JsonObject | undefined {
  return objectAt(model, 'client', 'generationConfig');
}

function least(settings: JsonObject, field: string, tokens: number): number {
  return Math.min(tokens, numberAt(settings, field) ?? tokens);
}

/** It keeps all of its settings in `params`. */
function isChatGoogle(model: object): boolean {
  return (model as Partial<ChatModel>)._llmType?.() === 'google';
}
