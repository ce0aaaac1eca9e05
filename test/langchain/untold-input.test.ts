import { expect, it } from 'vitest';
import type { Fields, Model } from './langchain.ts';
import { MAJORS, type Major } from './majors.ts';
import { scene } from './scene.ts';

const PROMPT = 'Say something.';

type Way = (model: Model) => Promise<unknown>;

async function read(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of items);
}

/** By their names, with what the model must be given for them. */
const WAYS: Readonly<Record<string, readonly [Way, Fields]>> = {
  stream: [async (model) => read(await model.stream(PROMPT)), {}],
  'invoke of a model that streams by itself': [
    (model) => model.invoke(PROMPT),
    { streaming: true },
  ],
};
const NEWER: typeof WAYS = {
  'streamEvents without a version': [async (model) => read(model.streamEvents(PROMPT)), {}],
};

/** What gateways that speak Anthropic's protocol tell of the input, at the end of a stream. */
const ENDS: Readonly<Record<string, Fields>> = {
  nothing: { output_tokens: 30 },
  'that there was none': { input_tokens: 0, output_tokens: 30 },
};

const CASES = MAJORS.flatMap((major) =>
  Object.entries({ ...WAYS, ...(major.name === 'langchain 1' ? NEWER : {}) }).flatMap(
    ([name, way]) =>
      Object.entries(ENDS).map(([told, usage]) => [
        ...([major.name, name, told, { major, way, usage }] as const),
      ]),
  ),
) as [string, string, string, { major: Major; way: (typeof WAYS)[string]; usage: Fields }][];

it.each(CASES)(
  '%s, %s: the input is charged where a gateway tells of it %s',
  async (_, __, ___, { major, way: [make, fields], usage }) => {
    const earlyUsage = { input_tokens: 0, output_tokens: 1 };
    const here = await scene(major, 'anthropic messages', {
      fields: { maxTokens: 100, ...fields },
      reply: { inputTokens: 20, outputTokens: 30, earlyUsage, usage },
    });
    await make(here.model);
    await here.settled(1);
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  },
);
