import { numberAt, objectAt } from '@hardcap/core/adapter';
import { type ModelCall, withProviderOptions } from './model-call.ts';
import type { OutputLimit } from './wire-limits.ts';

// The highest of the budgets that models of 2.5 take for their least.
const LEAST_THINKING_TOKENS = 512;

/** Where packages look for a thinking budget: Google's own, and Vertex by its old and new names. */
const NAMES = ['google', 'vertex', 'googleVertex'] as const;

/**
 * The limit of Gemini, which thinks within its output: where that is lowered, a thinking budget has
 * to leave room for something to be said.
 */
export function googleLimit(
  call: ModelCall,
  minOutputTokens: number,
  plain: OutputLimit,
): OutputLimit {
  const given = NAMES.flatMap((name) => {
    const config = objectAt(call.providerOptions, name, 'thinkingConfig');
    const budget = numberAt(config, 'thinkingBudget') ?? 0;
    // -1 leaves it to the model, and 0 turns it off.
    return config !== undefined && budget > 0 ? [{ name, config, budget }] : [];
  });
  if (given.length === 0 || plain.leastTokens === undefined) return plain;
  const least = Math.max(...given.map(({ budget }) => leastBudget(budget)));
  return {
    tokens: plain.tokens,
    leastTokens: plain.leastTokens + least,
    lowered: (tokens) => {
      const visible = Math.min(minOutputTokens, call.maxOutputTokens ?? minOutputTokens);
      const left = tokens - visible;
      return given.reduce(
        (changed, { name, config, budget }) =>
          withProviderOptions(changed, name, {
            thinkingConfig: {
              ...config,
              thinkingBudget: Math.max(leastBudget(budget), Math.min(budget, left)),
            },
          }),
        plain.lowered(tokens),
      );
    },
  };
}

function leastBudget(budget: number): number {
  return Math.min(budget, LEAST_THINKING_TOKENS);
}
