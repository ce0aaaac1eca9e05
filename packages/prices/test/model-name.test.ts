import { describe, expect, test } from 'vitest';
import { quote, quoteWith, refusal, sourceName } from './books.ts';

// What frameworks report, and the entry of the table that it is priced by.
const NAMES: [provider: string, model: string, entry: string][] = [
  ['openai.responses', 'gpt-5.1', 'openai/gpt-5.1'],
  ['openai.chat', 'gpt-5-mini', 'openai/gpt-5-mini'],
  ['openai.completion', 'gpt-3.5-turbo-instruct', 'openai/gpt-3.5-turbo-instruct'],
  ['openai.embedding', 'text-embedding-3-small', 'openai/text-embedding-3-small'],
  ['openai', 'GPT-5.1 ', 'openai/gpt-5.1'],
  ['openai', 'openai/gpt-5.1', 'openai/gpt-5.1'],
  ['openai', 'ft:gpt-4o-mini-2024-07-18:acme::AbC123', 'openai/ft:gpt-4o-mini'],
  ['openai', 'ft:gpt-3.5-turbo-0125:acme:x:id', 'openai/ft:gpt-3.5-turbo-'],
  ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
  ['anthropic.messages', 'claude-opus-5-5', 'anthropic/claude-opus-5-5'],
  ['anthropic', 'claude-3-5-haiku-latest', 'anthropic/claude-3-5-haiku-latest'],
  ['google.generative-ai', 'gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ['google.generative-ai', 'models/gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ['google.vertex.chat', 'gemini-2.5-flash', 'google/gemini-2.5-flash'],
  ['google.vertex.embedding', 'gemini-embedding-001', 'google/gemini-embedding-001'],
  ['vertex.anthropic.messages', 'claude-sonnet-4-5@20250929', 'google/claude-sonnet-4-5'],
  ['googleVertex.anthropic.messages', 'claude-opus-5@default', 'google/claude-opus-5'],
  ['googleVertex.anthropic.messages', 'claude-haiku-4-5@20251001', 'anthropic/claude-haiku-4-5'],
  ['google_genai', 'gemini-3.5-flash', 'google/gemini-3.5-flash'],
  ['google_vertexai', 'gemini-2.0-flash-001', 'google/gemini-2.0-flash'],
  ['vertex_ai', 'vertex_ai/gemini-2.5-pro', 'google/gemini-2.5-pro'],
  [
    'google.vertex.chat',
    'projects/p/locations/us-central1/publishers/google/models/gemini-2.5-pro',
    'google/gemini-2.5-pro',
  ],
  ['amazon-bedrock', 'us.amazon.nova-lite-v1:0', 'aws/amazon.nova-lite-v1:0'],
  ['amazon-bedrock', 'amazon.titan-text-express-v1', 'aws/amazon.titan-text-express-v1'],
  ['amazon_bedrock', 'meta.llama3-1-70b-instruct-v1:0', 'aws/meta.llama3-1-70b-instruct-v1:0'],
  [
    'amazon_bedrock',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
  [
    'bedrock.anthropic.messages',
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'aws/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
  [
    'amazon-bedrock',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'aws/regional.anthropic.claude-3-5-sonnet-20241022-v2:0',
  ],
  [
    'amazon-bedrock',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-6-v1',
    'aws/regional.anthropic.claude-opus-4-6-v1:0',
  ],
  ['bedrock-mantle.responses', 'openai.gpt-5.5', 'aws/openai.gpt-5.5'],
  ['azure.responses', 'gpt-5.1', 'openai/gpt-5.1'],
  ['azure.chat', 'o4-mini', 'azure/o4-mini'],
  ['azure', 'o4-mini-deep-research', 'openai/o4-mini-deep-research'],
  ['groq.chat', 'openai/gpt-oss-120b', 'groq/openai/gpt-oss-120b'],
  ['mistral.chat', 'mistral-large-2512', 'mistral/mistral-large-2512'],
  ['mistralai', 'magistral-medium-2509', 'mistral/magistral-medium'],
  ['deepseek.chat', 'deepseek-v4-pro', 'deepseek/deepseek-v4-pro'],
  ['openai', 'deepseek-v4-pro', 'deepseek/deepseek-v4-pro'],
  ['xai.chat', 'grok-4', 'x-ai/grok-4-0709'],
  ['xai.responses', 'grok-4.5', 'x-ai/grok-4.5'],
  ['xai', 'grok-4-latest', 'x-ai/grok-4-0709'],
  ['gateway', 'openai/gpt-5.1', 'openai/gpt-5.1'],
  ['gateway', 'anthropic/claude-sonnet-4.5', 'anthropic/claude-sonnet-4-5'],
  ['gateway', 'anthropic/claude-fable-5.1', 'anthropic/claude-fable-5-1'],
  ['gateway', 'claude-opus-4-8', 'anthropic/claude-opus-4-8'],
  ['gateway', 'google/gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ['gateway', 'xai/grok-4.5', 'x-ai/grok-4.5'],
  ['litellm.chat', 'bedrock/us.amazon.nova-lite-v1:0', 'aws/amazon.nova-lite-v1:0'],
  ['openrouter', 'anthropic/claude-sonnet-4.5', 'openrouter/anthropic/claude-sonnet-4.5'],
  [
    'togetherai.chat',
    'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    'together/meta-llama/Llama-3.3-70B-Instruct-Turbo',
  ],
  ['fireworks.chat', 'accounts/fireworks/models/deepseek-v4-pro', 'fireworks/deepseek-v4-pro'],
  ['openai', 'accounts/fireworks/models/deepseek-v4-pro', 'fireworks/deepseek-v4-pro'],
  ['cohere.chat', 'command-a-03-2025', 'cohere/command-a'],
  ['perplexity', 'sonar-deep-research', 'perplexity/sonar-deep-research'],
  ['cerebras.chat', 'zai-glm-4.7', 'cerebras/zai-glm-4.7'],
  ['voyage.embedding', 'voyage-3.5', 'voyageai/voyage-3.5'],
];

test.each(NAMES)('case C-52: %s %s is priced as %s', (provider, model, entry) => {
  expect(sourceName(quote(provider, model).snapshot)).toBe(entry);
});

describe('names that stand for something else are not looked up by their looks', () => {
  test.each([
    ['openai.internal.chat', 'gpt-5.1', 'genai-prices does not know this provider'],
    ['my-openai-proxy', 'gpt-5.1', 'genai-prices does not know this provider'],
    ['', 'gpt-5.1', 'genai-prices does not know this provider'],
    ['groq.chat', 'gpt-5.1', 'genai-prices 0.1.8 has no such model'],
    ['azure.chat', 'my-deployment', 'genai-prices 0.1.8 has no such model'],
    ['gateway', 'deepseek/deepseek-v3.2', 'a gateway sends it to hosts with prices of their own'],
    ['gateway', 'gpt-5.1', 'a gateway sends it to hosts with prices of their own'],
    ['openrouter', 'openrouter/auto', 'genai-prices 0.1.8 has no such model'],
    [
      'amazon-bedrock',
      'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2',
      'genai-prices 0.1.8 has no such model',
    ],
  ])('%s %s', (provider, model, reason) => {
    expect(refusal(() => quote(provider, model))).toBe(reason);
  });
});

test('options take the names that frameworks use, or the plain ones', () => {
  const price = { input: '1', output: '2' };
  for (const written of ['azure/prod', 'azure.responses/prod', 'azure_openai/Prod']) {
    const { snapshot } = quoteWith({ overrides: { [written]: price } }, 'azure.chat/prod');
    expect(snapshot).toMatchObject({ source: 'override', provider: 'azure', model: 'prod' });
  }
});

test('a price for the gateway is not one for the maker', () => {
  const overrides = { 'gateway/openai/gpt-5.1': { input: '9', output: '9' } };
  expect(quoteWith({ overrides }, 'gateway/openai/gpt-5.1').snapshot.source).toBe('override');
  expect(quoteWith({ overrides }, 'openai/gpt-5.1').snapshot.source).toBe('genai-prices');
});
