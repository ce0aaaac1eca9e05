import type { Budget, SpendGuard } from '@hardcap/core';
import { BudgetExceededError } from '@hardcap/core';
import {
  isBudgetExceeded,
  type SpendBudgetMiddlewareOptions,
  spendBudgetMiddleware,
  withSpendBudget,
} from '@hardcap/langchain';
import type { ChatOpenAI } from '@langchain/openai';
import { type AgentMiddleware, createAgent, tool, toolRetryMiddleware } from 'langchain';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Model, Runnable } from './langchain.ts';
import { MAJORS, type Major } from './majors.ts';
import { scene as majorScene, type SceneOptions } from './scene.ts';

const NEWER = MAJORS[1] as Major;
const NONE = z.object({});
const ASKED = { messages: [{ role: 'user' as const, content: 'Go.' }] };
const ASK = { name: 'ask', arguments: {} };

/** The agent may spend, its tools may not. */
const BUDGETS: readonly Budget[] = [
  { name: 'run', per: ['user'], limit: { usd: '100' }, window: 'total' },
  {
    name: 'tools',
    per: ['user'],
    limit: { usd: '0.01' },
    window: { calendar: 'month' },
    match: { kind: 'tool' },
  },
];

/** A model that always calls tools, and another one for tools to call. */
async function scene(major: Major, options: SceneOptions = {}) {
  const {
    model: _,
    bare,
    ...here
  } = await majorScene(major, 'openai chat', {
    model: 'cent',
    fields: { maxTokens: 20 },
    budgets: BUDGETS,
    reply: { outputTokens: 9, toolCalls: [ASK] },
    ...options,
  });
  const helper = withSpendBudget(here.bareModel(), here.guard, { identity: { kind: 'tool' } });
  const denials = () => here.events.filter(({ type }) => type === 'denied').length;
  return { ...here, bare, helper, denials };
}

function askTool(helper: Runnable) {
  const definition = { name: 'ask', description: 'Asks.', schema: NONE };
  return tool(async () => (await helper.invoke('Help.')).text, definition);
}

const ok = tool(() => 'Fine.', { name: 'ok', description: 'Does nothing.', schema: NONE });

describe('a tool of an agent with the middleware that runs into a refusal', () => {
  async function agent(
    options: SpendBudgetMiddlewareOptions,
    given: { outer?: readonly unknown[]; scene?: SceneOptions } = {},
  ) {
    const here = await scene(NEWER, given.scene);
    const model = here.bare as unknown as ChatOpenAI;
    const own = spendBudgetMiddleware(here.guard, options);
    // Their types do not fit the agent's where optional properties are exact.
    const middleware = [...(given.outer ?? []), own] as readonly AgentMiddleware[];
    const tools = [askTool(here.helper), ok];
    return { ...here, agent: createAgent({ model, tools, middleware: [...middleware] }) };
  }

  /** An agent, whose tool is tried again by a middleware that shows but the names of errors. */
  async function hidden(
    options: SpendBudgetMiddlewareOptions,
    help: (helper: Runnable, guard: SpendGuard) => Promise<{ readonly text: string }>,
  ) {
    const here = await scene(NEWER, {
      reply: [{ outputTokens: 9, toolCalls: [ASK] }, { outputTokens: 3 }],
    });
    const definition = { name: 'ask', description: 'Asks.', schema: NONE };
    const ask = tool(async () => (await help(here.helper, here.guard)).text, definition);
    const own = spendBudgetMiddleware(here.guard, options);
    const middleware = [toolRetryMiddleware(), own] as readonly unknown[];
    const model = here.bare as unknown as ChatOpenAI;
    const given = { model, tools: [ask], middleware: [...(middleware as AgentMiddleware[])] };
    return { ...here, agent: createAgent(given) };
  }

  it('ends the run with a message', async () => {
    const here = await agent({});
    const { messages } = await here.agent.invoke(ASKED);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(here.server.exchanges).toHaveLength(1);
    expect(here.denials()).toBe(1);
    await here.settled(1);
  });

  it('ends the run with the error', async () => {
    const here = await agent({ exitBehavior: 'error' });
    const error: unknown = await here.agent.invoke(ASKED).catch((thrown: unknown) => thrown);
    expect(BudgetExceededError.find(error)?.denial.refusals).toMatchObject([{ budget: 'tools' }]);
    expect(here.server.exchanges).toHaveLength(1);
  });

  it('ends the run also beside other tools of the same step, which run', async () => {
    const reply = { outputTokens: 9, toolCalls: [ASK, { name: 'ok', arguments: {} }, ASK] };
    const here = await agent({}, { scene: { reply } });
    const { messages } = await here.agent.invoke(ASKED);
    const types = messages.map(({ type }) => type);
    expect(types).toEqual(['human', 'ai', 'tool', 'tool', 'tool', 'ai']);
    expect(messages[3]?.text).toBe('Fine.');
    expect(messages.at(-1)?.text).toContain('spending limit');
    expect(here.server.exchanges).toHaveLength(1);
    expect(here.denials()).toBe(2);
  });

  it('is not tried again by toolRetryMiddleware, which hides all but its name', async () => {
    const here = await agent({}, { outer: [toolRetryMiddleware()] });
    const { messages } = await here.agent.invoke(ASKED);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages.at(-1)?.text).toContain('spending limit');
    expect(here.server.exchanges).toHaveLength(1);
    expect(here.denials()).toBe(1);
  });

  it.each([
    ['by the guard', {}],
    ['by the options', { identity: { user: 'u1' } }],
    ['by a function', { identity: () => ({ user: 'u1' }) }],
  ])('shows its own refusal though another tenant met one since, told %s', async (_, options) => {
    const here = await hidden({ ...options, exitBehavior: 'error' }, async (helper, guard) => {
      const own: unknown = await helper.invoke('Help.').catch((thrown: unknown) => thrown);
      await guard.withIdentity({ user: 'u2' }, () => helper.invoke('Help.').catch(() => {}));
      throw own;
    });
    const error: unknown = await here.agent.invoke(ASKED).catch((thrown: unknown) => thrown);
    const { refusals } = BudgetExceededError.find(error)?.denial ?? { refusals: [] };
    expect(refusals.map(({ account }) => account)).toEqual(['tools|user=u1']);
    expect(here.denials()).toBe(2);
  });

  it('goes on where only the refusal of somebody else may be meant, and shows none of it', async () => {
    const here = await hidden({ exitBehavior: 'error' }, (helper, guard) =>
      guard.withIdentity({ user: 'u2' }, () => helper.invoke('Help.')),
    );
    const { messages } = await here.agent.invoke(ASKED);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(JSON.stringify(messages)).not.toContain('u2');
    expect(here.server.exchanges).toHaveLength(2);
    expect(here.denials()).toBe(1);
  });

  it('throws at once where toolRetryMiddleware does not hide it', async () => {
    const here = await agent({}, { outer: [toolRetryMiddleware({ onFailure: 'error' })] });
    const error: unknown = await here.agent.invoke(ASKED).catch((thrown: unknown) => thrown);
    expect(isBudgetExceeded(error)).toBe(true);
    expect(here.server.exchanges).toHaveLength(1);
    expect(here.denials()).toBe(1);
  });

  it.each([
    ['error', 'tool', 1],
    // It has ended well, and says so to the outer agent, which has budget left.
    ['end', 'ai', 2],
  ] as const)('is an agent itself, with exitBehavior %s', async (exitBehavior, last, requests) => {
    const here = await scene(NEWER, {
      reply: [{ outputTokens: 9, toolCalls: [ASK] }, { outputTokens: 3 }],
    });
    const inner = createAgent({
      model: here.helper as unknown as ChatOpenAI,
      tools: [],
      middleware: [spendBudgetMiddleware(here.guard, { exitBehavior })],
    });
    const ask = tool(async () => (await inner.invoke(ASKED)).messages.at(-1)?.text, {
      name: 'ask',
      description: 'Asks.',
      schema: NONE,
    });
    const outer = createAgent({
      model: here.bare as unknown as ChatOpenAI,
      tools: [ask],
      middleware: [spendBudgetMiddleware(here.guard)],
    });
    const { messages } = await outer.invoke(ASKED);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages[2]?.text.includes('BudgetExceededError')).toBe(last === 'tool');
    expect(here.server.exchanges).toHaveLength(requests);
    await here.settled(requests);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });
});

describe.each(MAJORS)('$name: a tool of a ready-made LangGraph agent', (major) => {
  const { createReactAgent, ToolNode, tools } = major.langchain;

  it('that runs into a refusal ends the run where its node hands errors on', async () => {
    const here = await scene(major);
    const ask = tools.tool(async () => (await here.helper.invoke('Help.')).content, {
      name: 'ask',
      description: 'Asks.',
      schema: NONE,
    });
    const llm: Model = withSpendBudget(here.bare, here.guard);
    const strict = new ToolNode([ask], { handleToolErrors: false });
    const agent = createReactAgent({ llm, tools: strict });
    await expect(agent.invoke(ASKED)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(here.server.exchanges).toHaveLength(1);
    expect(here.denials()).toBe(1);
    await here.settled(1);
  });
});
