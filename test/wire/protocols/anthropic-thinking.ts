import { type JsonObject, numberAt, objectAt, textAt } from '../json-object.ts';
import type { Refusal } from './protocol.ts';

const LOWEST_BUDGET_TOKENS = 1024;

export interface AnthropicThinking {
  readonly enabled: boolean;
  /** Whether the client gets to read it. */
  readonly visible: boolean;
}

export function anthropicThinking(body: JsonObject): AnthropicThinking {
  const thinking = objectAt(body, 'thinking');
  const type = textAt(thinking, 'type');
  return {
    enabled: type === 'enabled' || type === 'adaptive',
    visible: textAt(thinking, 'display') !== 'omitted',
  };
}

/** Anthropic does not accept every output limit, nor every thinking budget below it. */
export function anthropicLimitRefusal(body: JsonObject): Refusal | null {
  const limit = numberAt(body, 'max_tokens');
  if (limit === undefined) return refusal('max_tokens: Field required');
  if (limit < 1) return refusal('max_tokens: Input should be greater than or equal to 1');
  const thinking = objectAt(body, 'thinking');
  if (textAt(thinking, 'type') !== 'enabled') return null;
  const budget = numberAt(thinking, 'budget_tokens');
  if (budget === undefined) return refusal('thinking.enabled.budget_tokens: Field required');
  if (budget < LOWEST_BUDGET_TOKENS) {
    return refusal(
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${LOWEST_BUDGET_TOKENS}`,
    );
  }
  if (budget < limit) return null;
  return refusal(
    '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size',
  );
}

function refusal(message: string): Refusal {
  return { status: 400, message };
}
