import { BudgetExceededError } from '@hardcap/core';
import { withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import { sendChunks } from '../wire/send-chunks.ts';
import type { Model } from './langchain.ts';
import { MAJORS, type Major } from './majors.ts';
import { drain, scene as openAiScene, type SceneOptions } from './scene.ts';

const PROMPT = 'Say something.';

type MakeModel = (major: Major, url: string, fields: object) => Model;

/** Packages of other providers, whose protocol is so near to OpenAI's that the same server speaks it. */
const PROVIDERS: Readonly<Record<'groq' | 'mistral', MakeModel>> = {
  groq: ({ langchain }, url, fields) =>
    new langchain.ChatGroq({
      ...{ apiKey: 'wire', maxRetries: 0, baseUrl: url, ...fields },
      // Its path has a prefix of its own.
      fetch: (input: string | URL | Request, init?: RequestInit) =>
        fetch(String(input).replace('/openai/v1', '/v1'), init),
    }),
  mistral: ({ langchain }, url, fields) =>
    new langchain.ChatMistralAI({
      ...{ apiKey: 'wire', maxRetries: 0, serverURL: url, ...fields },
    }),
};

async function scene(major: Major, make: MakeModel, options: SceneOptions = {}) {
  const { model: _, bare: __, ...here } = await openAiScene(major, 'openai chat', options);
  const { model = 'gpt-4o-cent', fields, budget } = options;
  const bare = make(major, here.server.url, { model, maxTokens: 20, ...fields });
  return { ...here, model: withSpendBudget(bare, here.guard, budget) };
}

async function drained(model: Model): Promise<void> {
  for await (const _chunk of await model.stream(PROMPT));
}

const CASES = MAJORS.flatMap((major) =>
  (['groq', 'mistral'] as const).map(
    (provider) => [major.name, provider, major, PROVIDERS[provider]] as const,
  ),
);

describe.each(CASES)('%s, %s', (_, provider, major, make) => {
  it('is charged what it bills', async () => {
    const here = await scene(major, make, {
      reply: { inputTokens: 1_000, outputTokens: 7, chatDialect: provider },
      model: 'gpt-4.1',
    });
    await here.model.invoke(PROMPT);
    for await (const _chunk of await here.model.stream(PROMPT));
    const entries = await here.settled(2);
    expect(entries.map((entry) => entry.provider)).toEqual([provider, provider]);
    expect(entries.map((entry) => entry.outcome)).toEqual(['known', 'known']);
    expect(here.server.billedNanoUsd()).toBeGreaterThan(0);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('is sent nothing that the budget refuses', async () => {
    const { model, server } = await scene(major, make, { cap: '0.10' });
    await expect(model.invoke(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
    await expect(model.stream(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
  });

  it('is sent a lower limit where the whole does not fit', async () => {
    const budget = { minOutputTokens: 5 };
    const { model, server } = await scene(major, make, { cap: '0.10', budget });
    await model.invoke(PROMPT);
    await drain(model.stream(PROMPT));
    const { max_tokens, max_completion_tokens } = server.exchanges[0]?.body ?? {};
    expect(max_tokens ?? max_completion_tokens).toBe(10);
  });

  it('is cut where a stream crosses its cap', async () => {
    const reply = { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' } as const;
    const here = await scene(major, make, { cap: '0.20', reply });
    const done = drain(here.model.stream(PROMPT));
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    expect(await exchange.closed).toBe('client-closed');
    await done;
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  });

  it('case C-68: is closed at once when its reader leaves', async () => {
    const reply = { outputTokens: 90, pace: 'manual' } as const;
    const { model, server, settled, spent } = await scene(major, make, { reply });
    const left = (async () => {
      for await (const chunk of await model.stream(PROMPT)) if (chunk.text !== '') break;
    })();
    const exchange = await server.nextExchange();
    await sendChunks(exchange, 2);
    await left;
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
  });

  it('is closed at once when its caller aborts', async () => {
    const reply = { outputTokens: 90, pace: 'manual' } as const;
    const { model, server, settled } = await scene(major, make, { reply });
    const client = new AbortController();
    const done = drain(model.stream(PROMPT, { signal: client.signal }));
    const exchange = await server.nextExchange();
    await sendChunks(exchange, 2);
    client.abort();
    await done;
    expect(await exchange.closed).toBe('client-closed');
    await settled(1);
  });

  it('is closed at once when its caller aborts a whole answer', async () => {
    const reply = { holdBeforeHeaders: new Promise(() => {}) };
    const { model, server, settled } = await scene(major, make, { reply });
    const client = new AbortController();
    const done = model.invoke(PROMPT, { signal: client.signal }).catch(() => {});
    const exchange = await server.nextExchange();
    client.abort();
    await done;
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ outcome: 'unknown', costNanoUsd: entry?.heldNanoUsd });
  });

  it('is charged what it bills where nobody reads it', async () => {
    const { model, server, settled, spent } = await scene(major, make, {
      reply: { outputTokens: 9, chatDialect: provider },
    });
    await model.stream(PROMPT);
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('known');
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is reserved for again when its package sends again, and charged for both', async () => {
    const reply = [
      { cutBeforeHeaders: true, outputTokens: 20 },
      { outputTokens: 5, chatDialect: provider },
    ] as const;
    const fields = { maxRetries: 2 };
    const here = await scene(major, make, { fields, reply });
    await here.model.invoke(PROMPT);
    expect(here.server.exchanges).toHaveLength(2);
    const entries = await here.settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['unknown', 'known']);
    expect(entries.map(({ attempt }) => attempt)).toEqual([undefined, 2]);
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  });

  it('sends a stream again only where the budget has more', async () => {
    const here = await scene(major, make, {
      fields: { maxRetries: 2 },
      budgets: [{ name: 'requests', per: ['user'], limit: { requests: 1 }, window: 'total' }],
      reply: { cutBeforeHeaders: true },
    });
    const error: unknown = await drained(here.model).catch((thrown: unknown) => thrown);
    expect(BudgetExceededError.isInstance(error)).toBe(true);
    expect(here.server.exchanges).toHaveLength(1);
    expect(here.events.filter(({ type }) => type === 'denied')).toHaveLength(1);
    await here.settled(1);
  });

  it('sends once without retries of its own', async () => {
    const here = await scene(major, make, { reply: { cutBeforeHeaders: true } });
    await expect(here.model.invoke(PROMPT)).rejects.toThrow();
    expect(here.server.exchanges).toHaveLength(1);
    await here.settled(1);
  });

  it.each([401, 429, 503])('is charged nothing for a refusal with %s', async (status) => {
    const { model, settled } = await scene(major, make, { reply: { status } });
    await model.invoke(PROMPT).catch(() => {});
    await drain(model.stream(PROMPT));
    const entries = await settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'not-sent']);
  });
});
