import { describe, expect, it } from 'vitest';
import { fallbackModels } from '../src/fallback-models.ts';
import type { ModelCall } from '../src/model-call.ts';
import { outputLimit } from '../src/wire-limits.ts';

const CLAUDE = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
const named = (...models: string[]) => ({ models });
const fallbacks = (...items: object[]) => ({
  providerOptions: { anthropic: { fallbacks: items } },
});

describe('the models that may answer instead', () => {
  it.each<readonly [string, string, string, ModelCall, string[] | undefined]>([
    ['none', 'gateway', 'openai/gpt-5', { providerOptions: { openai: {} } }, undefined],
    [
      'those of AI Gateway, but for the one that is asked for',
      'gateway',
      'openai/gpt-5',
      { providerOptions: { gateway: named('openai/gpt-5', 'anthropic/claude-opus-4.8') } },
      ['anthropic/claude-opus-4.8'],
    ],
    [
      'those of OpenRouter',
      'openrouter',
      'openai/gpt-5',
      { providerOptions: { openrouter: named('x-ai/grok-4') } },
      ['x-ai/grok-4'],
    ],
    [
      'those of Anthropic, behind AI Gateway too',
      'gateway',
      'anthropic/claude-sonnet-4.5',
      fallbacks({ model: 'claude-opus-4-8' }),
      ['claude-opus-4-8'],
    ],
    [
      'those of Anthropic under a name of its own',
      'my-proxy',
      'claude-sonnet-4-5',
      fallbacks({ model: 'claude-opus-4-8' }, { model: 'claude-haiku-4-5' }),
      ['claude-opus-4-8', 'claude-haiku-4-5'],
    ],
    [
      'that which a compatible provider sends in its place',
      'my-provider.chat',
      'gpt-4.1',
      { providerOptions: { myProvider: { model: 'gpt-5' } } },
      ['gpt-5'],
    ],
    [
      'none of a provider that this is not',
      'openai.chat',
      'gpt-5',
      { providerOptions: { gateway: named('a/b'), ...fallbacks({ model: 'c' }).providerOptions } },
      undefined,
    ],
    [
      'no other values',
      'gateway',
      'openai/gpt-5',
      { providerOptions: { gateway: { models: [7, null] }, anthropic: { fallbacks: 'default' } } },
      undefined,
    ],
  ])('%s', (_, provider, modelId, call, models) => {
    expect(fallbackModels(call, { provider, modelId })).toEqual(models);
  });
});

describe('the limits of fallbacks', () => {
  const limitOf = (call: ModelCall) => outputLimit(call, CLAUDE, 256);
  const call = {
    maxOutputTokens: 500,
    ...fallbacks({ model: 'claude-opus-4-8', max_tokens: 9_000 }, { model: 'claude-haiku-4-5' }),
  };

  it('are held where they are higher', () => {
    expect(limitOf(call).tokens).toBe(9_000);
    expect(limitOf({ ...call, maxOutputTokens: 9_500 }).tokens).toBe(9_500);
    expect(limitOf({ ...call, ...fallbacks({ model: 'm' }) }).tokens).toBe(500);
    expect(limitOf(fallbacks({ model: 'm', max_tokens: 9_000 })).tokens).toBe(undefined);
  });

  it('are lowered with the call, which keeps its own', () => {
    const before = structuredClone(call);
    expect(limitOf(call).lowered(700)).toMatchObject({
      maxOutputTokens: 500,
      ...fallbacks({ model: 'claude-opus-4-8', max_tokens: 700 }, { model: 'claude-haiku-4-5' }),
    });
    expect(call).toEqual(before);
  });
});
