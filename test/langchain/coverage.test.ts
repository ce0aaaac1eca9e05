import { readFileSync } from 'node:fs';
import {
  SpendBudgetCallbackHandler,
  spendBudgetMiddleware,
  withSpendBudget,
} from '@hardcap/langchain';
import { RunnableLambda } from '@langchain/core/runnables';
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import type { ChatOpenAI } from '@langchain/openai';
import {
  type AgentMiddleware,
  createAgent,
  llmToolSelectorMiddleware,
  summarizationMiddleware,
  tool,
} from 'langchain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Major } from './majors.ts';
import { MAJORS } from './majors.ts';
import { scene } from './scene.ts';

const MAJOR = MAJORS[1] as Major;
const PROMPT = 'Say something.';
const ASKED = { messages: [{ role: 'user' as const, content: PROMPT }] };
const State = Annotation.Root({ answer: Annotation<unknown> });

/** What a layer gives to a program. */
interface Layered {
  /** Every model of the program is this one. */
  readonly model: ChatOpenAI;
  /** Of the outermost run. */
  readonly config: object;
  readonly middleware: readonly AgentMiddleware[];
}

interface Scene {
  readonly guard: Parameters<typeof withSpendBudget>[1];
  bareModel(fields?: object): unknown;
}

const LAYERS: Readonly<Record<string, (scene: Scene) => Layered>> = {
  'guarded model': ({ guard, bareModel }) => ({
    model: withSpendBudget(bareModel() as ChatOpenAI, guard),
    config: {},
    middleware: [],
  }),
  middleware: ({ guard, bareModel }) => ({
    model: bareModel() as ChatOpenAI,
    config: {},
    middleware: [spendBudgetMiddleware(guard)],
  }),
  'handler of the model': ({ guard, bareModel }) => ({
    model: bareModel({ callbacks: [new SpendBudgetCallbackHandler(guard)] }) as ChatOpenAI,
    config: {},
    middleware: [],
  }),
  'handler of the run': ({ guard, bareModel }) => ({
    model: bareModel() as ChatOpenAI,
    config: { callbacks: [new SpendBudgetCallbackHandler(guard)] },
    middleware: [],
  }),
};

async function read(stream: unknown): Promise<void> {
  for await (const _item of (await stream) as AsyncIterable<unknown>);
}

const look = tool(() => 'Seen.', { name: 'look', description: 'Looks.', schema: z.object({}) });

function graphOf(run: () => unknown) {
  return new StateGraph(State)
    .addNode('ask', async () => ({ answer: await run() }))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile();
}

function agentOf({ model, middleware }: Layered, tools = [look]) {
  return createAgent({ model, tools, middleware: [...middleware] });
}

/** Every path to a provider. Those of agents alone have a middleware. */
const PATHS: Readonly<Record<string, (layered: Layered) => Promise<unknown>>> = {
  '`invoke`': ({ model, config }) => model.invoke(PROMPT, config),
  '`stream`': ({ model, config }) => read(model.stream(PROMPT, config)),
  '`batch`': ({ model, config }) => model.batch([PROMPT], config),
  '`generate` of several lists': ({ model, config }) =>
    model.generate([[['user', PROMPT]], [['user', PROMPT]]], config),
  '`streamEvents`, version v1': ({ model, config }) =>
    read(model.streamEvents(PROMPT, { ...config, version: 'v1' })),
  '`streamEvents`, version v2': ({ model, config }) =>
    read(model.streamEvents(PROMPT, { ...config, version: 'v2' })),
  '`streamEvents` without a version': ({ model, config }) =>
    read(model.streamEvents(PROMPT, config)),
  '`bindTools`': ({ model, config }) => model.bindTools([look]).invoke(PROMPT, config),
  '`withStructuredOutput`': ({ model, config }) =>
    model.withStructuredOutput(z.object({ a: z.string() })).invoke(PROMPT, config),
  'a sequence': ({ model, config }) => model.pipe((message) => message).invoke(PROMPT, config),
  'a lambda that hands no config on': ({ model, config }) =>
    RunnableLambda.from(() => model.invoke(PROMPT)).invoke({}, config),
  'a nested call with `callbacks: []`': ({ model, config }) =>
    RunnableLambda.from(() => model.invoke(PROMPT, { callbacks: [] })).invoke({}, config),
  '`createAgent`, `invoke`': (layered) => agentOf(layered).invoke(ASKED, layered.config),
  '`createAgent`, `stream`': (layered) => read(agentOf(layered).stream(ASKED, layered.config)),
  '`createAgent`, `streamEvents`, version v2': async (layered) =>
    read(await agentOf(layered).streamEvents(ASKED, { ...layered.config, version: 'v2' })),
  '`createAgent`, `streamEvents`, version v3': async (layered) =>
    read(await agentOf(layered).streamEvents(ASKED, { ...layered.config, version: 'v3' })),
  'a node of a graph': ({ model, config }) =>
    graphOf(() => model.invoke(PROMPT)).invoke({}, config),
  'a branch by `Send`': ({ model, config }) =>
    new StateGraph(State)
      .addNode('ask', async () => ({ answer: await model.invoke(PROMPT) }))
      .addConditionalEdges(START, () => [new Send('ask', {})])
      .addEdge('ask', END)
      .compile()
      .invoke({}, config),
  'a subgraph': ({ model, config }) => {
    const inner = graphOf(() => model.invoke(PROMPT));
    return graphOf(() => inner.invoke({})).invoke({}, config);
  },
  'a call within a tool': ({ model, config }) => {
    const ask = tool(async () => (await model.invoke(PROMPT)).text, {
      name: 'ask',
      description: 'Asks.',
      schema: z.object({}),
    });
    return graphOf(() => ask.invoke({})).invoke({}, config);
  },
  'the model of `summarizationMiddleware`': ({ model, config, middleware }) => {
    const trigger = { messages: 2 };
    const keep = { messages: 1 };
    const summarize = summarizationMiddleware({ model, trigger, keep } as never);
    const agent = createAgent({
      model,
      tools: [look],
      middleware: [summarize as AgentMiddleware, ...middleware],
    });
    const messages = [1, 2, 3].map(() => ({ role: 'user' as const, content: PROMPT }));
    return agent.invoke({ messages }, config);
  },
  'the model of `llmToolSelectorMiddleware`': ({ model, config, middleware }) => {
    const tools = [1, 2, 3].map((number) =>
      tool(() => 'Seen.', { name: `look${number}`, description: 'Looks.', schema: z.object({}) }),
    );
    const select = llmToolSelectorMiddleware({ model, maxTools: 1 } as never);
    const agent = createAgent({
      model,
      tools,
      middleware: [select as AgentMiddleware, ...middleware],
    });
    return agent.invoke(ASKED, config);
  },
};

const AGENT_PATHS = /createAgent|Middleware/;

const DOCUMENT = new URL('../../docs/langchain.md', import.meta.url);

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What a layer does about a call that the budget cannot carry. */
async function outcomeOf(layer: string, path: string): Promise<string> {
  if (layer === 'middleware' && !AGENT_PATHS.test(path)) return '–';
  const { server, guard, bareModel, events } = await scene(MAJOR, 'openai chat', {
    model: 'cent',
    cap: '0.10',
    fields: { maxTokens: 20 },
  });
  const layered = LAYERS[layer]?.({ guard, bareModel }) as Layered;
  await PATHS[path]?.(layered).catch(() => {});
  const wasDenied = events.some(({ type }) => type === 'denied');
  if (server.exchanges.length > 0) return 'NO';
  return wasDenied ? 'yes' : 'not called';
}

describe('the table of what each layer refuses, in docs/langchain.md', () => {
  const lines = readFileSync(DOCUMENT, 'utf8').split('\n');

  it.each(Object.keys(PATHS))('is right about %s', async (path) => {
    const cells: string[] = [];
    for (const layer of Object.keys(LAYERS)) cells.push(await outcomeOf(layer, path));
    expect(lines).toContain(`| ${[path, ...cells].join(' | ')} |`);
  });
});
