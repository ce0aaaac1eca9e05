import { BudgetExceededError } from '@hardcap/core';
import { isBudgetExceeded } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import type { Langchain, Message, Model } from './langchain.ts';
import { MAJORS } from './majors.ts';
import { type Scene, type SceneOptions, scene } from './scene.ts';

/** Each call holds and costs 20 cents. */
const CENT: SceneOptions = {
  model: 'cent',
  fields: { maxTokens: 20 },
  reply: { outputTokens: 20 },
};
const THREAD = { configurable: { thread_id: 't1' } };

function topUp({ guard }: Scene): Promise<unknown> {
  return guard.topUp({ budget: 'cap', identity: { user: 'u1' } }, { usd: '9' });
}

function askTask({ task }: Langchain, name: string, model: Model) {
  return task(name, async () => (await model.invoke('Go.')).content);
}

function nodeGraph(
  { Annotation, END, START, StateGraph }: Langchain,
  run: () => unknown,
  options?: object,
) {
  return new StateGraph(Annotation.Root({ answer: Annotation() }))
    .addNode('ask', async () => ({ answer: await run() }), { ...options })
    .addEdge(START, 'ask')
    .addEdge('ask', END);
}

describe.each(MAJORS)('$name, the functional API of LangGraph', ({ langchain, ...major }) => {
  const { Command, entrypoint, interrupt, MemorySaver } = langchain;

  it('makes the task that was refused after a top-up, and no other again', async () => {
    const here = await scene({ ...major, langchain }, 'openai chat', { ...CENT, cap: '0.25' });
    const [first, second] = ['first', 'second'].map((name) =>
      askTask(langchain, name, here.model),
    ) as [() => Promise<unknown>, () => Promise<unknown>];
    const flow = entrypoint({ name: 'flow', checkpointer: new MemorySaver() }, async () => ({
      answers: [await first(), await second()],
    }));
    await expect(flow.invoke({}, THREAD)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(here.server.exchanges).toHaveLength(1);
    await topUp(here);
    expect(await flow.invoke(null, THREAD)).toHaveProperty('answers');
    expect(here.server.exchanges).toHaveLength(2);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
    expect((await here.guard.verify()).reservations).toBe(0);
  });

  it('of ten tasks at once makes no more than the two that fit', async () => {
    const here = await scene({ ...major, langchain }, 'openai chat', { ...CENT, cap: '0.40' });
    const ask = askTask(langchain, 'ask', here.model);
    const flow = entrypoint({ name: 'flow' }, async () => ({
      answers: await Promise.all(Array.from({ length: 10 }, () => ask())),
    }));
    await expect(flow.invoke({})).rejects.toSatisfy(isBudgetExceeded);
    // The first refusal aborts the others, perhaps before they are sent.
    await expect.poll(() => here.guard.verify()).toMatchObject({ reservations: 0 });
    expect(here.server.exchanges.length).toBeLessThanOrEqual(2);
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  });

  it('does not make a task again that was done before an interrupt', async () => {
    const here = await scene({ ...major, langchain }, 'openai chat', CENT);
    const ask = askTask(langchain, 'ask', here.model);
    const flow = entrypoint({ name: 'flow', checkpointer: new MemorySaver() }, async () => ({
      answer: [await ask(), interrupt('Is that so?')],
    }));
    await flow.invoke({}, THREAD);
    const { answer } = await flow.invoke(new Command({ resume: 'yes' }), THREAD);
    expect(answer).toMatchObject([expect.any(String), 'yes']);
    expect(here.server.exchanges).toHaveLength(1);
    await here.settled(1);
  });
});

describe.each(MAJORS)('$name, a graph', (major) => {
  const { langchain } = major;
  const { Annotation, Command, END, interrupt, MemorySaver, Send, START, StateGraph } = langchain;

  it('whose fan-out was refused makes after a top-up only the branches that are missing', async () => {
    const here = await scene(major, 'openai chat', { ...CENT, cap: '0.45' });
    const State = Annotation.Root({
      answers: Annotation({ reducer: (all: string[], more: string[]) => [...all, ...more] }),
    });
    // One after the other, so that it is certain which are done.
    let turn: Promise<unknown> = Promise.resolve();
    const ask = () => {
      turn = turn.catch(() => {}).then(() => here.model.invoke('Go.'));
      return turn.then((answer) => ({ answers: [(answer as Message).content] }));
    };
    const graph = new StateGraph(State)
      .addNode('ask', ask)
      .addConditionalEdges(START, () => [1, 2, 3, 4].map(() => new Send('ask', { answers: [] })))
      .addEdge('ask', END)
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({ answers: [] }, THREAD)).rejects.toSatisfy(isBudgetExceeded);
    expect(here.server.exchanges).toHaveLength(2);
    await topUp(here);
    const { answers } = await graph.invoke(null, THREAD);
    expect(answers).toHaveLength(4);
    expect(here.server.exchanges).toHaveLength(4);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('with a subgraph that was refused goes on in it after a top-up', async () => {
    const here = await scene(major, 'openai chat', { ...CENT, cap: '0.25' });
    const ask = async () => ({ answer: (await here.model.invoke('Go.')).content });
    const inner = new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('first', ask)
      .addNode('second', ask)
      .addEdge(START, 'first')
      .addEdge('first', 'second')
      .addEdge('second', END)
      .compile();
    const outer = new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('inner', inner as never)
      .addEdge(START, 'inner')
      .addEdge('inner', END)
      .compile({ checkpointer: new MemorySaver() });
    await expect(outer.invoke({}, THREAD)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(here.server.exchanges).toHaveLength(1);
    await topUp(here);
    expect(await outer.invoke(null, THREAD)).toHaveProperty('answer');
    expect(here.server.exchanges).toHaveLength(2);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('with a subgraph that interrupts pays for nothing twice', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const inner = new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('ask', async () => ({ answer: (await here.model.invoke('Go.')).content }))
      .addNode('confirm', () => ({ answer: interrupt('Is that so?') }))
      .addEdge(START, 'ask')
      .addEdge('ask', 'confirm')
      .addEdge('confirm', END)
      .compile();
    const outer = new StateGraph(Annotation.Root({ answer: Annotation() }))
      .addNode('inner', inner as never)
      .addEdge(START, 'inner')
      .addEdge('inner', END)
      .compile({ checkpointer: new MemorySaver() });
    await outer.invoke({}, THREAD);
    expect(await outer.invoke(new Command({ resume: 'yes' }), THREAD)).toEqual({ answer: 'yes' });
    expect(here.server.exchanges).toHaveLength(1);
    await here.settled(1);
  });

  it('that tries a node again reserves each attempt of it', async () => {
    const reply = [{ status: 500 }, { outputTokens: 5 }];
    const here = await scene(major, 'openai chat', { ...CENT, reply });
    const retryPolicy = { maxAttempts: 3, initialInterval: 1, logWarning: false };
    const graph = nodeGraph(langchain, () => here.model.invoke('Go.'), { retryPolicy }).compile();
    await graph.invoke({});
    expect(here.server.exchanges).toHaveLength(2);
    const entries = await here.settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'known']);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('that tries a node again asks for tokens again, and for money not', async () => {
    for (const [limit, denials] of [
      [{ tokens: 1 }, 3],
      [{ usd: '0.01' }, 1],
    ] as const) {
      const here = await scene(major, 'openai chat', {
        ...CENT,
        budgets: [{ name: 'cap', per: ['user'], limit, window: 'total' }],
      });
      const retryPolicy = { maxAttempts: 3, initialInterval: 1, logWarning: false };
      const graph = nodeGraph(langchain, () => here.model.invoke('Go.'), { retryPolicy }).compile();
      await expect(graph.invoke({})).rejects.toSatisfy(isBudgetExceeded);
      expect(here.events.map(({ type }) => type)).toEqual(Array(denials).fill('denied'));
      expect(here.server.exchanges).toEqual([]);
    }
  });

  it('says who pays for its models, also for those with metadata of their own', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const named = here.model.withConfig({ metadata: { purpose: 'summary' } });
    const graph = nodeGraph(langchain, async () => {
      await named.invoke('Go.');
      await here.model
        .bindTools([])
        .withConfig({ metadata: { a: 1 } })
        .invoke('Go.');
      const metadata = { hardcap: { tags: { step: 'last' } } };
      return (await here.model.invoke('Go.', { metadata })).content;
    }).compile();
    const hardcap = { identity: { user: 'u7' }, operationId: 'op' };
    await graph.invoke({}, { metadata: { hardcap } });
    const entries = await here.settled(3);
    for (const entry of entries) expect(entry).toMatchObject(hardcap);
    expect(entries[2]?.tags).toEqual({ step: 'last' });
  });
});
