// What the AI SDK, LangChain, LiteLLM and AI gateways call a provider, by its name in the price table.
const NAMES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['anthropic'],
  aws: ['amazon-bedrock', 'amazon_bedrock', 'bedrock', 'bedrock.anthropic', 'bedrock-mantle'],
  azure: ['azure', 'azure-openai', 'azure_openai', 'azure_ai', 'azure.deepseek'],
  cloudflare: ['workersai', 'workers-ai'],
  deepseek: ['deepseek'],
  fireworks: ['fireworks', 'fireworks-ai', 'fireworks_ai'],
  'github-copilot': ['copilot', 'github_copilot'],
  google: [
    ...['google.generative-ai', 'google_genai', 'google-genai', 'gemini'],
    ...['google.vertex', 'google-vertex', 'google_vertexai', 'googlevertex'],
    ...['vertex', 'vertexai', 'vertex_ai', 'vertex.maas'],
    ...['vertex.anthropic', 'googlevertex.anthropic', 'google-vertex-anthropic'],
  ],
  mistral: ['mistral', 'mistralai'],
  moonshotai: ['moonshot'],
  openai: ['openai'],
  together: ['togetherai', 'together-ai', 'together_ai'],
  novita: ['novita-ai'],
  voyageai: ['voyage'],
  'x-ai': ['xai', 'x_ai'],
  zai: ['z-ai'],
  zhipuai: ['zhipu'],
};

const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
);

// The AI SDK appends the kind of model, as in `openai.responses`, also to a name of the user's own.
const KIND = new RegExp(
  `\\.(?:${[
    ...['chat', 'responses', 'completion', 'messages', 'language', 'interactions', 'realtime'],
    ...['embedding', 'embeddings', 'textembedding', 'reranking', 'image', 'video'],
    ...['speech', 'transcription', 'speech-translation'],
  ].join('|')})$`,
);

/** The price table's name of a provider; the given name, in lower case and without its kind, for others. */
export function canonicalProvider(provider: string): string {
  const name = provider.trim().toLowerCase().replace(KIND, '');
  return CANONICAL.get(name) ?? name;
}
