import { BudgetExceededError, MemoryUsageSink } from '@hardcap/core';
import {
  isBudgetExceeded,
  SpendBudgetCallbackHandler,
  type SpendBudgetMiddlewareOptions,
  spendBudgetMiddleware,
  withSpendBudget,
} from '@hardcap/langchain';
import type { ChatAnthropic } from '@langchain/anthropic';
import { Command, MemorySaver } from '@langchain/langgraph';
import type { ChatOpenAI } from '@langchain/openai';
import {
  type AgentMiddleware,
  createAgent,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  providerStrategy,
  tool,
} from 'langchain';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { sendChunks } from '../wire/send-chunks.ts';
import type { Api, Major } from './majors.ts';
import { MAJORS } from './majors.ts';
import { scene as majorScene, type SceneOptions } from './scene.ts';

const MAJOR = MAJORS[1] as Major;
const APIS: readonly Api[] = ['openai chat', 'openai responses', 'anthropic messages'];
const LOOK = { name: 'look', arguments: {} };
const ASKED = { messages: [{ role: 'user' as const, content: 'Go.' }] };
/** Two steps of 20 cents: one that calls a tool, and one that answers. */
const TWO_STEPS: SceneOptions = {
  model: 'cent',
  cap: '0.45',
  fields: { maxTokens: 20 },
  reply: [{ outputTokens: 19, toolCalls: [LOOK] }, { outputTokens: 20 }],
};

const look = tool(() => 'Seen.', { name: 'look', description: 'Looks.', schema: z.object({}) });

/** A scene with an agent whose middleware holds it to the budget. */
async function scene(
  api: Api,
  options: SceneOptions & { middleware?: SpendBudgetMiddlewareOptions } = {},
) {
  const { model: _, bare, ...here } = await majorScene(MAJOR, api, { ...TWO_STEPS, ...options });
  const model = bare as unknown as ChatOpenAI | ChatAnthropic;
  const middleware = spendBudgetMiddleware(here.guard, options.middleware);
  const checkpointer = new MemorySaver();
  const agent = createAgent({ model, tools: [look], middleware: [middleware], checkpointer });
  const topUp = () =>
    here.guard.topUp({ budget: 'cap', identity: { user: 'u1' } }, { usd: '1.00' });
  return { ...here, agent, model, middleware, topUp };
}

const THREAD = { configurable: { thread_id: 't1' } };

describe.each(APIS)('%s: an agent with the middleware', (api) => {
  it('runs as without it while there is budget, each step charged what it cost', async () => {
    const { agent, server, settled, spent } = await scene(api);
    const { messages } = await agent.invoke(ASKED, THREAD);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    await settled(2);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('ends with a message where the budget refuses, and the conversation can go on', async () => {
    const { agent, server, topUp } = await scene(api, { cap: '0.25' });
    const { messages } = await agent.invoke(ASKED, THREAD);
    expect(server.exchanges).toHaveLength(1);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages.at(-1)?.text).toContain('spending limit');
    expect(messages.at(-1)?.response_metadata).toMatchObject({ hardcap: { status: 402 } });
    await topUp();
    const next = await agent.invoke(ASKED, THREAD);
    expect(next.messages.at(-1)?.text).not.toContain('spending limit');
    expect(server.exchanges).toHaveLength(2);
  });

  it('throws where that is asked for', async () => {
    const middleware = { exitBehavior: 'error' } as const;
    const { agent, server } = await scene(api, { cap: '0.25', middleware });
    const error: unknown = await agent.invoke(ASKED, THREAD).catch((thrown) => thrown);
    expect(isBudgetExceeded(error)).toBe(true);
    expect(BudgetExceededError.find(error)?.status).toBe(402);
    expect(server.exchanges).toHaveLength(1);
  });

  it('pauses where that is asked for, and goes on after a top-up with one more request', async () => {
    const middleware = { exitBehavior: 'interrupt' } as const;
    const { agent, server, topUp, spent } = await scene(api, { cap: '0.25', middleware });
    const paused = await agent.invoke(ASKED, THREAD);
    expect(paused).toMatchObject({ __interrupt__: [{ value: { type: 'budget-exceeded' } }] });
    expect(server.exchanges).toHaveLength(1);
    const again = await agent.invoke(new Command({ resume: true }), THREAD);
    expect(again).toHaveProperty('__interrupt__');
    expect(server.exchanges).toHaveLength(1);
    await topUp();
    const { messages } = await agent.invoke(new Command({ resume: true }), THREAD);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(server.exchanges).toHaveLength(2);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('lowers the output limit of what does not fit whole', async () => {
    const { agent, server } = await scene(api, {
      cap: '0.30',
      middleware: { minOutputTokens: 16 },
      fields: { maxTokens: 900 },
      reply: { outputTokens: 5 },
    });
    await agent.invoke(ASKED, THREAD);
    const { max_tokens, max_output_tokens } = server.exchanges[0]?.body ?? {};
    expect(max_tokens ?? max_output_tokens).toBe(30);
  });

  it('ends a stream that is cut', async () => {
    const { agent, server, settled } = await scene(api, {
      cap: '0.20',
      reply: { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' },
    });
    const chunks: string[] = [];
    const read = (async () => {
      const stream = await agent.stream(ASKED, { ...THREAD, streamMode: 'messages' });
      for await (const [chunk] of stream) chunks.push(chunk.text);
    })();
    const exchange = await server.nextExchange();
    await sendChunks(exchange, 21);
    expect(await exchange.closed).toBe('client-closed');
    await read;
    expect(chunks.at(-1)).toContain('spending limit');
    await settled(1);
  });
});

describe('the middleware', () => {
  it('takes who pays from the context of a run, and checks it', async () => {
    const { agent, settled } = await scene('openai chat');
    const context = { hardcap: { identity: { user: 'u7' } } };
    await agent.invoke(ASKED, { ...THREAD, context });
    for (const entry of await settled(2)) expect(entry.identity).toMatchObject({ user: 'u7' });
    const misspelt = { hardcap: { identities: { user: 'u7' } } } as object;
    await expect(agent.invoke(ASKED, { ...THREAD, context: misspelt })).rejects.toThrow();
  });

  it('guards a model that is given by its name', async () => {
    const { guard, server, settled, spent } = await scene('openai chat', {
      reply: [{ toolCalls: [LOOK] }, { outputTokens: 9 }],
    });
    vi.stubEnv('OPENAI_API_KEY', 'wire');
    vi.stubEnv('OPENAI_BASE_URL', server.openaiBaseUrl);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const middleware = [spendBudgetMiddleware(guard)];
    const agent = createAgent({ model: 'openai:gpt-4.1', tools: [look], middleware });
    const { messages } = await agent.invoke(ASKED);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    await settled(2);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('gives a structured answer as without it', async () => {
    const { guard, server, bareModel, settled, spent } = await scene('openai chat', {
      model: 'gpt-4.1',
      fields: {},
      reply: { text: '{"name":"Ada"}' },
    });
    const agent = createAgent({
      model: bareModel() as unknown as ChatOpenAI,
      tools: [],
      responseFormat: providerStrategy(z.object({ name: z.string() })),
      middleware: [spendBudgetMiddleware(guard)],
    });
    const { structuredResponse } = await agent.invoke(ASKED);
    expect(structuredResponse).toEqual({ name: 'Ada' });
    await settled(1);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('sends what the budget refuses to a cheaper model', async () => {
    const { guard, server, model, bareModel, settled, spent } = await scene('openai chat', {
      cap: '0.15',
      reply: { outputTokens: 5 },
    });
    const downgradeTo = bareModel({ model: 'gpt-4.1', maxTokens: 50 });
    const middleware = [spendBudgetMiddleware(guard, { downgradeTo })];
    const agent = createAgent({ model, tools: [look], middleware });
    await agent.invoke(ASKED);
    expect(server.exchanges.map(({ body }) => body['model'])).toEqual(['gpt-4.1']);
    await settled(1);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('uses the cheaper model from a share of the limit on', async () => {
    const { guard, server, model, bareModel } = await scene('openai chat', { cap: '9' });
    const downgradeTo = bareModel({ model: 'gpt-4.1', maxTokens: 50 });
    const middleware = [spendBudgetMiddleware(guard, { downgradeTo, downgradeAt: 0.02 })];
    await createAgent({ model, tools: [look], middleware }).invoke(ASKED);
    expect(server.exchanges.map(({ body }) => body['model'])).toEqual(['cent', 'gpt-4.1']);
  });

  it('does not stop at figures that it cannot have: the budgets say what is done then', async () => {
    const { guard, server, model, bareModel } = await scene('openai chat', {
      budgets: [
        { name: 'cap', per: [], limit: { usd: '9' }, window: 'total', onSinkError: 'allow' },
      ],
      guard: {
        sink: Object.assign(new MemoryUsageSink(), {
          read: () => Promise.reject(new Error('It is away.')),
        }),
      },
    });
    const middleware = [
      spendBudgetMiddleware(guard, { downgradeTo: bareModel(), downgradeAt: 0.9 }),
    ];
    await createAgent({ model, tools: [look], middleware }).invoke(ASKED);
    expect(server.exchanges).toHaveLength(2);
  });

  it('leaves it to the metadata of a run to say who pays for its tools, too', async () => {
    const { guard, model, bareModel, settled } = await scene('openai chat', {
      cap: '9',
      reply: [{ toolCalls: [{ name: 'ask', arguments: {} }] }, { outputTokens: 2 }],
    });
    const helper = withSpendBudget(bareModel(), guard);
    const ask = tool(async () => (await helper.invoke('Help.')).text, {
      name: 'ask',
      description: 'Asks.',
      schema: z.object({}),
    });
    const middleware = [spendBudgetMiddleware(guard)];
    const metadata = { hardcap: { identity: { user: 'u7' } } };
    await createAgent({ model, tools: [ask], middleware }).invoke(ASKED, { metadata });
    for (const entry of await settled(3)) expect(entry.identity).toMatchObject({ user: 'u7' });
  });

  it('reserves once beside a guarded model and a handler', async () => {
    const { guard, model, settled, spent, server } = await scene('openai chat');
    const agent = createAgent({
      model: withSpendBudget(model, guard, { tags: { own: true } }),
      tools: [look],
      middleware: [spendBudgetMiddleware(guard)],
    });
    const callbacks = [new SpendBudgetCallbackHandler(guard)];
    await agent.invoke(ASKED, { callbacks });
    for (const entry of await settled(2)) expect(entry.tags).toMatchObject({ own: true });
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it.each([
    ['end', 1, 'spending limit'],
    // Wrapped, the refusal has lost the mark that it is not to be tried again.
    ['error', 3, 'Model call failed after 3 attempts'],
  ] as const)(
    'is asked by an outer modelRetryMiddleware: %s',
    async (exitBehavior, asked, text) => {
      const { guard, model, events, server } = await scene('openai chat', { cap: '0.05' });
      const retry = modelRetryMiddleware({ maxRetries: 2, initialDelayMs: 1 });
      // Its type does not fit the agent's where optional properties are exact.
      const middleware = [retry as AgentMiddleware, spendBudgetMiddleware(guard, { exitBehavior })];
      const { messages } = await createAgent({ model, tools: [look], middleware }).invoke(ASKED);
      expect(messages.at(-1)?.text).toContain(text);
      expect(events.map(({ type }) => type)).toEqual(Array(asked).fill('denied'));
      expect(server.exchanges).toEqual([]);
    },
  );

  it('lets an outer modelFallbackMiddleware have what its own budgets admit', async () => {
    const { guard, model, bareModel, server, settled, spent } = await scene('openai chat', {
      cap: '0.05',
      reply: { outputTokens: 5 },
    });
    const cheap = bareModel({ model: 'gpt-4.1' }) as unknown as ChatOpenAI;
    const middleware = [
      modelFallbackMiddleware(cheap) as AgentMiddleware,
      spendBudgetMiddleware(guard, { exitBehavior: 'error' }),
    ];
    await createAgent({ model, tools: [look], middleware }).invoke(ASKED);
    expect(server.exchanges.map(({ body }) => body['model'])).toEqual(['gpt-4.1']);
    await settled(1);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('refuses options that cannot mean anything', async () => {
    const { guard } = await scene('openai chat');
    const wrong: readonly object[] = [
      { exitBehavior: 'stop' },
      { downgradeAt: 80 },
      { downgradeTo: 'gpt-4.1' },
    ];
    for (const options of wrong) {
      expect(() => spendBudgetMiddleware(guard, options)).toThrow(/`(?:exit|downgrade)/);
    }
  });
});
