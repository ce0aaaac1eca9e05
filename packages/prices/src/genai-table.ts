import { findProvider, type Provider } from '@pydantic/genai-prices';

/** The name of the table in price snapshots. */
export const GENAI_SOURCE = 'genai-prices';

/** Version of `@pydantic/genai-prices`, which this package depends on exactly. */
export const GENAI_VERSION = '0.1.8';

/** When that version was published, in ms since the epoch. */
export const GENAI_AS_OF: number = Date.UTC(2026, 8, 23);

const HUGGING_FACE_HOSTS =
  'cerebras fireworks-ai groq hyperbolic nebius novita nscale ovhcloud publicai sambanova together';

// genai-prices finds a provider by id, and has no list of them.
const PROVIDER_IDS = [
  ...['anthropic', 'arcee', 'avian', 'aws', 'azure', 'baseten', 'cerebras', 'cloudflare', 'cohere'],
  ...['cursor', 'deepseek', 'doubleword', 'fireworks', 'github-copilot', 'google', 'groq'],
  ...HUGGING_FACE_HOSTS.split(' ').map((host) => `huggingface_${host}`),
  ...['minimax', 'mistral', 'modal', 'moonshotai', 'novita', 'openai', 'openrouter', 'ovhcloud'],
  ...['perplexity', 'quicksilverpro', 'together', 'typesafe', 'voyageai', 'x-ai', 'zai', 'zhipuai'],
];

// Read once: whoever calls genai's `updatePrices` later replaces its table by a file from the
// network, and such a file must not be able to lower the price that a cap counts with.
const PROVIDERS: ReadonlyMap<string, Provider> = new Map(
  PROVIDER_IDS.map((id) => [id, findProvider({ providerId: id })] as const).filter(isFound),
);

// genai also answers with a provider whose name merely contains the id that was asked for.
function isFound(
  entry: readonly [id: string, found: Provider | undefined],
): entry is readonly [string, Provider] {
  return entry[1]?.id === entry[0];
}

/** The provider with exactly this id in the table that `@pydantic/genai-prices` ships. */
export function genaiProvider(id: string): Provider | undefined {
  return PROVIDERS.get(id);
}
