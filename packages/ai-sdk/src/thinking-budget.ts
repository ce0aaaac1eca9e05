import { type JsonObject, numberAt, objectAt, textAt } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';
import { type ModelCall, providerName, withProviderOptions } from './model-call.ts';
import type { ProviderFamily } from './provider-family.ts';

/** The least that Anthropic accepts, and what its package takes where none is said. */
export const LEAST_THINKING_TOKENS = 1_024;

/** The families whose packages add thinking to the output limit. */
export type ThinkingFamily = Extract<ProviderFamily, 'anthropic' | 'bedrock'>;

/** Where a package looks for a thinking budget, which it sends on top of the output limit. */
interface ThinkingPlace {
  readonly names: readonly string[];
  readonly option: 'thinking' | 'reasoningConfig';
}

export interface ThinkingBudget {
  readonly tokens: number;
  /** The call with another budget, wherever it had one. */
  set(call: ModelCall, tokens: number): ModelCall;
}

/** The tokens of thinking that the call sends on top of its output limit; undefined where none. */
export function thinkingBudget(
  call: ModelCall,
  model: ModelId,
  family: ThinkingFamily,
): ThinkingBudget | undefined {
  const { names, option } = thinkingPlace(model, family);
  const given = names.filter((name) => {
    return textAt(objectAt(call.providerOptions, name, option), 'type') === 'enabled';
  });
  if (given.length === 0) return undefined;
  const budgets = given.map((name) => {
    const tokens = numberAt(objectAt(call.providerOptions, name, option), 'budgetTokens');
    return tokens ?? (option === 'thinking' ? LEAST_THINKING_TOKENS : 0);
  });
  const tokens = Math.max(...budgets);
  if (tokens === 0) return undefined;
  return {
    tokens,
    set: (next, budgetTokens) =>
      given.reduce((changed, name) => {
        const before = objectAt(changed.providerOptions, name, option);
        return withProviderOptions(changed, name, { [option]: { ...before, budgetTokens } });
      }, next),
  };
}

/** The call with a thinking setting in place of one that the package would derive. */
export function withThinking(
  call: ModelCall,
  family: ThinkingFamily,
  thinking: JsonObject,
): ModelCall {
  if (family === 'anthropic') return withProviderOptions(call, 'anthropic', { thinking });
  const name = call.providerOptions?.['amazonBedrock'] === undefined ? 'bedrock' : 'amazonBedrock';
  return withProviderOptions(call, name, { reasoningConfig: thinking });
}

const VERSION = /claude-(?:[a-z]+-)?(\d+)(?:[.-](\d{1,2})(?!\d))?/;

/** Claude from 4.6 on thinks within its output limit instead, as much as it sees fit. */
export function takesThinkingBudgets({ modelId }: ModelId): boolean {
  const [, major, minor = '0'] = VERSION.exec(modelId) ?? [];
  return major !== undefined && Number(major) + Number(minor) / 100 < 4.06;
}

/**
 * Whether `reasoning` in words makes the package derive a budget, which is a share of a maximum
 * that only the package knows.
 */
export function derivesThinking(call: ModelCall, model: ModelId, family: ThinkingFamily): boolean {
  const { reasoning = 'provider-default' } = call;
  if (reasoning === 'provider-default' || reasoning === 'none') return false;
  const { names, option } = thinkingPlace(model, family);
  return names.every((name) => {
    const given = objectAt(call.providerOptions, name, option);
    const type = textAt(given, 'type');
    if (type === undefined) return numberAt(given, 'budgetTokens') === undefined;
    // Bedrock's package fills in what an explicit setting leaves out.
    return family === 'bedrock' && type === 'enabled' && given?.['budgetTokens'] === undefined;
  });
}

function thinkingPlace({ provider }: ModelId, family: ThinkingFamily): ThinkingPlace {
  if (family === 'bedrock') {
    return { names: ['bedrock', 'amazonBedrock'], option: 'reasoningConfig' };
  }
  return { names: [...new Set(['anthropic', providerName(provider)])], option: 'thinking' };
}
