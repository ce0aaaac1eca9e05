import { describe, expect, it } from 'vitest';
import type { Fields } from './langchain.ts';
import { type Api, MATRIX } from './majors.ts';
import { scene } from './scene.ts';

const REPLY = { inputTokens: 1_000, outputTokens: 37 };

/** Replies that use every class the API reports, and what the model must ask for to get them. */
const CLASSES: Readonly<Record<Api, readonly [string, object, string, Fields?][]>> = {
  'openai chat': [
    ['plain', {}, 'gpt-4.1'],
    ['cached input', { cacheRead: 700 }, 'gpt-4.1'],
    ['hidden reasoning', { cacheRead: 1, reasoningTokens: 210 }, 'gpt-5'],
  ],
  'openai responses': [
    ['plain', {}, 'gpt-4.1'],
    ['cached input', { cacheRead: 700 }, 'gpt-4.1'],
    ['hidden reasoning', { cacheRead: 1, reasoningTokens: 210 }, 'gpt-5'],
    ['streaming by itself', { cacheRead: 1 }, 'gpt-4.1', { streaming: true }],
  ],
  'anthropic messages': [
    ['plain', {}, 'claude-sonnet-4-5'],
    ['cached input', { cacheRead: 700 }, 'claude-sonnet-4-5'],
    ['cache writes of 5 minutes', { cacheWrite5m: 301 }, 'claude-sonnet-4-5'],
    ['cache writes of 1 hour', { cacheWrite1h: 301 }, 'claude-sonnet-4-5'],
    ['streaming by itself', { cacheRead: 7 }, 'claude-sonnet-4-5', { streaming: true }],
    ['all at once', { cacheRead: 7, cacheWrite5m: 301, cacheWrite1h: 33 }, 'claude-sonnet-4-5'],
    [
      'thinking',
      { reasoningTokens: 210, cacheWrite1h: 5 },
      'claude-sonnet-4-5',
      { thinking: { type: 'enabled', budget_tokens: 2_000 }, maxTokens: 4_000, temperature: 1 },
    ],
  ],
  gemini: [],
  'gemini of ChatGoogle': [],
};

const GEMINI_CLASSES: (typeof CLASSES)[Api] = [
  ['plain', {}, 'gemini-2.5-flash'],
  ['cached input', { cacheRead: 700 }, 'gemini-2.5-flash'],
  ['hidden thoughts', { reasoningTokens: 210 }, 'gemini-2.5-flash'],
  ['all at the end', { reasoningTokens: 210, earlyUsage: 'missing' }, 'gemini-2.5-flash'],
  ['searches of one answer', { webSearches: 3 }, 'gemini-2.5-flash'],
  ['searches by the query', { webSearches: 3 }, 'gemini-3.7-flash'],
  ['input of tools', { toolUseInputTokens: 90 }, 'gemini-2.5-flash'],
  ['streaming by itself', { reasoningTokens: 21 }, 'gemini-2.5-flash', { streaming: true }],
  ['streaming by itself, cached', { cacheRead: 70 }, 'gemini-2.5-flash', { streaming: true }],
];

/** What a package leaves out of its figures, which is then charged as something dearer. */
const UNTOLD: Readonly<Record<string, RegExp>> = {
  'langchain 0.3, gemini, invoke': /cached|tools/,
  'langchain 0.3, gemini, stream': /cached|tools/,
  'langchain 1, gemini, invoke': /by itself, cached|tools/,
  'langchain 1, gemini, stream': /tools/,
};

const CASES = MATRIX.flatMap(([name, api, major]) =>
  (api.startsWith('gemini') ? GEMINI_CLASSES : CLASSES[api]).map(
    ([classes, reply, model, fields]) =>
      [
        name,
        api,
        classes,
        {
          major,
          reply: { ...REPLY, ...reply },
          model,
          fields,
          isExact: (way: string) => UNTOLD[`${name}, ${api}, ${way}`]?.test(classes) !== true,
        },
      ] as const,
  ),
);

describe.each(CASES)(
  '%s, %s: %s',
  (_, api, __, { major, reply, model: id, fields = {}, isExact }) => {
    it('charges a whole answer what the provider bills', async () => {
      const options = { reply, model: id, fields };
      const { server, model, settled, spent } = await scene(major, api, options);
      await model.invoke('Say something.');
      const [entry] = await settled(1);
      expect(entry).toMatchObject({ outcome: 'known', model: id });
      expect(server.billedNanoUsd()).toBeGreaterThan(0);
      if (isExact('invoke')) expect(await spent()).toBe(server.billedNanoUsd());
      else expect(await spent()).toBeGreaterThan(server.billedNanoUsd());
    });

    it('charges a stream what the provider bills', async () => {
      const options = { reply, model: id, fields };
      const { server, model, settled, spent } = await scene(major, api, options);
      for await (const _chunk of await model.stream('Say something.'));
      const [entry] = await settled(1);
      expect(entry).toMatchObject({ outcome: 'known', model: id });
      expect(server.billedNanoUsd()).toBeGreaterThan(0);
      if (isExact('stream')) expect(await spent()).toBe(server.billedNanoUsd());
      else expect(await spent()).toBeGreaterThan(server.billedNanoUsd());
    });
  },
);
