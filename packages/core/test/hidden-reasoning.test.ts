import { describe, expect, test } from 'vitest';
import { hidesReasoning } from '../src/input-bound.ts';

type Row = readonly [provider: string, model: string];

const REASONS_UNASKED: readonly Row[] = [
  ['openai.responses', 'o3'],
  ['openai.chat', 'o4-mini-2025-04-16'],
  ['openai.chat', 'ft:o4-mini:acme:gpt-4-like:abc'],
  ['openai.responses', 'gpt-5'],
  ['openai.responses', 'gpt-5-mini'],
  ['openai.responses', 'gpt-5.1-chat-latest'],
  ['openai.responses', 'gpt-5.2-codex'],
  ['openai.responses', 'codex-mini-latest'],
  ['openai.responses', 'a-model-of-next-year'],
  ['openai.chat', 'openai/gpt-oss-120b'],
  ['azure.responses', 'our-deployment'],
  ['google.generative-ai', 'gemini-2.5-pro'],
  ['google.generative-ai', 'models/gemini-2.5-flash'],
  ['google.generative-ai', 'gemini-flash-latest'],
  ['google.generative-ai', 'gemini-2.0-flash-thinking-exp'],
  ['google.vertex.chat', 'gemini-3-pro-preview'],
  ['vertex', 'a-model-of-next-year'],
  ['xai.chat', 'grok-3-mini'],
  ['xai.responses', 'grok-4-1-fast-reasoning'],
  ['xai.responses', 'a-model-of-next-year'],
  ['anthropic.messages', 'claude-opus-5'],
  ['anthropic.messages', 'claude-sonnet-5-5'],
  ['vertex.anthropic.messages', 'claude-fable-5-1'],
  ['openrouter', 'openai/gpt-5'],
  ['openrouter', 'openai/a-model-of-next-year'],
  ['openrouter', 'x-ai/a-model-of-next-year'],
  ['openrouter', 'openrouter/auto'],
  ['openrouter', 'anthropic/claude-3.7-sonnet:thinking'],
  ['openrouter', 'anthropic/claude-sonnet-4.5'],
  ['perplexity', 'sonar-deep-research'],
  ['gateway', 'google/gemini-2.5-pro'],
  ['a-proxy.chat', 'gpt-5'],
  ['openai-compatible.chat', 'gpt-5'],
  ['amazon_bedrock', 'openai.gpt-5.6'],
];

const SHOWS_ALL: readonly Row[] = [
  ['openai.responses', 'gpt-4o'],
  ['openai.responses', 'gpt-4.1-mini'],
  ['openai.chat', 'gpt-3.5-turbo'],
  ['openai.chat', 'chatgpt-4o-latest'],
  ['openai.chat', 'ft:gpt-4.1-mini-2025-04-14:acme::abc'],
  ['openai.responses', 'gpt-5-chat-latest'],
  ['azure.chat', 'gpt-35-turbo'],
  ['azure.chat', 'prod-gpt-4o'],
  ['google.generative-ai', 'gemini-2.0-flash'],
  ['google.vertex.chat', 'gemini-1.5-pro-002'],
  ['xai.chat', 'grok-3'],
  ['xai.chat', 'grok-2-vision-1212'],
  ['xai.responses', 'grok-4-fast-non-reasoning'],
  ['deepseek.chat', 'deepseek-reasoner'],
  ['groq.chat', 'openai/gpt-oss-120b'],
  ['groq.chat', 'qwen/qwen3-32b'],
  ['ollama.chat', 'llama3.2'],
  ['openai-compatible.chat', 'my-own-model'],
  ['mistral.chat', 'magistral-medium-latest'],
  ['gateway', 'openai/gpt-4o'],
  ['gateway', 'meta-llama/llama-4'],
  ['openrouter', 'google/gemma-3-27b-it'],
];

const THINKS_WHEN_ASKED: readonly Row[] = [
  ['anthropic.messages', 'claude-3-7-sonnet-20250219'],
  ['anthropic.messages', 'claude-sonnet-4-20250514'],
  ['anthropic.messages', 'claude-opus-4-8'],
  ['anthropic.messages', 'an-alias'],
  ['vertex.anthropic.messages', 'claude-sonnet-4-5@20250929'],
  ['gateway', 'anthropic/claude-sonnet-4.5'],
  ['amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['amazon-bedrock', 'us.amazon.nova-2-lite-v1:0'],
];

describe('reasoning is hidden', () => {
  test.each(REASONS_UNASKED)('%s: %s', (provider, model) => {
    expect(hidesReasoning({ provider, model })).toBe(true);
    expect(hidesReasoning({ provider, model, reasoning: true })).toBe(true);
  });

  test.each(THINKS_WHEN_ASKED)('%s: %s, where it is asked for', (provider, model) => {
    expect(hidesReasoning({ provider, model, reasoning: true })).toBe(true);
    expect(hidesReasoning({ provider, model })).toBe(false);
    expect(hidesReasoning({ provider, model, reasoning: false })).toBe(false);
  });

  test.each([
    ['openai.responses', 'o3'],
    ['openai.responses', 'gpt-5'],
    ['openai.responses', 'gpt-5.2-pro'],
    ['azure.responses', 'our-gpt-5.1'],
    ['google.generative-ai', 'gemini-2.5-pro'],
    ['google.generative-ai', 'gemini-3-flash'],
    ['anthropic.messages', 'claude-opus-5-5'],
    ['anthropic.messages', 'claude-fable-5'],
  ])('%s: %s, even where it is said to be off', (provider, model) => {
    expect(hidesReasoning({ provider, model, reasoning: false })).toBe(true);
  });
});

describe('reasoning is not hidden', () => {
  test.each(SHOWS_ALL)('%s: %s', (provider, model) => {
    expect(hidesReasoning({ provider, model })).toBe(false);
    expect(hidesReasoning({ provider, model, reasoning: true })).toBe(false);
  });

  test.each([
    ['openai.responses', 'gpt-5.1'],
    ['gateway', 'openai/gpt-5.4-mini'],
    ['openai.responses', 'gpt-6-sol'],
    ['google.generative-ai', 'gemini-2.5-flash-lite'],
    ['google.vertex.chat', 'gemini-2.5-flash'],
    ['anthropic.messages', 'claude-opus-5'],
    ['openrouter', 'anthropic/claude-sonnet-4.5'],
  ])('%s: %s, where it is off', (provider, model) => {
    expect(hidesReasoning({ provider, model, reasoning: false })).toBe(false);
    expect(hidesReasoning({ provider, model })).toBe(true);
  });
});
