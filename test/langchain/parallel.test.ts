import { BudgetExceededError } from '@hardcap/core';
import { isBudgetExceeded } from '@hardcap/langchain';
import type { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LAYERS, type Layered } from './layers.ts';
import { MATRIX } from './majors.ts';
import { type SceneOptions, scene } from './scene.ts';

/** Pays for two calls, each of which holds and costs the whole of its limit. */
const FOR_TWO: SceneOptions = {
  model: 'cent',
  cap: '0.40',
  fields: { maxTokens: 20 },
  reply: { outputTokens: 20 },
};
const PROMPT = 'Say something.';
const TEN = Array.from({ length: 10 }, () => PROMPT);
const ASKED = { messages: [{ role: 'user' as const, content: PROMPT }] };

/** The outcome of each of ten calls at once: an answer, or what was thrown. */
type Ten = (layered: Layered) => Promise<readonly unknown[]>;

function each(make: (layered: Layered) => Promise<unknown>): Ten {
  return (layered) => Promise.all(TEN.map(() => make(layered).catch((error: unknown) => error)));
}

async function read(stream: PromiseLike<AsyncIterable<unknown>> | AsyncIterable<unknown>) {
  const items = Symbol.asyncIterator in stream ? stream : await stream;
  for await (const _item of items);
}

const MODEL_WAYS: Readonly<Record<string, Ten>> = {
  invoke: each(({ model, config }) => model.invoke(PROMPT, config)),
  stream: each(({ model, config }) => read(model.stream(PROMPT, config))),
  'streamEvents, version v2': each(({ model, config }) =>
    read(model.streamEvents(PROMPT, { ...config, version: 'v2' })),
  ),
  batch: ({ model, config }) => model.batch(TEN, config, { returnExceptions: true }),
};

const AGENT_WAYS: Readonly<Record<string, Ten>> = {
  'agents, invoke': each(async (layered) => agentOf(layered).invoke(ASKED, layered.config)),
  'agents, stream': each((layered) => read(agentOf(layered).stream(ASKED, layered.config))),
  'agents, streamEvents, version v3': each(async (layered) =>
    read(agentOf(layered).streamEvents(ASKED, { ...layered.config, version: 'v3' })),
  ),
};

function agentOf({ model, middleware }: Layered) {
  return createAgent({
    model: model as unknown as ChatOpenAI,
    tools: [],
    middleware: [...middleware],
  });
}

const CASES = MATRIX.flatMap(([name, api, major]) =>
  Object.keys(LAYERS).flatMap((layer) => {
    const ways = {
      ...(layer === 'middleware' ? {} : MODEL_WAYS),
      ...(name === 'langchain 1' ? AGENT_WAYS : {}),
    };
    return Object.entries(ways).map(
      ([way, make]) => [name, api, layer, way, { major, make }] as const,
    );
  }),
);

beforeEach(() => {
  // The framework writes every refusal of a handler to the console.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(CASES)('%s, %s, %s, %s', (_, api, layer, way, { major, make }) => {
  it('case C-01: of ten at once leaves exactly the two that fit', async () => {
    const here = await scene(major, api, FOR_TWO);
    const layered = LAYERS[layer]?.(here) as Layered;
    const outcomes = await make(layered);
    expect(here.server.exchanges).toHaveLength(2);
    expect(here.events.filter(({ type }) => type === 'denied')).toHaveLength(8);
    // Agents with the middleware end well.
    const thrown = layer === 'middleware' ? 0 : 8;
    expect(outcomes.filter(isBudgetExceeded)).toHaveLength(thrown);
    if (!way.startsWith('agents')) {
      expect(outcomes.filter(BudgetExceededError.isInstance)).toHaveLength(thrown);
    }
    await here.settled(2);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });
});
