import { describe, expect, it } from 'vitest';
import type { ModelCall } from '../src/model-call.ts';
import { askedTier, servedTier } from '../src/service-tier.ts';

describe('the tier that a call asks for', () => {
  const asked = (
    provider: string,
    modelId: string,
    providerOptions: ModelCall['providerOptions'],
  ) => askedTier({ providerOptions }, { provider, modelId });

  it.each<readonly [string, string, ModelCall['providerOptions'], string | undefined]>([
    ['openai.responses', 'gpt-5', { openai: { serviceTier: 'priority' } }, 'priority'],
    ['azure.chat', 'prod', { openai: { serviceTier: 'flex' } }, 'flex'],
    ['my-provider.chat', 'm', { myProvider: { service_tier: 'priority' } }, 'priority'],
    ['gateway', 'openai/gpt-5', { openai: { serviceTier: 'priority' } }, 'priority'],
    ['anthropic.messages', 'claude-opus-4-6', { anthropic: { speed: 'fast' } }, 'fast'],
    [
      'anthropic.messages',
      'claude-sonnet-4-5',
      { anthropic: { fallbacks: [{ model: 'claude-opus-4-6', speed: 'fast' }] } },
      'fast',
    ],
    [
      'anthropic.messages',
      'm',
      { anthropic: { speed: 'standard', serviceTier: 'auto' } },
      undefined,
    ],
    ['openai.chat', 'gpt-5', { openai: { serviceTier: 'default' } }, undefined],
    ['openai.chat', 'gpt-5', { other: { serviceTier: 'priority' } }, undefined],
    ['openai.chat', 'gpt-5', undefined, undefined],
    ['anthropic.messages', 'm', { openai: { serviceTier: 'priority' } }, undefined],
    ['google.generative-ai', 'm', { openai: { serviceTier: 'priority' } }, undefined],
    [
      'azure.responses',
      'prod',
      { openai: { serviceTier: 'flex' }, azure: { serviceTier: 'priority' } },
      'priority',
    ],
    ['google.vertex.chat', 'm', { vertex: { sharedRequestType: 'priority' } }, 'priority'],
    ['google.vertex.chat', 'm', { google: { sharedRequestType: 'standard' } }, undefined],
    ['amazon-bedrock', 'm', { bedrock: { serviceTier: 'priority' } }, 'priority'],
  ])('%s %s %j: %s', (provider, modelId, options, tier) => {
    expect(asked(provider, modelId, options)).toBe(tier);
  });
});

describe('the tier that a call was answered at', () => {
  it.each<readonly [unknown, unknown, string | undefined, string | undefined]>([
    [{ openai: { serviceTier: 'default' } }, undefined, 'priority', 'default'],
    [{ openai: { serviceTier: 'default' } }, undefined, undefined, undefined],
    [{ google: { serviceTier: 'PRIORITY' } }, undefined, undefined, 'priority'],
    [
      { anthropic: { serviceTier: 'standard', usage: { speed: 'fast' } } },
      undefined,
      'fast',
      'fast',
    ],
    [{ anthropic: { usage: { speed: 'standard' } } }, undefined, 'fast', 'standard'],
    [{ anthropic: { serviceTier: 'standard', usage: {} } }, undefined, undefined, undefined],
    [{ google: { serviceTier: null } }, undefined, 'priority', undefined],
    [undefined, { service_tier: 'flex' }, undefined, 'flex'],
    [undefined, undefined, 'priority', undefined],
  ])('%j %j, asked for %s: %s', (providerMetadata, body, asked, tier) => {
    expect(servedTier({ providerMetadata, body }, asked)).toBe(tier);
  });
});
