// Names that the table prices as the model they once stood for, and the model they stand for now.
const MOVED: ReadonlyMap<string, string> = new Map([
  // $0.10/$0.30 in the table; models.dev and ai-sdk-cost-calculator say $0.15/$0.60.
  ['mistral/mistral-small-latest', 'mistral/mistral-small-2603'],
  // The table has the prices of 2025; since April 2026 DeepSeek serves and bills v4-flash.
  ['deepseek/deepseek-chat', 'deepseek/deepseek-v4-flash'],
  ['deepseek/deepseek-reasoner', 'deepseek/deepseek-v4-flash'],
]);

const FROM_OPENROUTER =
  "the table has OpenRouter's cheapest host, which is not this provider's price";
const FIRST_TIER = 'the table has only the price of the shortest inputs';
const PROMOTION = 'the table has a promotion that ended on 2026-09-09';

// Entries that another source contradicts from above, so that a cap would count too little.
const TOO_LOW: readonly (readonly [prefix: string, reason: string])[] = [
  // $0.039/$0.18 for 120b, which Groq and Bedrock sell at $0.15/$0.60. OpenAI does not sell it.
  ['openai/gpt-oss-', FROM_OPENROUTER],
  // phi-4 at $0.07/$0.14; models.dev says $0.125/$0.50.
  ['azure/phi-', FROM_OPENROUTER],
  ['azure/wizardlm-', FROM_OPENROUTER],
  // $1.15/$8; models.dev says $2.40/$10.
  ['moonshotai/kimi-k2-turbo', 'the table has a price that models.dev doubles'],
  // By the table's own comments.
  ['zai/glm-5.3-flash', PROMOTION],
  ['openrouter/z-ai/glm-5.3-flash', PROMOTION],
  ['zhipuai/glm-4.5-air', FIRST_TIER],
  ['zhipuai/glm-4.7', FIRST_TIER],
  ['zhipuai/glm-5', FIRST_TIER],
];

/** The key that a moved name is priced by; undefined for all others. */
export function movedTo(key: string): string | undefined {
  return MOVED.get(key);
}

/** Why the table's price of a model is known to be too low; undefined for all others. */
export function knownTooLow(key: string): string | undefined {
  return TOO_LOW.find(([prefix]) => key.startsWith(prefix))?.[1];
}
