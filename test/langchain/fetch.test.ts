import { BudgetExceededError } from '@hardcap/core';
import { type Fetch, spendBudgetFetch, withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import type { Fields, Model } from './langchain.ts';
import { type Api, MATRIX, type Major } from './majors.ts';
import { scene as plainScene, type SceneOptions } from './scene.ts';

const PROMPT = 'Say something.';
/** As soon as the client of the provider can. */
const headers = { 'retry-after-ms': '1' };
const CENT = { model: 'cent', fields: { maxTokens: 20 } } satisfies SceneOptions;

/** A model whose client sends again by itself, up to twice, which the framework turns off by default. */
function retryingFields(bare: Model, api: Api, fetch: Fetch | undefined): Fields {
  const options = fetch === undefined ? { maxRetries: 2 } : { maxRetries: 2, fetch };
  if (api !== 'anthropic messages') return { configuration: options };
  const { createClient } = bare as unknown as { createClient(options: object): object };
  return { createClient: (given: object) => createClient({ ...given, ...options }) };
}

async function scene(
  major: Major,
  api: Api,
  { fetch, ...options }: SceneOptions & { fetch?: Fetch },
) {
  const { model: _, bare, ...here } = await plainScene(major, api, { ...CENT, ...options });
  const retrying = here.bareModel(retryingFields(bare, api, fetch));
  return { ...here, retrying, model: withSpendBudget(retrying, here.guard) };
}

const WAYS: Readonly<Record<string, (model: Model) => Promise<unknown>>> = {
  invoke: (model) => model.invoke(PROMPT),
  stream: async (model) => {
    for await (const _chunk of await model.stream(PROMPT));
  },
};

// Google's packages take no fetch, and send nothing again by themselves.
const TAKING = MATRIX.filter(([, api]) => !api.startsWith('gemini'));

const CASES = TAKING.flatMap(([name, api, major]) =>
  Object.entries(WAYS).map(([way, make]) => [name, api, way, { major, make }] as const),
);

describe.each(CASES)('%s, %s, %s: a client that sends again', (_, api, __, { major, make }) => {
  const reply = [{ status: 500, headers }, { status: 429, headers }, { outputTokens: 5 }];

  it('is one call without the fetch, and one for each request with it', async () => {
    const unseen = await scene(major, api, { reply });
    await make(unseen.model);
    expect(unseen.server.exchanges).toHaveLength(3);
    await unseen.settled(1);
    const seen = await scene(major, api, { reply, fetch: spendBudgetFetch() });
    await make(seen.model);
    expect(seen.server.exchanges).toHaveLength(3);
    const entries = await seen.settled(3);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'not-sent', 'known']);
    expect(entries.map(({ attempt }) => attempt)).toEqual([undefined, 2, 3]);
    expect(await seen.spent()).toBe(seen.server.billedNanoUsd());
  });

  it('is refused a request that the budget does not carry, which nobody tries again', async () => {
    const { server, model, settled, events } = await scene(major, api, {
      cap: '0.30',
      reply: { cutBeforeHeaders: true, outputTokens: 20 },
      fields: { maxTokens: 20, maxRetries: 2 },
      fetch: spendBudgetFetch(),
    });
    await expect(make(model)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'denied')).toHaveLength(1);
    await settled(1);
  });
});

const ONE = TAKING.filter(([, api]) => api !== 'openai responses');

describe.each(ONE)('%s, %s: a client that sends again', (_, api, major) => {
  it('is charged for a request whose connection was lost after it was sent', async () => {
    const reply = [{ cutBeforeHeaders: true, outputTokens: 20 }, { outputTokens: 5 }];
    const here = await scene(major, api, { reply, fetch: spendBudgetFetch() });
    await here.model.invoke(PROMPT);
    const entries = await here.settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['unknown', 'known']);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('counts what the framework sends again, too, and nothing twice', async () => {
    const failed = { status: 500, headers };
    const reply = [failed, failed, failed, { outputTokens: 5 }];
    const fields = { maxTokens: 20, maxRetries: 1 };
    const here = await scene(major, api, { reply, fields, fetch: spendBudgetFetch() });
    await here.model.invoke(PROMPT);
    expect(here.server.exchanges).toHaveLength(4);
    const entries = await here.settled(4);
    expect(entries.map(({ attempt }) => attempt)).toEqual([undefined, 2, 3, 4]);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it('is charged for an answer during which something else fails by the same fetch', async () => {
    const fetch = spendBudgetFetch();
    const reply = [{ outputTokens: 5 }, { status: 500 }];
    const here = await scene(major, api, { reply, fetch });
    const fields = {
      ...retryingFields(here.bareModel(), api, fetch),
      model: 'cent',
      maxTokens: 20,
    };
    const other = here.bareModel({ ...fields, maxRetries: 0 });
    let asked: Promise<unknown> | undefined;
    const handleLLMNewToken = async () => {
      asked ??= other.invoke(PROMPT).catch(() => {});
      await asked;
    };
    for await (const _ of await here.model.stream(PROMPT, { callbacks: [{ handleLLMNewToken }] }));
    expect(here.server.exchanges.length).toBeGreaterThan(1);
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('known');
    expect(await here.spent()).toBe(here.server.exchanges[0]?.billedNanoUsd);
  });

  it('keeps parallel calls apart, and lets those of other models pass', async () => {
    const here = await scene(major, api, { fetch: spendBudgetFetch() });
    await Promise.all(Array.from({ length: 5 }, () => here.model.invoke(PROMPT)));
    await here.retrying.invoke(PROMPT);
    expect(here.server.exchanges).toHaveLength(6);
    await here.settled(5);
  });
});
