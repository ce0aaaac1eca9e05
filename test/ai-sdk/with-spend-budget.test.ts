import {
  spendBudget,
  spendBudgetForEmbeddings,
  spendBudgetForImages,
  withSpendBudget,
} from '@hardcap/ai-sdk';
import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { sendChunks } from '../wire/send-chunks.ts';
import { MAJORS, MATRIX, type Major } from './majors.ts';
import { type SceneOptions, scene } from './scene.ts';
import type { Model, Provider } from './sdk.ts';

const CALL = { prompt: 'Say something.', maxRetries: 0 };

type Options = SceneOptions & { guardOptions?: Parameters<typeof withSpendBudget>[2] };

async function provided(major: Major, options: Options = {}) {
  const here = await scene(major, 'openai chat', options);
  const bare = major.openai({ baseURL: here.server.openaiBaseUrl, apiKey: 'wire' });
  return { ...here, bare, openai: withSpendBudget(bare, here.guard, options.guardOptions) };
}

describe.each(MATRIX)('%s, %s: a model of withSpendBudget', (_, api, major) => {
  const { ai } = major;

  it('is charged what the provider bills, whole and streamed', async () => {
    const { bare, guard, server, settled, spent } = await scene(major, api);
    const model = withSpendBudget(bare, guard);
    await ai.generateText({ ...CALL, model });
    await ai.streamText({ ...CALL, model }).consumeStream();
    await settled(2);
    expect(server.billedNanoUsd()).toBeGreaterThan(0);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is still what it was', async () => {
    const { bare, guard } = await scene(major, api);
    const model = withSpendBudget(bare, guard);
    expect(model).toBeInstanceOf(bare.constructor);
    const { provider, modelId, specificationVersion } = bare;
    expect(model).toMatchObject({ provider, modelId, specificationVersion });
  });

  it('is cut where a stream crosses its cap', async () => {
    const reply = { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' } as const;
    const options = { model: 'cent', cap: '0.20', reply };
    const { bare, guard, server, settled } = await scene(major, api, options);
    const model = withSpendBudget(bare, guard);
    const result = ai.streamText({ ...CALL, model, maxOutputTokens: 20, onError() {} });
    const done = result.consumeStream();
    const exchange = await server.nextExchange();
    await sendChunks(exchange, 21);
    expect(await exchange.closed).toBe('client-closed');
    await done;
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
  });

  it('takes who pays from providerOptions, and does not send it', async () => {
    const { bare, guard, server, settled } = await scene(major, api);
    const model = withSpendBudget(bare, guard);
    const providerOptions = { hardcap: { identity: { user: 'u7' } } };
    await ai.generateText({ ...CALL, model, providerOptions });
    const [entry] = await settled(1);
    expect(entry?.identity).toMatchObject({ user: 'u7' });
    expect(JSON.stringify(server.exchanges[0]?.body)).not.toMatch(/hardcap|u7/);
  });
});

const WAYS: readonly (readonly [string, (openai: Provider) => Model])[] = [
  ['called', (openai) => (openai as unknown as (id: string) => Model)('gpt-4.1')],
  ['languageModel', (openai) => openai.languageModel('gpt-4.1')],
  ['chat', (openai) => openai.chat('gpt-4.1')],
  ['responses', (openai) => openai.responses('gpt-4.1')],
];

describe.each(MAJORS)('$name: a provider of withSpendBudget', (major) => {
  const { ai } = major;

  it.each(WAYS)('guards every language model: %s', async (_, take) => {
    const { openai, server, settled, spent } = await provided(major);
    await ai.generateText({ ...CALL, model: take(openai) });
    await settled(1);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it.each(WAYS)('sends nothing that the budget refuses: %s', async (_, take) => {
    const { openai, server } = await provided(major, { cap: '0.000001' });
    const call = ai.generateText({ ...CALL, model: take(openai) });
    await expect(call).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
  });

  it('guards embeddings and images', async () => {
    const { openai, server, settled, spent } = await provided(major, { reply: { inputTokens: 3 } });
    await ai.embed({ model: openai.embedding('text-embedding-3-small'), value: 'one' });
    await settled(1);
    expect(await spent()).toBe(server.billedNanoUsd());
    const { generateImage = ai.experimental_generateImage } = ai;
    await generateImage?.({ model: openai.image('gpt-image-1'), prompt: 'A fox.' });
    await settled(2);
  });

  it('keeps what makes no model', async () => {
    const { openai, bare } = await provided(major);
    expect(Object.keys(openai)).toEqual(Object.keys(bare));
    const { tools } = openai as unknown as { tools: object };
    expect(tools).toBe((bare as unknown as { tools: object }).tools);
  });

  it('can stand in a registry', async () => {
    const { openai, settled } = await provided(major);
    const registry = ai.createProviderRegistry({ openai }, {} as never);
    await ai.generateText({ ...CALL, model: registry.languageModel('openai:gpt-4.1') });
    await settled(1);
  });

  it('case C-74: refuses calls of models that bill by what nobody here can count', async () => {
    const { openai, server } = await provided(major);
    const speak = ai.experimental_generateSpeech({ model: openai.speech('tts-1'), text: 'Hi.' });
    await expect(speak).rejects.toThrow('pieceCost');
    expect(server.exchanges).toEqual([]);
  });

  it('holds and charges them as a piece where the options say what that costs', async () => {
    const guardOptions = { pieceCost: '0.015' };
    const { openai, server, settled } = await provided(major, { guardOptions });
    const call = { model: openai.speech('tts-1'), text: 'Hi.', maxRetries: 0 };
    // The wire server does not speak, and refuses: nothing is charged.
    await ai.experimental_generateSpeech(call).catch(() => {});
    expect(server.exchanges[0]).toMatchObject({ protocol: 'unknown', status: 404 });
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ outcome: 'not-sent', heldNanoUsd: 15_000_000, costNanoUsd: 0 });
  });

  it('guards once, however often it is asked to', async () => {
    const { openai, guard, settled } = await provided(major);
    const model = withSpendBudget(withSpendBudget(openai, guard).chat('gpt-4.1'), guard);
    await ai.generateText({ ...CALL, model });
    await settled(1);
  });

  it('guards once where a middleware of the same guard is around it', async () => {
    const { openai, guard, server, settled, spent } = await provided(major);
    const model = ai.wrapLanguageModel({
      model: openai.chat('gpt-4.1'),
      middleware: spendBudget(guard),
    });
    const providerOptions = { hardcap: { identity: { user: 'u7' } } };
    await ai.generateText({ ...CALL, model, providerOptions });
    await ai.streamText({ ...CALL, model, providerOptions }).consumeStream();
    const entries = await settled(2);
    expect(entries.map(({ identity }) => identity?.['user'])).toEqual(['u7', 'u7']);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('guards embeddings and images once where a middleware of the same guard is around', async () => {
    const { openai, guard, settled } = await provided(major, { reply: { inputTokens: 3 } });
    const { generateImage = ai.experimental_generateImage } = ai;
    const embedding = openai.embedding('text-embedding-3-small');
    const image = openai.image('gpt-image-1');
    const around = (model: object, middleware: unknown) => ({ model, middleware });
    await ai.embed({
      model:
        ai.wrapEmbeddingModel?.(around(embedding, spendBudgetForEmbeddings(guard))) ?? embedding,
      value: 'one',
    });
    await generateImage?.({
      model: ai.wrapImageModel?.(around(image, spendBudgetForImages(guard))) ?? image,
      prompt: 'A fox.',
    });
    await settled(2);
  });

  it('takes no name of a model, nor anything else', async () => {
    const { guard } = await provided(major);
    for (const wrong of [{}, { languageModel: 'gpt-4.1' }]) {
      expect(() => withSpendBudget(wrong, guard)).toThrow('a model or a provider');
    }
  });

  it('does not change what a middleware around its models does', async () => {
    const { openai, guard, bare, settled } = await provided(major);
    const model = ai.wrapLanguageModel({
      model: bare.chat('gpt-4.1'),
      middleware: spendBudget(guard),
    });
    await ai.generateText({ ...CALL, model });
    await ai.generateText({ ...CALL, model: openai.chat('gpt-4.1') });
    const [one, other] = await settled(2);
    expect(other?.costNanoUsd).toBe(one?.costNanoUsd);
    expect(other?.heldNanoUsd).toBe(one?.heldNanoUsd);
  });
});
