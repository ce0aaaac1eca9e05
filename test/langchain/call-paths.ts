import * as z from 'zod';
import { AGENT_PATHS } from './agent-paths.ts';
import type { Langchain } from './langchain.ts';
import type { Layered } from './layers.ts';
import type { Major } from './majors.ts';

export type CallPath = (layered: Layered, langchain: Langchain) => Promise<unknown>;

const PROMPT = 'Say something.';
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};

/** To its end. What is awaited of a stream of events would be its message. */
async function read(stream: PromiseLike<AsyncIterable<unknown>> | AsyncIterable<unknown>) {
  const items = Symbol.asyncIterator in stream ? stream : await stream;
  for await (const _item of items);
}

/** A graph with one node. */
function graphOf({ StateGraph, Annotation, START, END }: Langchain, run: () => unknown) {
  return new StateGraph(Annotation.Root({ answer: Annotation() }))
    .addNode('ask', async () => ({ answer: await run() }))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile();
}

const BOTH: Readonly<Record<string, CallPath>> = {
  '`invoke`': ({ model, config }) => model.invoke(PROMPT, config),
  '`stream`': ({ model, config }) => read(model.stream(PROMPT, config)),
  '`batch`': ({ model, config }) => model.batch([PROMPT], config),
  '`generate` of several lists': ({ model, config }) =>
    model.generate([[['user', PROMPT]], [['user', PROMPT]]], config),
  '`streamEvents`, version v1': ({ model, config }) =>
    read(model.streamEvents(PROMPT, { ...config, version: 'v1' })),
  '`streamEvents`, version v2': ({ model, config }) =>
    read(model.streamEvents(PROMPT, { ...config, version: 'v2' })),
  '`streamLog`': ({ model, config }) => read(model.streamLog(PROMPT, config)),
  '`bindTools`': ({ model, config }) => model.bindTools([LOOK]).invoke(PROMPT, config),
  '`withConfig`': ({ model, config }) => model.withConfig({ tags: ['a'] }).invoke(PROMPT, config),
  '`withStructuredOutput`': ({ model, config }) =>
    model.withStructuredOutput(z.object({ a: z.string() })).invoke(PROMPT, config),
  '`withFallbacks`, both models': ({ model, config }) =>
    model.withFallbacks([model]).invoke(PROMPT, config),
  '`withRetry`': ({ model, config }) =>
    model.withRetry({ stopAfterAttempt: 1 }).invoke(PROMPT, config),
  'a sequence': ({ model, config }) =>
    model.pipe((message: unknown) => message).invoke(PROMPT, config),
  'a lambda that hands no config on': ({ model, config }, { RunnableLambda }) =>
    RunnableLambda.from(() => model.invoke(PROMPT)).invoke({}, config),
  'a nested call with `callbacks: []`': ({ model, config }, { RunnableLambda }) =>
    RunnableLambda.from(() => model.invoke(PROMPT, { callbacks: [] })).invoke({}, config),
  'a node of a graph': ({ model, config }, langchain) =>
    graphOf(langchain, () => model.invoke(PROMPT)).invoke({}, config),
  'a branch by `Send`': ({ model, config }, { StateGraph, Annotation, START, END, Send }) =>
    new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('ask', async () => ({ answer: await model.invoke(PROMPT) }))
      .addConditionalEdges(START, () => [new Send('ask', {})])
      .addEdge('ask', END)
      .compile()
      .invoke({}, config),
  'a subgraph': ({ model, config }, langchain) => {
    const inner = graphOf(langchain, () => model.invoke(PROMPT));
    return graphOf(langchain, () => inner.invoke({})).invoke({}, config);
  },
  'a `task` of an `entrypoint`': ({ model, config }, { entrypoint, task }) => {
    const ask = task('ask', async () => (await model.invoke(PROMPT)).content);
    return entrypoint({ name: 'flow' }, () => ask()).invoke({}, config);
  },
  'a call within a tool': ({ model, config }, langchain) => {
    const ask = langchain.tools.tool(async () => (await model.invoke(PROMPT)).content, {
      name: 'ask',
      description: 'Asks.',
      schema: z.object({}),
    });
    return graphOf(langchain, () => ask.invoke({})).invoke({}, config);
  },
  '`createReactAgent` of LangGraph': ({ model, config }, { createReactAgent }) =>
    createReactAgent({ llm: model, tools: [] }).invoke(
      { messages: [{ role: 'user', content: PROMPT }] },
      config,
    ),
};

const NEWER: Readonly<Record<string, CallPath>> = {
  '`streamEvents` without a version': ({ model, config }) =>
    read(model.streamEvents(PROMPT, config)),
  ...AGENT_PATHS,
};

/** Every path from a program to a provider, by its name in docs/langchain.md. */
export function pathsOf({ name }: Major): Readonly<Record<string, CallPath>> {
  return name === 'langchain 1' ? { ...BOTH, ...NEWER } : BOTH;
}
