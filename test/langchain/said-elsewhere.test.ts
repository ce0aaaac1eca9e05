import {
  reserveFanOut,
  SpendBudgetCallbackHandler,
  spendBudgetMiddleware,
  withSpendBudget,
} from '@hardcap/langchain';
import { type AgentMiddleware, createAgent, createMiddleware, initChatModel } from 'langchain';
import { describe, expect, it } from 'vitest';
import { PRICES } from '../ai-sdk/prices.ts';
import type { Fields, Model } from './langchain.ts';
import { MAJORS, type Major } from './majors.ts';
import { type Scene, scene } from './scene.ts';

const PROMPT = 'Say something.';
const PRIORITY = { service_tier: 'priority' };
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};
const [, MAJOR] = MAJORS as [Major, Major];
const OPTIONS = {
  fields: { maxTokens: 500 },
  reply: { inputTokens: 20, outputTokens: 500, serviceTier: 'priority' },
};

/** What 500 tokens cost at the tier that was asked for. */
async function expectDear({ settled, spent, server }: Scene): Promise<void> {
  const [entry] = await settled(1);
  const { output = Number.NaN } = PRICES['gpt-4.1@priority'] ?? {};
  expect(server.exchanges[0]?.body).toMatchObject(PRIORITY);
  expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual((500 * output) / 1_000);
  expect(await spent()).toBe(server.billedNanoUsd());
}

const WAYS: Readonly<Record<string, (model: Model) => Promise<unknown>>> = {
  withConfig: (model) => model.withConfig(PRIORITY).invoke(PROMPT),
  bindTools: (model) => model.bindTools([LOOK], PRIORITY).invoke(PROMPT),
  withFallbacks: (model) =>
    model
      .withConfig({ ...PRIORITY })
      .withFallbacks([model])
      .invoke(PROMPT),
};

describe.each(MAJORS)('$name: a dearer tier that is said elsewhere', (major) => {
  it.each(Object.entries(WAYS))('is held: %s', async (_, make) => {
    const here = await scene(major, 'openai chat', OPTIONS);
    await make(here.model);
    await expectDear(here);
  });

  it('is held: a member that the model is given later', async () => {
    const here = await scene(major, 'openai chat', OPTIONS);
    Object.assign((here.bare as unknown as { completions: object }).completions, PRIORITY);
    await here.model.invoke(PROMPT);
    await expectDear(here);
  });

  it('takes more than what was reserved before for a call without it', async () => {
    const here = await scene(major, 'openai chat', OPTIONS);
    const { configs, release } = await reserveFanOut(here.model, [PROMPT]);
    await here.model.invoke(PROMPT, { ...configs[0], ...PRIORITY });
    await release();
    await expectDear(here);
  });
});

describe('a dearer tier that is said elsewhere, with langchain 1', () => {
  it('is held: another middleware that says it', async () => {
    const here = await scene(MAJOR, 'openai chat', OPTIONS);
    const asking = createMiddleware({
      name: 'asking',
      wrapModelCall: (request, handler) => handler({ ...request, modelSettings: PRIORITY }),
    });
    const ours = spendBudgetMiddleware(here.guard) as unknown as AgentMiddleware;
    const middleware = [asking, ours] as const;
    const agent = createAgent({ model: here.bare as never, tools: [], middleware });
    await agent.invoke({ messages: [{ role: 'user', content: PROMPT }] });
    await expectDear(here);
  });

  it('is held: the config of a run, of a model that takes all from there', async () => {
    const here = await scene(MAJOR, 'openai chat', OPTIONS);
    const configuration = { baseURL: here.server.openaiBaseUrl };
    const fields = { modelProvider: 'openai', apiKey: 'wire', configuration, maxTokens: 500 };
    const configurableFields = 'any' as const;
    const found = await initChatModel('gpt-4.1', { ...fields, configurableFields });
    const model = withSpendBudget(found as never, here.guard) as unknown as Model;
    await model.invoke(PROMPT, { configurable: { modelKwargs: PRIORITY } });
    await expectDear(here);
  });
});

describe.each(MAJORS)('$name: a limit that nothing sends', (major) => {
  it('does not make the hold of a handler smaller', async () => {
    const here = await scene(major, 'openai chat', { reply: { outputTokens: 900 } });
    const handler = new SpendBudgetCallbackHandler(here.guard, { maxOutputTokens: 50 });
    await here.bare.invoke(PROMPT, { callbacks: [handler] });
    const [entry] = await here.settled(1);
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  });

  it('does not make the hold smaller, where the model says it can write less than it can', async () => {
    const here = await scene(major, 'openai chat', { reply: { outputTokens: 900 } });
    const profile: Fields = { maxOutputTokens: 50 };
    Object.defineProperty(here.bare, 'profile', { value: profile, configurable: true });
    await here.model.invoke(PROMPT);
    const [entry] = await here.settled(1);
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  });
});
