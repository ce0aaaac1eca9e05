import { describe, expect, it } from 'vitest';
import { type Api, MATRIX } from './majors.ts';
import { ODD } from './prices.ts';
import { scene } from './scene.ts';
import type { CallOptions } from './sdk.ts';

const REPLY = { inputTokens: 1_000, outputTokens: 37 };

/** Replies that use every class the API reports, and what the request must ask for to get them. */
const CLASSES: Readonly<Record<Api, readonly [string, object, string, CallOptions?][]>> = {
  'openai chat': [
    ['plain', {}, 'gpt-4.1'],
    ['cached input', { cacheRead: 700 }, 'gpt-4.1'],
    ['cache writes', { cacheRead: 700, cacheWrite5m: 300 }, 'gpt-4.1'],
    ['hidden reasoning', { cacheRead: 1, reasoningTokens: 210 }, 'gpt-5'],
  ],
  'openai responses': [
    ['plain', {}, 'gpt-4.1'],
    ['cached input', { cacheRead: 700 }, 'gpt-4.1'],
    ['cache writes', { cacheRead: 700, cacheWrite5m: 300 }, 'gpt-4.1'],
    ['hidden reasoning', { cacheRead: 1, reasoningTokens: 210 }, 'gpt-5'],
  ],
  'anthropic messages': [
    ['plain', {}, 'claude-sonnet-4-5'],
    ['cached input', { cacheRead: 700 }, 'claude-sonnet-4-5'],
    ['cache writes of 5 minutes', { cacheWrite5m: 301 }, 'claude-sonnet-4-5'],
    ['cache writes of 1 hour', { cacheWrite1h: 301 }, 'claude-sonnet-4-5'],
    ['all at once', { cacheRead: 7, cacheWrite5m: 301, cacheWrite1h: 33 }, 'claude-sonnet-4-5'],
    [
      'thinking',
      { reasoningTokens: 210, cacheWrite1h: 5 },
      'claude-sonnet-4-5',
      { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } },
    ],
  ],
  gemini: [
    ['plain', {}, 'gemini-2.5-flash'],
    ['cached input', { cacheRead: 700 }, 'gemini-2.5-flash'],
    ['hidden thoughts', { cacheRead: 1, reasoningTokens: 210 }, 'gemini-2.5-flash'],
    ['nothing but thoughts', { outputTokens: 0, reasoningTokens: 210 }, 'gemini-2.5-flash'],
    [
      'thoughts that are shown',
      { reasoningTokens: 210 },
      'gemini-2.5-flash',
      { google: { thinkingConfig: { includeThoughts: true } } },
    ],
    ['searches of one answer', { webSearches: 3 }, 'gemini-2.5-flash'],
    ['searches by the query', { webSearches: 3 }, 'gemini-3.7-flash'],
    ['input of tools', { cacheRead: 7, toolUseInputTokens: 90 }, 'gemini-2.5-flash'],
    [
      'all at once, at the end alone',
      { cacheRead: 7, toolUseInputTokens: 90, reasoningTokens: 210, earlyUsage: 'missing' },
      'gemini-2.5-flash',
    ],
  ],
};

const CASES = MATRIX.flatMap(([name, api, major]) =>
  CLASSES[api].map(
    ([classes, reply, model, providerOptions]) =>
      [
        name,
        api,
        classes,
        { major, reply: { ...REPLY, ...reply }, model: model + ODD, providerOptions },
      ] as const,
  ),
);

describe.each(CASES)('%s, %s: %s', (_, api, __, { major, reply, model: id, providerOptions }) => {
  it('charges a whole answer what the provider bills', async () => {
    const { server, model, settled, spent } = await scene(major, api, { reply, model: id });
    await major.ai.generateText({ model, prompt: 'Say something.', providerOptions });
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ outcome: 'known', model: id });
    expect(server.billedNanoUsd()).toBeGreaterThan(0);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('charges a stream what the provider bills', async () => {
    const { server, model, settled, spent } = await scene(major, api, { reply, model: id });
    const result = major.ai.streamText({ model, prompt: 'Say something.', providerOptions });
    await result.consumeStream();
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ outcome: 'known', model: id });
    expect(server.billedNanoUsd()).toBeGreaterThan(0);
    expect(await spent()).toBe(server.billedNanoUsd());
  });
});
