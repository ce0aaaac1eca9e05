import { expect, test } from 'vitest';
import { snapshotBases } from '../src/snapshot-suffix.ts';
import { quote, refusal, sourceName } from './books.ts';

test.each([
  ['openai', 'gpt-5.1', 'openai/gpt-5.1'],
  ['openai', 'gpt-5.1-2025-11-13', 'openai/gpt-5.1'],
  ['openai', 'gpt-5-nano-2025-08-07', 'openai/gpt-5-nano'],
  ['openai', 'gpt-6-sol-2026-09-22', 'openai/gpt-6-sol'],
  ['anthropic', 'claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
  ['anthropic', 'claude-sonnet-4-20250514', 'anthropic/claude-sonnet-4-0'],
  ['anthropic', 'claude-opus-5-20260724', 'anthropic/claude-opus-5'],
  ['google', 'claude-sonnet-4@20250514', 'google/claude-4-sonnet'],
  ['google', 'gemini-2.5-flash-preview-09-2025', 'google/gemini-2.5-flash'],
  ['google', 'gemini-1.5-flash-002', 'google/gemini-1.5-flash'],
  ['deepseek', 'deepseek-v4-flash-0731', 'deepseek/deepseek-v4-flash'],
  ['aws', 'amazon.nova-pro-v1:0:300k', 'aws/amazon.nova-pro-v1:0'],
  ['aws', 'mistral.mistral-7b-instruct-v0:2', 'aws/mistral.mistral-7b-instruct-v0:2'],
])('%s %s is named, or a snapshot of a named model', (provider, model, entry) => {
  expect(sourceName(quote(provider, model).snapshot)).toBe(entry);
});

test.each([
  ['anthropic', 'claude-sonnet-5-5', 'claude-sonnet-5'],
  ['anthropic', 'claude-haiku-4-5-fast', 'claude-haiku-4-5'],
  ['anthropic', 'claude-sonnet-4-6-latest', 'claude-sonnet-4-6'],
  ['anthropic', 'my-claude-v2', 'claude-2'],
  ['aws', 'us.anthropic.claude-sonnet-5-5-v1:0', 'regional.anthropic.claude-sonnet-5-v1:0'],
  ['aws', 'amazon.titan-embed-text-v2:0', 'amazon.titan-embed-text-v1'],
  ['azure', 'my-o4-mini', 'o4-mini'],
  ['deepseek', 'deepseek-v4-flash-vision-exp', 'deepseek-v4-flash'],
  ['google', 'gemini-1.5-flash-8b', 'gemini-1.5-flash'],
  ['google', 'gemini-3.6-flash-lite', 'gemini-3.6-flash'],
  ['google', 'gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro'],
  ['openai', 'ft:gpt-4-0613:acme::id', 'gpt-4'],
  ['openai', 'gpt-5-nano-large', 'gpt-5-nano'],
  // As in genai-prices#173: a preview's next snapshot may cost more than the preview did.
  ['openai', 'gpt-4o-audio-preview-2024-12-17', 'gpt-4o-audio-preview'],
  ['google', 'gemini-3-flash-preview-2026-12-01', 'gemini-3-flash-preview'],
])('%s %s is refused, though the table would take it for %s', (provider, model, guess) => {
  expect(refusal(() => quote(provider, model))).toBe(
    `genai-prices 0.1.8 would guess from the name that it is "${guess}"`,
  );
});

test('a snapshot that the table does not list itself is refused where it lists them one by one', () => {
  expect(refusal(() => quote('openai', 'gpt-5-2027-01-01'))).toMatch(/has no such model$/);
});

test.each([
  ['claude-haiku-4-5-20251001-v1:0', ['claude-haiku-4-5-20251001', 'claude-haiku-4-5']],
  ['gpt-5.1-2025-11-13', ['gpt-5.1']],
  ['claude-sonnet-4-5@20250929', ['claude-sonnet-4-5']],
  ['mistral-large-2411', ['mistral-large']],
  ['gpt-4-0613', ['gpt-4']],
  ['gemini-2.0-flash-001', ['gemini-2.0-flash']],
  ['nova-pro-v1:0:300k', ['nova-pro-v1:0', 'nova-pro']],
  ['claude-3-5-sonnet-20241022-v2:0', ['claude-3-5-sonnet-20241022', 'claude-3-5-sonnet']],
  ['titan-embed-text-v2:0', ['titan-embed-text-v2']],
  ['claude-sonnet-5-5', []],
  ['claude-3-5-haiku-latest', []],
  ['gpt-5-mini', []],
  ['llama-4-scout-17b-16e', []],
  ['mixtral-8x7b-32768', []],
  ['model-2099-13-45x', []],
])('%s is a snapshot of %j', (id, bases) => {
  expect(snapshotBases(id)).toEqual(bases);
});
