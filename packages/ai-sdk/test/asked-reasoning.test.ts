import { describe, expect, it } from 'vitest';
import { askedReasoning } from '../src/asked-reasoning.ts';
import type { ModelCall } from '../src/model-call.ts';

const asked = (provider: string, call: ModelCall) =>
  askedReasoning(call, { provider, modelId: 'a-model' });

const thinking = (type: string) => ({ thinking: { type } });
const budgetOf = (thinkingBudget: number) => ({ thinkingConfig: { thinkingBudget } });

describe('a call asks for reasoning', () => {
  it.each<[string, ModelCall]>([
    ['anthropic.messages', { providerOptions: { anthropic: thinking('enabled') } }],
    ['anthropic.messages', { providerOptions: { anthropic: thinking('adaptive') } }],
    ['anthropic.messages', { providerOptions: { anthropic: thinking('between_tools') } }],
    ['anthropic.messages', { reasoning: 'low' }],
    ['gateway', { providerOptions: { anthropic: thinking('enabled') } }],
    ['amazon-bedrock', { providerOptions: { bedrock: { reasoningConfig: { type: 'enabled' } } } }],
    ['openai.responses', { providerOptions: { openai: { reasoningEffort: 'high' } } }],
    ['a-proxy.chat', { providerOptions: { 'a-proxy': { reasoning_effort: 'low' } } }],
    ['openrouter', { providerOptions: { openrouter: { reasoning: { max_tokens: 2_000 } } } }],
    ['openrouter', { providerOptions: { openrouter: { reasoning: { effort: 'low' } } } }],
    // Somewhere it is off, and elsewhere it is on: the dearer of the two.
    [
      'anthropic.messages',
      { providerOptions: { anthropic: thinking('disabled'), vertex: thinking('enabled') } },
    ],
  ])('%s %j', (provider, call) => {
    expect(asked(provider, call)).toBe(true);
  });
});

describe('a call turns reasoning off', () => {
  it.each<[string, ModelCall]>([
    ['anthropic.messages', { providerOptions: { anthropic: thinking('disabled') } }],
    ['vertex.anthropic.messages', { providerOptions: { anthropic: thinking('disabled') } }],
    ['google.generative-ai', { providerOptions: { google: budgetOf(0) } }],
    ['google.vertex.chat', { providerOptions: { vertex: budgetOf(0) } }],
    ['openai.responses', { providerOptions: { openai: { reasoningEffort: 'none' } } }],
    ['azure.responses', { providerOptions: { openai: { reasoningEffort: 'none' } } }],
    ['gateway', { providerOptions: { openai: { reasoningEffort: 'none' } } }],
    ['a-proxy.chat', { providerOptions: { 'a-proxy': { reasoning_effort: 'none' } } }],
    ['openrouter', { providerOptions: { openrouter: { reasoning: { enabled: false } } } }],
    ['openrouter', { providerOptions: { openrouter: { reasoning: { effort: 'none' } } } }],
  ])('%s %j', (provider, call) => {
    expect(asked(provider, call)).toBe(false);
  });
});

describe('a call says nothing of reasoning', () => {
  it.each<[string, ModelCall]>([
    ['openai.responses', {}],
    ['openai.responses', { reasoning: 'provider-default' }],
    // Packages for earlier versions do not know the setting, and reason as ever.
    ['openai.responses', { reasoning: 'none' }],
    ['google.generative-ai', { providerOptions: { google: budgetOf(1_024) } }],
    ['google.generative-ai', { providerOptions: { google: { thinkingConfig: {} } } }],
    // An option that the package does not read.
    ['openai.responses', { providerOptions: { azure: { reasoningEffort: 'none' } } }],
    ['openai.responses', { providerOptions: { openai: { reasoningEffort: 5 } } }],
  ])('%s %j', (provider, call) => {
    expect(asked(provider, call)).toBe(undefined);
  });
});
