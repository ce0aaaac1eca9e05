import { BudgetExceededError } from '@hardcap/core';
import { withSpendBudget } from '@hardcap/langchain';
import { ChatGroq } from '@langchain/groq';
import { ChatMistralAI } from '@langchain/mistralai';
import { describe, expect, it } from 'vitest';
import { sendChunks } from '../wire/send-chunks.ts';
import type { Model } from './langchain.ts';
import { MAJORS, type Major } from './majors.ts';
import { drain, scene as openAiScene, type SceneOptions } from './scene.ts';

const MAJOR = MAJORS[1] as Major;
const PROMPT = 'Say something.';

/** Packages of other providers, whose protocol is so near to OpenAI's that the same server speaks it. */
const PROVIDERS: Readonly<Record<string, (url: string, fields: object) => unknown>> = {
  groq: (url, fields) =>
    new ChatGroq({
      ...{ apiKey: 'wire', model: 'gpt-4o-cent', maxRetries: 0, baseUrl: url, ...fields },
      // Its path has a prefix of its own.
      fetch: (input: string | URL | Request, init?: RequestInit) =>
        fetch(String(input).replace('/openai/v1', '/v1'), init),
    }),
  mistral: (url, fields) =>
    new ChatMistralAI({
      ...{ apiKey: 'wire', model: 'gpt-4o-cent', maxRetries: 0, serverURL: url, ...fields },
    }),
};

async function scene(provider: string, options: SceneOptions = {}) {
  const { model: _, bare: __, ...here } = await openAiScene(MAJOR, 'openai chat', options);
  const make = PROVIDERS[provider] ?? (() => null);
  const bare = make(here.server.url, { maxTokens: 20, ...options.fields }) as Model;
  return { ...here, model: withSpendBudget(bare, here.guard, options.budget) };
}

describe.each(Object.keys(PROVIDERS))('%s', (provider) => {
  it('is charged what it bills', async () => {
    const here = await scene(provider, { reply: { outputTokens: 7 } });
    await here.model.invoke(PROMPT);
    for await (const _chunk of await here.model.stream(PROMPT));
    const entries = await here.settled(2);
    expect(entries.map((entry) => entry.provider)).toEqual([provider, provider]);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('is sent nothing that the budget refuses', async () => {
    const { model, server } = await scene(provider, { cap: '0.10' });
    await expect(model.invoke(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
    await expect(model.stream(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
  });

  it('is sent a lower limit where the whole does not fit', async () => {
    const budget = { minOutputTokens: 5 };
    const { model, server } = await scene(provider, { cap: '0.10', budget });
    await model.invoke(PROMPT);
    await drain(model.stream(PROMPT));
    const { max_tokens, max_completion_tokens } = server.exchanges[0]?.body ?? {};
    expect(max_tokens ?? max_completion_tokens).toBe(10);
  });

  it('is cut where a stream crosses its cap', async () => {
    const reply = { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' } as const;
    const here = await scene(provider, { cap: '0.20', reply });
    const done = drain(here.model.stream(PROMPT));
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    expect(await exchange.closed).toBe('client-closed');
    await done;
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  });
});
