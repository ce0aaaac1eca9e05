import { BudgetExceededError, usd } from '@hardcap/core';
import { SpendBudgetCallbackHandler } from '@hardcap/langchain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fields, Runnable } from './langchain.ts';
import { type Api, MAJORS, MATRIX, type Major } from './majors.ts';
import { type Scene, type SceneOptions, scene } from './scene.ts';

const PROMPT = 'Say something.';

type Way = (model: Runnable, config?: Fields) => Promise<unknown>;

const WAYS: Readonly<Record<string, Way>> = {
  invoke: (model, config) => model.invoke(PROMPT, config),
  stream: async (model, config) => {
    for await (const _chunk of await model.stream(PROMPT, config));
  },
};

type LayerOf = (here: Scene) => { readonly model: Runnable; readonly config: Fields };

/** The layers that see one call: the guarded model, and a handler of the bare one. */
const LAYERS: Readonly<Record<string, LayerOf>> = {
  'guarded model': ({ model }) => ({ model, config: {} }),
  handler: ({ bare, guard }) => ({
    model: bare,
    config: { callbacks: [new SpendBudgetCallbackHandler(guard)] },
  }),
};

// The framework writes every refusal of a handler to the console.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Case {
  readonly api: Api;
  readonly fields: Fields;
  readonly call?: Fields;
  readonly reply: SceneOptions['reply'];
  readonly model?: string;
  /** Pays for the call as its model and its limit seem to say, and for no more. */
  readonly cap: string;
}

/** Calls that cost more than the model and the limit they were made with. */
const DEARER: Readonly<Record<string, Case>> = {
  'a model put in place of the one asked for': {
    api: 'openai chat',
    fields: { maxTokens: 50, modelKwargs: { model: 'gpt-dear' } },
    reply: { outputTokens: 50, inputTokens: 20 },
    cap: '0.003',
  },
  'a list of models that may answer': {
    api: 'openai chat',
    fields: { maxTokens: 50, modelKwargs: { models: ['gpt-5', 'gpt-dear'] } },
    reply: { outputTokens: 50, inputTokens: 20, servedModel: 'gpt-dear' },
    cap: '0.003',
  },
  'a fallback of Anthropic, with a limit of its own': {
    api: 'anthropic messages',
    fields: {
      maxTokens: 50,
      invocationKwargs: { fallbacks: [{ model: 'claude-opus-4-5', max_tokens: 2_000 }] },
    },
    reply: { outputTokens: 50, inputTokens: 20, servedModel: 'claude-opus-4-5' },
    cap: '0.002',
  },
  'a model of its invocationKwargs': {
    api: 'anthropic messages',
    fields: { maxTokens: 50, invocationKwargs: { model: 'claude-opus-4-5' } },
    reply: { outputTokens: 50, inputTokens: 20 },
    cap: '0.0013',
  },
  'a limit taken away': {
    api: 'openai responses',
    fields: { maxTokens: 50, modelKwargs: { max_output_tokens: null } },
    reply: { outputTokens: 2_000 },
    cap: '0.015',
  },
  'a limit left out': {
    api: 'openai responses',
    fields: { maxTokens: 50, modelKwargs: { max_output_tokens: undefined } },
    reply: { outputTokens: 2_000 },
    cap: '0.015',
  },
  'a limit in a text': {
    api: 'openai chat',
    fields: { maxTokens: 50, modelKwargs: { max_completion_tokens: '9000' } },
    reply: { outputTokens: 2_000 },
    cap: '0.015',
  },
  'choices that are made and not given back': {
    api: 'openai chat',
    fields: { maxTokens: 50, modelKwargs: { best_of: 40 } },
    reply: { outputTokens: 50 },
    cap: '0.015',
  },
  'choices in a text': {
    api: 'openai chat',
    fields: { maxTokens: 50, n: '40' },
    reply: { outputTokens: 50 },
    cap: '0.015',
  },
  'a tier of service': {
    api: 'openai chat',
    fields: { maxTokens: 500, service_tier: 'priority' },
    reply: { inputTokens: 20, outputTokens: 500, serviceTier: 'priority' },
    cap: '0.0055',
  },
  'a tier of service of one call': {
    api: 'openai chat',
    fields: { maxTokens: 500 },
    call: { service_tier: 'priority' },
    reply: { inputTokens: 20, outputTokens: 500, serviceTier: 'priority' },
    cap: '0.0055',
  },
  'a tier of service of Responses': {
    api: 'openai responses',
    fields: { maxTokens: 500, modelKwargs: { service_tier: 'priority' } },
    reply: { inputTokens: 20, outputTokens: 500, serviceTier: 'priority' },
    cap: '0.0055',
  },
  'a tier of service of ChatGoogle': {
    api: 'gemini of ChatGoogle',
    model: 'gemini-2.5-flash',
    fields: { maxTokens: 500, serviceTier: 'priority' },
    reply: {
      ...{ inputTokens: 20, outputTokens: 500, serviceTier: 'priority' },
      headers: { 'x-gemini-service-tier': 'priority' },
    },
    cap: '0.0018',
  },
};

const CASES = MAJORS.flatMap((major) =>
  Object.entries(DEARER)
    .filter(([, { api }]) => MATRIX.some(([name, other]) => name === major.name && other === api))
    .flatMap(([what, dearer]) =>
      Object.entries(LAYERS).flatMap(([layer, of]) =>
        Object.entries(WAYS).map(
          ([way, make]) => [major.name, what, layer, way, { major, dearer, of, make }] as const,
        ),
      ),
    ),
);

const sceneOf = (major: Major, { api, fields, reply, model }: Case, cap?: string): Promise<Scene> =>
  scene(major, api, {
    fields,
    ...(reply === undefined ? {} : { reply }),
    ...(model === undefined ? {} : { model }),
    ...(cap === undefined ? {} : { cap }),
    budget: { minOutputTokens: 1_000_000 },
  });

/** What a call is given, in numbers that are held: none of it is billed by our server. */
const COUNTED: Readonly<Record<string, readonly [Api, Fields, admitted: number]>> = {
  'choices that are made and not given back': [
    ...(['openai chat', { maxTokens: 50, modelKwargs: { best_of: 5 } }, 250] as const),
  ],
  'choices in a text': ['openai chat', { maxTokens: 50, n: '5' }, 250],
  'a limit in a text': [
    ...(['openai chat', { maxTokens: 50, modelKwargs: { max_completion_tokens: '900' } }] as const),
    900,
  ],
  'a limit taken away': [
    ...(['openai responses', { maxTokens: 50, modelKwargs: { max_output_tokens: null } }] as const),
    32_768,
  ],
};

const COUNTS = MAJORS.flatMap((major) =>
  Object.entries(COUNTED).flatMap(([what, counted]) =>
    Object.entries(LAYERS).map(([layer, of]) => [major.name, what, layer, { major, counted, of }]),
  ),
) as [string, string, string, { major: Major; counted: [Api, Fields, number]; of: LayerOf }][];

it.each(COUNTS)('%s: %s is counted by the %s', async (_, __, ___, { major, counted, of }) => {
  const [api, fields, tokens] = counted;
  const here = await scene(major, api, { fields, reply: { outputTokens: 5 } });
  const { model, config } = of(here);
  await model.invoke(PROMPT, config);
  const [reserved] = here.events;
  expect(reserved).toMatchObject({ type: 'reserved', admittedOutputTokens: tokens });
});

describe.each(CASES)('%s, %s: %s, %s', (_, __, ___, ____, { major, dearer, of, make }) => {
  it('is held at what it may cost, and charged what it did', async () => {
    const here = await sceneOf(major, dearer);
    const { model, config } = of(here);
    await make(model, { ...config, ...dearer.call });
    const [entry] = await here.settled(1);
    const billed = here.server.billedNanoUsd();
    expect(billed).toBeGreaterThan(0);
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(billed);
    expect(await here.spent()).toBe(billed);
  });

  it('is not sent where the budget carries only what it seems to cost', async () => {
    const here = await sceneOf(major, dearer, dearer.cap);
    const { model, config } = of(here);
    await make(model, { ...config, ...dearer.call }).catch((error: unknown) => {
      if (BudgetExceededError.find(error) === undefined) throw error;
    });
    expect(here.server.billedNanoUsd()).toBeLessThanOrEqual(usd(dearer.cap));
    expect(here.server.exchanges).toEqual([]);
  });
});
