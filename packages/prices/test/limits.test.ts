import { expect, test } from 'vitest';
import { quote } from './books.ts';

test.each([
  ['openai', 'gpt-4o', 16_384],
  ['openai', 'gpt-4o-2024-05-13', 4_096],
  ['openai', 'gpt-4.1-mini', 32_768],
  ['openai', 'gpt-5-pro', 272_000],
  ['openai', 'gpt-5.1', 128_000],
  ['openai', 'gpt-5.6-luna', 128_000],
  ['openai', 'o4-mini', 100_000],
  ['openai', 'gpt-4', null],
  ['openai', 'gpt-6-astra', null],
  ['openrouter', 'openai/gpt-5.1', 128_000],
  ['anthropic', 'claude-opus-4-20250514', 32_000],
  ['anthropic', 'claude-opus-4-1-20250805', 32_000],
  ['anthropic', 'claude-opus-4-5', 64_000],
  ['anthropic', 'claude-opus-4-8', 128_000],
  ['anthropic', 'claude-opus-5-5', 128_000],
  ['anthropic', 'claude-sonnet-4-20250514', 64_000],
  ['anthropic', 'claude-sonnet-4-6', 128_000],
  ['anthropic', 'claude-haiku-4-5', 64_000],
  ['google', 'claude-sonnet-4@20250514', 64_000],
  ['google', 'gemini-2.5-pro', 65_536],
  ['google', 'gemini-3.6-flash', 65_536],
  ['google', 'gemini-2.0-flash', 8_192],
  ['deepseek', 'deepseek-v4-pro', 384_000],
  ['fireworks', 'accounts/fireworks/models/deepseek-v4-pro', null],
  ['mistral', 'mistral-embed', 0],
  ['groq', 'llama-3.3-70b-versatile', null],
])('%s %s: at most %j output tokens', (provider, model, expected) => {
  expect(quote(provider, model).maxOutputTokens).toBe(expected);
});

test.each([
  ['openai', 'gpt-5.1', 400_000],
  ['anthropic', 'claude-haiku-4-5', 200_000],
  ['google', 'gemini-2.5-flash', 1_048_576],
  // A million in the table, where 1,047,576 and 1,048,576 are meant.
  ['openai', 'gpt-4.1', 1_048_576],
  ['google', 'gemini-3.6-flash', 1_048_576],
  // 200,000 in the table, which has a tier for more than that.
  ['anthropic', 'claude-sonnet-4-5', null],
  ['groq', 'llama-3.3-70b-versatile', null],
])('%s %s: a window of %j tokens', (provider, model, expected) => {
  expect(quote(provider, model).contextTokens).toBe(expected);
});
