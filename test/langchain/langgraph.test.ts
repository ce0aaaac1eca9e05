import { BudgetExceededError } from '@hardcap/core';
import { isBudgetExceeded, withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Message, Model } from './langchain.ts';
import { MAJORS, type Major } from './majors.ts';
import { type SceneOptions, scene } from './scene.ts';

const LOOK = { name: 'look', arguments: {} };
const ASKED = { messages: [{ role: 'user', content: 'Go.' }] };
const CENT: SceneOptions = { model: 'cent', fields: { maxTokens: 20 } };

/** A graph that asks the model once for each of some topics at the same time. */
function fanOut({ langchain }: Major, model: Model, topics: number) {
  const { Annotation, END, Send, START, StateGraph } = langchain;
  const State = Annotation.Root({
    answers: Annotation({ reducer: (all: string[], more: string[]) => [...all, ...more] }),
  });
  return new StateGraph(State)
    .addNode('ask', async () => ({ answers: [(await model.invoke('Go.')).content] }))
    .addConditionalEdges(START, () =>
      Array.from({ length: topics }, () => new Send('ask', { answers: [] })),
    )
    .addEdge('ask', END)
    .compile();
}

describe.each(MAJORS)('$name, LangGraph', (major) => {
  const { langchain } = major;

  it('an agent with a guarded model is charged step by step, and stopped between two', async () => {
    const reply = [{ outputTokens: 19, toolCalls: [LOOK] }, { outputTokens: 20 }];
    for (const [cap, steps] of [
      ['9', 2],
      ['0.25', 1],
    ] as const) {
      const here = await scene(major, 'openai chat', { ...CENT, cap, reply });
      const look = langchain.tools.tool(() => 'Seen.', {
        name: 'look',
        description: 'Looks.',
        schema: z.object({}),
      });
      const agent = langchain.createReactAgent({ llm: here.model, tools: [look] });
      const result: unknown = await agent.invoke(ASKED).catch((error: unknown) => error);
      expect(isBudgetExceeded(result)).toBe(steps === 1);
      expect(here.server.exchanges).toHaveLength(steps);
      await here.settled(steps);
      expect(await here.spent()).toBe(here.server.billedNanoUsd());
    }
  });

  it('a fan-out of which one is refused throws, and leaves no hold open', async () => {
    const reply = { outputTokens: 20, pace: { everyMs: 5 } };
    const { guard, server, model, spent } = await scene(major, 'openai chat', {
      ...CENT,
      cap: '0.45',
      reply,
    });
    const error: unknown = await fanOut(major, model, 4)
      .invoke({ answers: [] })
      .catch((thrown: unknown) => thrown);
    expect(isBudgetExceeded(error)).toBe(true);
    await expect.poll(() => guard.verify()).toMatchObject({ reservations: 0, differences: [] });
    expect(server.exchanges.length).toBeLessThanOrEqual(2);
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
  });

  it('a fan-out can wait for what its siblings give back', async () => {
    const { server, model, settled, spent } = await scene(major, 'openai chat', {
      ...CENT,
      cap: '0.45',
      reply: { outputTokens: 3 },
      budget: { waitForHeadroomMs: 5_000 },
    });
    const { answers } = await fanOut(major, model, 4).invoke({ answers: [] });
    expect(answers).toHaveLength(4);
    expect(server.exchanges).toHaveLength(4);
    await settled(4);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('a call before an interrupt is made and charged again when the node begins anew', async () => {
    const { server, model, settled, spent } = await scene(major, 'openai chat');
    const { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } = langchain;
    const graph = new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('ask', async () => {
        const { content } = await model.invoke('Go.');
        return { answer: [content, interrupt('Is that so?')] };
      })
      .addEdge(START, 'ask')
      .addEdge('ask', END)
      .compile({ checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: 't1' } };
    await graph.invoke({}, thread);
    await graph.invoke(new Command({ resume: 'yes' }), thread);
    expect(server.exchanges).toHaveLength(2);
    await settled(2);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('case C-93: a graph that was refused goes on from its checkpoint after a top-up', async () => {
    const { guard, server, model } = await scene(major, 'openai chat', {
      ...CENT,
      cap: '0.10',
    });
    const { Annotation, END, MemorySaver, START, StateGraph } = langchain;
    const graph = new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('ask', async () => ({ answer: (await model.invoke('Go.')).content }))
      .addEdge(START, 'ask')
      .addEdge('ask', END)
      .compile({ checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: 't1' } };
    await expect(graph.invoke({}, thread)).rejects.toSatisfy(BudgetExceededError.isInstance);
    await guard.topUp({ budget: 'cap', identity: { user: 'u1' } }, { usd: '1.00' });
    expect(await graph.invoke(null, thread)).toHaveProperty('answer');
    expect(server.exchanges).toHaveLength(1);
  });

  it('a subgraph and an agent used as a tool are guarded by their model', async () => {
    const { guard, server, bareModel, settled, spent } = await scene(major, 'openai chat', {
      reply: [{ toolCalls: [{ name: 'ask', arguments: {} }] }, { outputTokens: 7 }, {}],
    });
    const inner = langchain.createReactAgent({
      llm: withSpendBudget(bareModel(), guard),
      tools: [],
    });
    const ask = langchain.tools.tool(
      async () => String(((await inner.invoke(ASKED))['messages'] as Message[]).at(-1)?.content),
      { name: 'ask', description: 'Asks.', schema: z.object({}) },
    );
    const outer = langchain.createReactAgent({
      llm: withSpendBudget(bareModel(), guard),
      tools: [ask],
    });
    await outer.invoke(ASKED);
    expect(server.exchanges).toHaveLength(3);
    await settled(3);
    expect(await spent()).toBe(server.billedNanoUsd());
  });
});
