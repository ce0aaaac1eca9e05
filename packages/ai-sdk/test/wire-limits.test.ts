import { describe, expect, it } from 'vitest';
import type { ModelCall } from '../src/model-call.ts';
import { wireOutputLimit } from '../src/wire-body.ts';
import { outputLimit } from '../src/wire-limits.ts';

const MIN = 256;
const limitOf = (provider: string, modelId: string, call: ModelCall) =>
  outputLimit(call, { provider, modelId }, MIN);
const enabled = (budgetTokens?: number) => ({ type: 'enabled', budgetTokens });

describe('the output limit on the wire', () => {
  it.each<readonly [string, string, string, ModelCall, number | undefined]>([
    ['nothing', 'openai.chat', 'gpt-4.1', {}, undefined],
    ['the setting', 'openai.responses', 'gpt-5', { maxOutputTokens: 50 }, 50],
    [
      'the highest of several',
      'openai.chat',
      'gpt-5',
      { maxOutputTokens: 50, providerOptions: { openai: { maxCompletionTokens: 99 } } },
      99,
    ],
    [
      'for each of several choices',
      'my-provider.chat',
      'm',
      { maxOutputTokens: 50, providerOptions: { myProvider: { n: 4 } } },
      200,
    ],
    [
      'for each that is generated, though one is given back',
      'my-provider.completion',
      'm',
      { maxOutputTokens: 50, providerOptions: { myProvider: { n: 2, best_of: 4 } } },
      200,
    ],
    [
      'as text, which some servers take for a number',
      'my-provider.chat',
      'm',
      { maxOutputTokens: 50, providerOptions: { myProvider: { max_tokens: '90', n: '2' } } },
      180,
    ],
    ...[null, undefined, -1, 'auto'].map(
      (limit) =>
        [
          `${limit} takes it away`,
          'my-provider.chat',
          'm',
          { maxOutputTokens: 50, providerOptions: { myProvider: { max_tokens: limit } } },
          undefined,
        ] as const,
    ),
    [
      'an option of the package that is undefined says nothing',
      'openai.chat',
      'gpt-5',
      { maxOutputTokens: 50, providerOptions: { openai: { maxCompletionTokens: undefined } } },
      50,
    ],
    [
      'options of other providers do not count',
      'groq.chat',
      'm',
      { maxOutputTokens: 50, providerOptions: { other: { n: 4, max_tokens: 9_000 } } },
      50,
    ],
    [
      'AI Gateway passes on all options',
      'gateway',
      'openai/gpt-5',
      { maxOutputTokens: 50, providerOptions: { openai: { maxCompletionTokens: 99 } } },
      99,
    ],
    [
      'thinking on top',
      'anthropic.messages',
      'claude-sonnet-4-5',
      { maxOutputTokens: 50, providerOptions: { anthropic: { thinking: enabled(2_000) } } },
      2_050,
    ],
    [
      'the least thinking where its budget is not said',
      'anthropic.messages',
      'claude-sonnet-4-5',
      { maxOutputTokens: 50, providerOptions: { anthropic: { thinking: enabled() } } },
      1_074,
    ],
    [
      'thinking inside',
      'anthropic.messages',
      'claude-opus-4-8',
      { maxOutputTokens: 50, providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } },
      50,
    ],
    [
      'thinking under a name of its own',
      'my-proxy',
      'claude-sonnet-4-5',
      { maxOutputTokens: 50, providerOptions: { 'my-proxy': { thinking: enabled(2_000) } } },
      2_050,
    ],
    [
      'thinking behind AI Gateway',
      'gateway',
      'anthropic/claude-sonnet-4.5',
      { maxOutputTokens: 50, providerOptions: { anthropic: { thinking: enabled(2_000) } } },
      2_050,
    ],
    [
      'Bedrock: thinking on top',
      'amazon-bedrock',
      'us.anthropic.claude-sonnet-4-5-v1:0',
      { maxOutputTokens: 50, providerOptions: { bedrock: { reasoningConfig: enabled(2_000) } } },
      2_050,
    ],
    [
      'Bedrock: thinking on top of its default',
      'amazon-bedrock',
      'us.anthropic.claude-sonnet-4-5-v1:0',
      { providerOptions: { amazonBedrock: { reasoningConfig: enabled(2_000) } } },
      6_096,
    ],
    [
      'Bedrock: Nova ignores the setting when it thinks hard',
      'amazon-bedrock',
      'us.amazon.nova-2-lite-v1:0',
      { maxOutputTokens: 50, reasoning: 'high' },
      undefined,
    ],
    [
      'reasoning in words makes a budget nobody knows',
      'anthropic.messages',
      'claude-sonnet-4-5',
      { maxOutputTokens: 50, reasoning: 'low' },
      undefined,
    ],
    [
      'no reasoning',
      'anthropic.messages',
      'claude-sonnet-4-5',
      { maxOutputTokens: 50, reasoning: 'none' },
      50,
    ],
    [
      'reasoning in words beside a budget in numbers',
      'anthropic.messages',
      'claude-sonnet-4-5',
      {
        maxOutputTokens: 50,
        reasoning: 'max',
        providerOptions: { anthropic: { thinking: enabled(2_000) } },
      },
      2_050,
    ],
  ])('%s', (_, provider, modelId, call, tokens) => {
    expect(limitOf(provider, modelId, call).tokens).toBe(tokens);
  });

  it('cannot be lowered for Nova when it thinks hard', () => {
    const call = { maxOutputTokens: 50, reasoning: 'high' };
    expect(limitOf('amazon-bedrock', 'amazon.nova-2-lite', call).leastTokens).toBe(undefined);
  });

  it('is never lowered below what the Responses API accepts', () => {
    const limit = outputLimit({}, { provider: 'openai.responses', modelId: 'gpt-5' }, 1);
    expect(limit.leastTokens).toBe(16);
  });
});

describe('a lowered call', () => {
  const sonnet = ['anthropic.messages', 'claude-sonnet-4-5'] as const;
  const bedrock = ['amazon-bedrock', 'anthropic.claude-sonnet-4-5-v1:0'] as const;

  /** What each package would send, as its source adds it up. */
  function sentTokens(call: ModelCall): number {
    const { anthropic, bedrock } = (call.providerOptions ?? {}) as {
      anthropic?: { thinking?: { type: string; budgetTokens?: number } };
      bedrock?: { reasoningConfig?: { type: string; budgetTokens?: number } };
    };
    const budget = anthropic?.thinking?.budgetTokens ?? bedrock?.reasoningConfig?.budgetTokens ?? 0;
    return (call.maxOutputTokens ?? Number.NaN) + budget;
  }

  const CALLS: readonly (readonly [string, readonly [string, string], ModelCall])[] = [
    ['thinking', sonnet, { providerOptions: { anthropic: { thinking: enabled(5_000) } } }],
    [
      'thinking beside a limit',
      sonnet,
      { maxOutputTokens: 800, providerOptions: { anthropic: { thinking: enabled(5_000) } } },
    ],
    ['reasoning', sonnet, { maxOutputTokens: 800, reasoning: 'high' }],
    ['reasoning without a limit', sonnet, { reasoning: 'high' }],
    ['Bedrock', bedrock, { providerOptions: { bedrock: { reasoningConfig: enabled(5_000) } } }],
    ['Bedrock with reasoning', bedrock, { reasoning: 'high' }],
    ['no thinking', sonnet, {}],
  ];

  it.each(CALLS)('sends no more than was admitted: %s', (_, [provider, modelId], call) => {
    const limit = limitOf(provider, modelId, call);
    const least = limit.leastTokens ?? 0;
    for (let tokens = least; tokens < least + 6_000; tokens += 37) {
      const lowered = limit.lowered(tokens);
      expect(sentTokens(lowered)).toBeLessThanOrEqual(tokens);
      expect(lowered.maxOutputTokens).toBeGreaterThanOrEqual(MIN);
      expect(lowered.maxOutputTokens).toBeLessThanOrEqual(call.maxOutputTokens ?? tokens);
    }
  });

  it('leaves the call it came from as it was', () => {
    const call = {
      maxOutputTokens: 9_000,
      providerOptions: { anthropic: { thinking: enabled(2_000) } },
    };
    const before = structuredClone(call);
    limitOf(...sonnet, call).lowered(3_000);
    expect(call).toEqual(before);
  });
});

describe('the limit in a body that was sent', () => {
  it.each([
    [{ max_tokens: 5 }, 5],
    [{ max_tokens: 5, max_completion_tokens: 9 }, 9],
    [{ max_output_tokens: 5, n: 2 }, 10],
    [{ max_tokens: '5', n: '2', best_of: 3 }, 15],
    [{ generationConfig: { maxOutputTokens: 5 } }, 5],
    [{ inferenceConfig: { maxTokens: 5 } }, 5],
    ['{"max_tokens":5}', 5],
    [{ model: 'gpt-5' }, undefined],
    ['no JSON', undefined],
    [undefined, undefined],
  ])('of %j is %s', (body, limit) => {
    expect(wireOutputLimit({ request: { body } })).toBe(limit);
    expect(wireOutputLimit({})).toBe(undefined);
  });
});
