import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  BudgetExceededError,
  createSpendGuard,
  InvalidArgumentError,
  MemoryUsageSink,
  type SpendGuard,
} from '@hardcap/core';
import { type FanOutConfig, reserveFanOut, withSpendBudget } from '@hardcap/langchain';
import { initChatModel } from 'langchain';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { TEST_PRICE_BOOK } from '../ai-sdk/prices.ts';
import type { Fields, Model, Runnable } from './langchain.ts';
import { MAJORS, MATRIX, type Major } from './majors.ts';
import { type SceneOptions, scene } from './scene.ts';

/** Each call holds and costs 20 cents. */
const CENT = {
  model: 'cent',
  fields: { maxTokens: 20 },
  reply: { outputTokens: 20 },
} satisfies SceneOptions;
const PROMPTS = ['One.', 'Two.', 'Three.', 'Four.'];
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};

interface Branch {
  readonly prompt: string;
  readonly config: Fields;
}

/** A graph that asks the model each prompt at the same time, and reserves for all of them before. */
function fanOut({ langchain }: Major, model: Model) {
  const { Annotation, END, Send, START, StateGraph } = langchain;
  const State = Annotation.Root({
    answers: Annotation({ reducer: (all: string[], more: string[]) => [...all, ...more] }),
    prompt: Annotation(),
    config: Annotation(),
  });
  const ask = async ({ prompt, config }: Branch) => ({
    answers: [(await model.invoke(prompt, config)).content],
  });
  const route = async () => {
    const { configs } = await reserveFanOut(model, PROMPTS);
    return PROMPTS.map((prompt, n) => new Send('ask', { prompt, config: configs[n] }));
  };
  return new StateGraph(State)
    .addNode('ask', ask as () => unknown)
    .addConditionalEdges(START, route)
    .addEdge('ask', END)
    .compile();
}

const asFields = (config: FanOutConfig | undefined): Fields => ({ ...config });

/** A sink that hears late of what is given back, as one elsewhere may. */
function slowToRelease(): MemoryUsageSink {
  const sink = new MemoryUsageSink();
  const release = sink.release.bind(sink);
  return Object.assign(sink, {
    release: async (id: string) => {
      await nextTurn();
      return release(id);
    },
  });
}

describe.each(MAJORS)('$name: a fan-out that is reserved before', (major) => {
  it('makes room for a call that it does not pay for', async () => {
    const guard = { sink: slowToRelease() };
    const here = await scene(major, 'openai chat', { ...CENT, guard, cap: '0.25' });
    const { configs } = await reserveFanOut(here.model, ['One.']);
    const hardcap = { ...Object(configs[0]?.metadata['hardcap']), identity: { user: 'u1' } };
    await here.model.invoke('One.', { metadata: { hardcap } });
    expect(await here.settled(1)).toMatchObject([{ costNanoUsd: here.server.billedNanoUsd() }]);
  });

  it('does not pay for a call that names somebody else', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const { configs, release } = await reserveFanOut(here.model, ['One.']);
    const hardcap = { ...Object(configs[0]?.metadata['hardcap']), identity: { user: 'u2' } };
    await here.model.invoke('One.', { metadata: { hardcap } });
    await release();
    expect(await here.settled(1)).toMatchObject([{ identity: { user: 'u2' } }]);
  });

  it('is refused as a whole where one branch does not fit, and none is paid for', async () => {
    const here = await scene(major, 'openai chat', { ...CENT, cap: '0.75' });
    const graph = fanOut(major, here.model);
    await expect(graph.invoke({ answers: [] })).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(here.server.exchanges).toEqual([]);
    expect(await here.guard.verify()).toMatchObject({ reservations: 0, differences: [] });
    expect(await here.entries()).toEqual([]);
  });

  it('is made where all branches fit, each charged what it cost', async () => {
    const here = await scene(major, 'openai chat', { ...CENT, cap: '0.80' });
    const { answers } = await fanOut(major, here.model).invoke({ answers: [] });
    expect(answers).toHaveLength(4);
    expect(here.server.exchanges).toHaveLength(4);
    await here.settled(4);
    expect(here.events.filter(({ type }) => type === 'reserved')).toHaveLength(4);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('takes who pays from the run around it, and from its options', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const metadata = { hardcap: { identity: { user: 'u7' }, tags: { job: 'j1' } } };
    await fanOut(major, here.model).invoke({ answers: [] }, { metadata });
    for (const entry of await here.settled(4)) {
      expect(entry).toMatchObject({ identity: { user: 'u7' }, tags: { job: 'j1' } });
    }
    const options = { identity: { user: 'u8' }, operationId: 'op' };
    const { configs } = await reserveFanOut(here.model, ['One.'], options);
    await here.model.invoke('One.', asFields(configs[0]));
    const entry = (await here.settled(5)).at(-1);
    expect(entry).toMatchObject({ identity: { user: 'u8' }, operationId: 'op' });
  });
});

describe.each(MAJORS)('$name: a fan-out of agents', (major) => {
  it('spends the slice that it was granted before, whoever calls in between', async () => {
    const here = await scene(major, 'openai chat', { ...CENT, cap: '0.80' });
    const grant = await here.guard.grant({ from: { user: 'u1' }, limit: { usd: '0.40' } });
    await here.model.batch(['One.', 'Two.']);
    const stranger = here.model.invoke('Three.');
    await expect(stranger).rejects.toSatisfy(BudgetExceededError.isInstance);
    const agent = major.langchain.createReactAgent({ llm: here.model, tools: [] });
    const metadata = { hardcap: { identity: grant.identity } };
    const asked = { messages: [{ role: 'user', content: 'Go.' }] };
    await Promise.all([agent.invoke(asked, { metadata }), agent.invoke(asked, { metadata })]);
    await expect(agent.invoke(asked, { metadata })).rejects.toSatisfy(
      BudgetExceededError.isInstance,
    );
    expect(await grant.close()).toEqual({ spent: 400_000_000, held: 0 });
    expect(here.server.exchanges).toHaveLength(4);
    expect(await here.guard.verify()).toMatchObject({ reservations: 0, differences: [] });
  });
});

describe.each(MATRIX)('%s, %s: calls that are reserved before', (_, api, major) => {
  it('keep their room, whoever calls in between, and have it once', async () => {
    const here = await scene(major, api, { ...CENT, cap: '0.40' });
    const { configs } = await reserveFanOut(here.model, ['One.', 'Two.']);
    const stranger = here.model.invoke('Three.');
    await expect(stranger).rejects.toSatisfy(BudgetExceededError.isInstance);
    const [first, second] = JSON.parse(JSON.stringify(configs)) as Fields[];
    await here.model.invoke('One.', first);
    for await (const _chunk of await here.model.stream('Two.', second));
    const again = here.model.invoke('One.', first);
    await expect(again).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(here.server.exchanges).toHaveLength(2);
    await here.settled(2);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
    expect(JSON.stringify(here.server.exchanges.map(({ body }) => body))).not.toContain('hardcap');
  });

  const MADE: Readonly<Record<string, (model: Model) => Runnable>> = {
    bindTools: (model) => model.bindTools([LOOK]),
    withConfig: (model) => model.withConfig({ tags: ['a'] }),
    withStructuredOutput: (model) => model.withStructuredOutput(z.object({ name: z.string() })),
  };

  it.each(Object.keys(MADE))('cover what %s adds to them', async (made) => {
    const here = await scene(major, api, { fields: { maxTokens: 60 } });
    const runnable = MADE[made]?.(here.model) as Runnable;
    const { configs } = await reserveFanOut(runnable, ['One.']);
    // The server calls no tool, so there may be nothing to parse.
    await runnable.invoke('One.', asFields(configs[0])).catch(() => {});
    expect(here.server.exchanges).toHaveLength(1);
    await here.settled(1);
    expect(here.events.filter(({ type }) => type === 'reserved')).toHaveLength(1);
  });
});

describe('reservations for calls to come', () => {
  const major = MAJORS[1] as Major;

  it('are given back by hand, or after a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const here = await scene(major, 'openai chat', CENT);
    const open = async () => (await here.guard.verify()).reservations;
    const fan = await reserveFanOut(here.model, PROMPTS);
    expect(await open()).toBe(4);
    await fan.release();
    expect(await open()).toBe(0);
    await reserveFanOut(here.model, PROMPTS, { releaseAfterMs: 5_000 });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await open()).toBe(4);
    await vi.advanceTimersByTimeAsync(1);
    expect(await open()).toBe(0);
    expect(await here.entries()).toEqual([]);
  });

  it('cost nothing, and let nothing be sent, where their account is blocked meanwhile', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const { configs } = await reserveFanOut(here.model, ['One.']);
    // The guard stops it after the one before it.
    const probe = await here.guard.reserve({ provider: 'p', model: 'cent', inputTokens: 1 });
    if (!probe.admitted) throw new Error('The cap carries both.');
    await here.guard.block({ budget: 'cap', identity: { user: 'u1' } });
    await expect.poll(() => probe.call.signal.aborted).toBe(true);
    await probe.call.release();
    const call = here.model.invoke('One.', asFields(configs[0]));
    await expect(call).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(here.server.exchanges).toEqual([]);
    expect((await here.guard.verify()).reservations).toBe(0);
    const outcomes = (await here.entries()).filter(({ outcome }) => outcome !== undefined);
    expect(outcomes).toEqual([]);
  });

  it('are replaced where the call turns out to be larger', async () => {
    const here = await scene(major, 'openai chat');
    const { configs } = await reserveFanOut(here.model, ['One.']);
    await here.model.invoke('A much longer prompt than that. '.repeat(50), asFields(configs[0]));
    const reserved = here.events.filter(({ type }) => type === 'reserved');
    expect(reserved).toHaveLength(2);
    await here.settled(1);
  });

  it('take messages and prompts for inputs', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const inputs = [
      'One.',
      [['system', 'Be brief.'], { role: 'user', content: 'Two.' }],
      { toChatMessages: () => [{ content: 'Three.' }] },
    ];
    const fan = await reserveFanOut(here.model, inputs);
    expect(fan.configs).toHaveLength(3);
    await fan.release();
    const holds = () => here.events.filter(({ type }) => type === 'reserved').length;
    for (const wrong of [[7], [...PROMPTS, 7]]) {
      const call = reserveFanOut(here.model, wrong);
      await expect(call).rejects.toSatisfy(InvalidArgumentError.isInstance);
    }
    for (const releaseAfterMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const call = reserveFanOut(here.model, PROMPTS, { releaseAfterMs });
      await expect(call).rejects.toSatisfy(InvalidArgumentError.isInstance);
    }
    expect(holds()).toBe(3);
    expect((await here.guard.verify()).reservations).toBe(0);
    expect((await reserveFanOut(here.model, [])).configs).toEqual([]);
  });

  it('are made by every guard of a model', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const other = createSpendGuard({
      budgets: [{ name: 'other', per: [], limit: { usd: '0.20' }, window: 'total' }],
      prices: TEST_PRICE_BOOK,
    });
    onTestFinished(() => other.close());
    const both = withSpendBudget(here.model, other);
    const two = reserveFanOut(both, ['One.', 'Two.']);
    await expect(two).rejects.toSatisfy(BudgetExceededError.isInstance);
    const open = async (guard: SpendGuard) => (await guard.verify()).reservations;
    expect([await open(here.guard), await open(other)]).toEqual([0, 0]);
    const { configs } = await reserveFanOut(both, ['One.']);
    const before = here.events.length;
    await both.invoke('One.', asFields(configs[0]));
    expect(here.events.slice(before).map(({ type }) => type)).toEqual(['settled']);
    expect([await open(here.guard), await open(other)]).toEqual([0, 0]);
  });

  it('are made for a model that is found by its name', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const bare = await initChatModel('cent', {
      modelProvider: 'openai',
      apiKey: 'wire',
      maxRetries: 0,
      maxTokens: 20,
      configuration: { baseURL: here.server.openaiBaseUrl },
    });
    const found = withSpendBudget(bare, here.guard);
    const { configs } = await reserveFanOut(found, ['One.']);
    await found.invoke('One.', asFields(configs[0]));
    await here.settled(1);
    expect(here.events.filter(({ type }) => type === 'reserved')).toHaveLength(1);
  });

  it('are not made for what is not guarded, or is only part of a chain', async () => {
    const here = await scene(major, 'openai chat', CENT);
    const { RunnableLambda } = major.langchain;
    const chain = RunnableLambda.from(() => 'One.').pipe(here.model);
    for (const runnable of [here.bare, chain]) {
      const call = reserveFanOut(runnable, ['One.']);
      await expect(call).rejects.toSatisfy(InvalidArgumentError.isInstance);
    }
  });
});
