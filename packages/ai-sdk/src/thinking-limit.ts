import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';
import {
  derivesThinking,
  LEAST_THINKING_TOKENS,
  type ThinkingFamily,
  takesThinkingBudgets,
  thinkingBudget,
  withThinking,
} from './thinking-budget.ts';
import type { OutputLimit } from './wire-limits.ts';

/** The limit of a package that adds a thinking budget to `maxOutputTokens`. */
export function thinkingLimit(
  call: ModelCall,
  model: ModelId,
  family: ThinkingFamily,
  minOutputTokens: number,
): OutputLimit {
  const { maxOutputTokens } = call;
  const isClaude = family === 'anthropic' || !OTHER_MAKERS.test(model.modelId);
  const thinking = isClaude ? thinkingBudget(call, model, family) : undefined;
  const isDerived = isClaude && thinking === undefined && derivesThinking(call, model, family);
  const least = Math.max(1, Math.min(minOutputTokens, maxOutputTokens ?? minOutputTokens));
  const visible = (tokens: number): number => Math.min(maxOutputTokens ?? tokens, tokens);
  const limited = (tokens: number): ModelCall => ({ ...call, maxOutputTokens: visible(tokens) });
  if (thinking === undefined && !isDerived) {
    const isIgnored = family === 'bedrock' && ignoresLimit(call, model);
    return {
      tokens: isIgnored ? undefined : maxOutputTokens,
      leastTokens: isIgnored ? undefined : least,
      lowered: limited,
    };
  }
  if (isDerived && !takesThinkingBudgets(model)) {
    return {
      tokens: undefined,
      leastTokens: least,
      lowered: (tokens) => withThinking(limited(tokens), family, { type: 'adaptive' }),
    };
  }
  return {
    tokens: isDerived ? undefined : sentWithThinking(maxOutputTokens, thinking?.tokens, family),
    leastTokens: least + LEAST_THINKING_TOKENS,
    lowered: (tokens) => {
      const asked = thinking?.tokens ?? Math.floor(tokens / 2);
      const budgetTokens = Math.max(LEAST_THINKING_TOKENS, Math.min(asked, tokens - least));
      const rest = limited(tokens - budgetTokens);
      const setting = { type: 'enabled', budgetTokens };
      return thinking?.set(rest, budgetTokens) ?? withThinking(rest, family, setting);
    },
  };
}

// On Bedrock; an ARN does not say whose model it is, so it is taken for one that thinks on top.
const OTHER_MAKERS =
  /(?:ai21|amazon|cohere|deepseek|meta|minimax|mistral|moonshotai|openai|qwen|writer)\./;

// What Bedrock's package sends for the visible part where the call says nothing.
const BEDROCK_DEFAULT_TOKENS = 4_096;

function sentWithThinking(
  maxOutputTokens: number | undefined,
  budget = 0,
  family: ThinkingFamily,
): number | undefined {
  if (maxOutputTokens !== undefined) return maxOutputTokens + budget;
  return family === 'bedrock' ? BEDROCK_DEFAULT_TOKENS + budget : undefined;
}

/** Nova models that think hard are sent without an output limit. */
function ignoresLimit(call: ModelCall, { modelId }: ModelId): boolean {
  if (!/nova/.test(modelId)) return false;
  const { bedrock, amazonBedrock } = call.providerOptions ?? {};
  const settings = JSON.stringify([call.reasoning, bedrock, amazonBedrock]);
  return /"(?:high|xhigh|max)"/.test(settings);
}
