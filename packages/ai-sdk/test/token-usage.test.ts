import type { TokenUsage } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { nested, type Reported, usageOf, ZERO } from './usage-of.ts';

describe('case C-60: the same answer, as packages of every version report it', () => {
  const claude = { ...ZERO, input: 50, cacheRead: 20, cacheWrite5m: 30, output: 20 };
  const anthropicRaw = {
    input_tokens: 50,
    output_tokens: 20,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 30,
  };
  const gpt = { ...ZERO, input: 30, cacheRead: 40, cacheWrite5m: 30, output: 15, reasoning: 5 };
  const gemini = { ...ZERO, input: 60, cacheRead: 40, output: 20, reasoning: 30 };
  const written = { openai: { usage: { cacheWriteTokens: 30 } } };

  it.each<readonly [string, Reported, TokenUsage]>([
    [
      'Anthropic 2',
      {
        provider: 'anthropic.messages',
        usage: { inputTokens: 50, outputTokens: 20, totalTokens: 70, cachedInputTokens: 20 },
        providerMetadata: { anthropic: { cacheCreationInputTokens: 30 } },
      },
      claude,
    ],
    [
      'Anthropic 2 with its own figures',
      {
        provider: 'anthropic.messages',
        usage: { inputTokens: 50, outputTokens: 20 },
        providerMetadata: { anthropic: { usage: anthropicRaw } },
      },
      claude,
    ],
    [
      'Anthropic 3 and 4',
      {
        provider: 'googleVertex.anthropic.messages',
        usage: nested([100, 50, 20, 30], [20], anthropicRaw),
      },
      claude,
    ],
    [
      'Anthropic 2 inside ai 7',
      {
        provider: 'anthropic.messages',
        usage: nested([50, undefined, 20], [20]),
        providerMetadata: { anthropic: { cacheCreationInputTokens: 30 } },
      },
      claude,
    ],
    [
      'OpenAI 2',
      {
        provider: 'openai.responses',
        usage: {
          inputTokens: 100,
          outputTokens: 20,
          totalTokens: 120,
          cachedInputTokens: 40,
          reasoningTokens: 5,
        },
        providerMetadata: written,
      },
      gpt,
    ],
    [
      'OpenAI 3 and 4',
      {
        provider: 'openai.chat',
        usage: nested([100, 30, 40, 30], [20, 15, 5], {
          prompt_tokens: 100,
          completion_tokens: 20,
        }),
      },
      gpt,
    ],
    [
      'a package for what speaks as OpenAI does',
      {
        provider: 'openrouter.chat',
        usage: nested([100, 60, 40], [20, 15, 5], {
          prompt_tokens: 100,
          completion_tokens: 20,
          prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
        }),
      },
      gpt,
    ],
    [
      'OpenAI 2 inside ai 7',
      {
        provider: 'openai.chat',
        usage: nested([100, undefined, 40], [20, undefined, 5]),
        providerMetadata: written,
      },
      gpt,
    ],
    [
      'Google 2',
      {
        provider: 'google.generative-ai',
        usage: {
          inputTokens: 100,
          outputTokens: 20,
          totalTokens: 150,
          reasoningTokens: 30,
          cachedInputTokens: 40,
        },
      },
      gemini,
    ],
    [
      'Google 3 and 4',
      { provider: 'google.generative-ai', usage: nested([100, 60, 40], [50, 20, 30]) },
      gemini,
    ],
    [
      'Google 2 inside ai 7',
      {
        provider: 'google.generative-ai',
        usage: nested([100, undefined, 40], [20, undefined, 30]),
      },
      gemini,
    ],
    [
      'Google with its own figures',
      {
        provider: 'google.vertex.chat',
        usage: { inputTokens: 90, outputTokens: 20 },
        providerMetadata: {
          google: {
            usageMetadata: {
              promptTokenCount: 90,
              toolUsePromptTokenCount: 10,
              cachedContentTokenCount: 40,
              candidatesTokenCount: 20,
              thoughtsTokenCount: 30,
            },
          },
        },
      },
      gemini,
    ],
    [
      'Bedrock 2',
      {
        provider: 'amazon-bedrock',
        usage: { inputTokens: 50, outputTokens: 20, totalTokens: 70, cachedInputTokens: 20 },
        providerMetadata: { bedrock: { usage: { cacheWriteInputTokens: 30 } } },
      },
      claude,
    ],
    [
      'Bedrock 3 and 4',
      { provider: 'amazon-bedrock', usage: nested([100, 50, 20, 30], [20, 20]) },
      claude,
    ],
  ])('%s', (_, reported, expected) => {
    expect(usageOf(reported)).toEqual(expected);
  });
});

describe('usage that is', () => {
  it.each([
    ['absent', undefined],
    ['null', null],
    ['flat and undefined', { inputTokens: undefined, outputTokens: undefined }],
    ['nested and undefined', nested([], [])],
    ['a zero that the package made up', nested([0, 0], [0, 0], {})],
    ['a zero where the provider said null', nested([0], [0], { prompt_tokens: null })],
    ['half made up', nested([5], [0], { prompt_tokens: 5 })],
  ])('%s was not reported', (_, usage) => {
    expect(usageOf({ provider: 'openai.chat', usage })).toBe(undefined);
  });

  it('a zero of the provider is zero', () => {
    const usage = nested([0, 0, 0], [0, 0, 0], { prompt_tokens: 0, completion_tokens: 0 });
    expect(usageOf({ provider: 'openai.chat', usage })).toEqual(ZERO);
  });

  it('NaN stays NaN, for the guard to see', () => {
    const usage = { inputTokens: Number.NaN, outputTokens: 3 };
    expect(usageOf({ provider: 'openai.chat', usage })?.input).toBeNaN();
  });

  it('audio is a class of its own', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      candidatesTokenCount: 5,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 60 },
        { modality: 'AUDIO', tokenCount: 40 },
      ],
    };
    const usage = usageOf({
      provider: 'google.generative-ai',
      usage: {},
      providerMetadata: { google: { usageMetadata } },
    });
    expect(usage).toEqual({ ...ZERO, input: 60, audioInput: 40, output: 5 });
  });

  it('reasoning beside the output, as some compatible providers have it, is not taken off', () => {
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 35, reasoningTokens: 20 };
    expect(usageOf({ provider: 'xai.chat', usage })).toMatchObject({ output: 5, reasoning: 20 });
  });

  it("Bedrock's cache writes of an hour are known by their detail", () => {
    const cacheDetails = [
      { inputTokens: 10, ttl: '5m' },
      { inputTokens: 20, ttl: '1h' },
    ];
    const usage = nested([80, 50, 0, 30], [5, 5], {
      inputTokens: 50,
      outputTokens: 5,
      cacheDetails,
    });
    const split = { cacheWrite5m: 10, cacheWrite1h: 20 };
    expect(usageOf({ provider: 'amazon-bedrock', usage })).toMatchObject(split);
  });
});
