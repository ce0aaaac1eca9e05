import { spendBudgetForEmbeddings, withSpendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { MAJORS, type Major } from './majors.ts';
import { scene as languageScene, type SceneOptions } from './scene.ts';
import type { EmbeddingModel } from './sdk.ts';

const MODEL = 'text-embedding-3-small';
const CALL = { maxRetries: 0 };

type Way = 'middleware' | 'withSpendBudget';

async function scene(major: Major, way: Way, options: SceneOptions = {}) {
  const here = await languageScene(major, 'openai chat', options);
  const { server, guard } = here;
  const bare = major.openai({ baseURL: server.openaiBaseUrl, apiKey: 'wire' }).embedding(MODEL);
  const middleware = spendBudgetForEmbeddings(guard, options.budget);
  const model = (
    way === 'withSpendBudget'
      ? withSpendBudget(bare, guard, options.budget)
      : major.ai.wrapEmbeddingModel?.({ model: bare, middleware })
  ) as EmbeddingModel;
  return { ...here, bare, model };
}

const CASES = MAJORS.flatMap((major) =>
  (['middleware', 'withSpendBudget'] as const)
    // Version 5 has no middleware for embeddings.
    .filter((way) => way === 'withSpendBudget' || major.ai.wrapEmbeddingModel !== undefined)
    .map((way) => [major.name, way, major] as const),
);

describe.each(CASES)('%s, %s: embeddings', (_, way, major) => {
  const { ai } = major;

  it('are charged what the provider bills', async () => {
    const { server, model, settled, spent } = await scene(major, way, {
      reply: { inputTokens: 17 },
    });
    expect((await ai.embed({ ...CALL, model, value: 'one' })).embedding).toHaveLength(8);
    expect((await ai.embedMany({ ...CALL, model, values: ['a', 'b'] })).embeddings).toHaveLength(2);
    const entries = await settled(2);
    expect(entries.map(({ usage }) => usage?.input)).toEqual([17, 17]);
    expect(server.billedNanoUsd()).toBeGreaterThan(0);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('give the same result as without a budget', async () => {
    const { bare, model } = await scene(major, way);
    const params = { values: ['one', 'two'] };
    const comparable = (result: object) => JSON.stringify({ ...result, response: undefined });
    expect(comparable(await model.doEmbed(params))).toBe(comparable(await bare.doEmbed(params)));
  });

  it('are not sent where the budget refuses', async () => {
    const { server, model, events } = await scene(major, way, { cap: '0.000000001' });
    const call = ai.embedMany({ model, values: ['one', 'two'] });
    await expect(call).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['denied']);
  });

  it('are held at the bound of all that is sent', async () => {
    const { model, settled } = await scene(major, way);
    await ai.embedMany({ ...CALL, model, values: ['word '.repeat(1_000), 'word '.repeat(1_000)] });
    const [entry] = await settled(1);
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(2_000 * 20);
  });

  it('take who pays from providerOptions, and do not send it', async () => {
    const { server, model, settled } = await scene(major, way);
    const hardcap = { identity: { user: 'u7' }, operationId: 'op-1' };
    await ai.embed({ ...CALL, model, value: 'one', providerOptions: { hardcap } });
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ identity: { user: 'u7' }, operationId: 'op-1' });
    expect(JSON.stringify(server.exchanges[0]?.body)).not.toMatch(/hardcap|u7/);
  });

  it.each([
    ['nothing where they were refused', { status: 500 }, 'not-sent'],
    ['their hold where nobody knows', { cutBeforeHeaders: true }, 'unknown'],
    ['their hold where no usage comes', { usage: 'missing' } as const, 'known'],
  ])('cost %s', async (__, reply, outcome) => {
    const { model, settled } = await scene(major, way, { reply });
    await ai.embed({ ...CALL, model, value: 'some words' }).catch(() => {});
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe(outcome);
    expect(entry?.costNanoUsd).toBe(outcome === 'not-sent' ? 0 : entry?.heldNanoUsd);
  });
});

describe.each(MAJORS)("$name: embeddings of Google's", (major) => {
  it('are charged what its answers report, though the package leaves it out', async () => {
    const options = { reply: { inputTokens: 17 } };
    const { server, guard, settled, spent } = await languageScene(major, 'gemini', options);
    const google = major.google({ baseURL: server.googleBaseUrl, apiKey: 'wire' });
    const model = withSpendBudget(google.embedding(MODEL), guard);
    await major.ai.embed({ ...CALL, model, value: 'one' });
    await major.ai.embedMany({ ...CALL, model, values: ['one', 'two'] });
    const entries = await settled(2);
    expect(entries.map(({ usage }) => usage?.input)).toEqual([17, 17]);
    expect(await spent()).toBe(server.billedNanoUsd());
  });
});
