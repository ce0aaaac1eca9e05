import { spendBudget } from '@hardcap/ai-sdk';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../wire/reply.ts';
import { APIS, type Api, MAJORS } from './majors.ts';
import { scene } from './scene.ts';
import type { CallOptions, Model } from './sdk.ts';

const CALL = { prompt: 'Say something.', maxRetries: 0 };

interface WrapOptions {
  readonly doGenerate: () => PromiseLike<CallOptions>;
  readonly doStream: () => PromiseLike<CallOptions>;
  readonly params: CallOptions;
  readonly model: Model;
}

describe.each(MAJORS)('$name: what the middleware relies on', ({ ai, ...major }) => {
  it('the hooks get the object that transformParams returned, and the model of the closure', async () => {
    const { bare, server } = await scene({ ai, ...major }, 'openai chat');
    const returned: object[] = [];
    const seen: WrapOptions[] = [];
    const see = (options: WrapOptions): void => {
      seen.push(options);
    };
    const middleware = {
      specificationVersion: 'v3',
      transformParams: async ({ params }: { params: object }) => {
        const copy = { ...params };
        returned.push(copy);
        return copy;
      },
      wrapGenerate: async (options: WrapOptions) => {
        see(options);
        await options.doGenerate();
        return options.model.doGenerate({ ...options.params, maxOutputTokens: 77 });
      },
      wrapStream: async (options: WrapOptions) => {
        see(options);
        await options.doStream();
        return options.model.doStream({ ...options.params, maxOutputTokens: 77 });
      },
    };
    const model = ai.wrapLanguageModel({ model: bare, middleware });
    await ai.generateText({ ...CALL, model });
    await ai.streamText({ ...CALL, model }).consumeStream();
    expect(seen.map(({ params }) => params)).toEqual(returned);
    expect(seen.every(({ params }, at) => params === returned[at])).toBe(true);
    const limits = server.exchanges.map(({ body }) => body['max_tokens']);
    expect(limits).toEqual([undefined, 77, undefined, 77]);
    const without = server.exchanges.map(({ body }) => ({ ...body, max_tokens: undefined }));
    expect(without[1]).toEqual(without[0]);
    expect(without[3]).toEqual(without[2]);
  });

  it('case C-81: a retry comes through every hook again, with a reservation of its own', async () => {
    const reply = [{ status: 429, headers: { 'retry-after-ms': '1' } }, {}];
    const { model, events, settled } = await scene({ ai, ...major }, 'openai chat', { reply });
    await ai.generateText({ ...CALL, maxRetries: 1, model });
    await settled(2);
    expect(events.map(({ type }) => type)).toEqual(['reserved', 'settled', 'reserved', 'settled']);
  });

  it('params that come through transformParams alone hold nothing', async () => {
    const { guard, bare } = await scene({ ai, ...major }, 'openai chat');
    const params = { prompt: [], providerOptions: { hardcap: { operationId: 'op' } } };
    await spendBudget(guard).transformParams({ type: 'generate', params, model: bare as never });
    expect((await guard.verify()).reservations).toBe(0);
  });
});

describe.each(MAJORS)('$name: where it can be put', (major) => {
  const { ai } = major;

  it('in a provider', async () => {
    const { guard, server, settled } = await scene(major, 'openai chat');
    const provider = ai.wrapProvider({
      provider: major.openai({ baseURL: server.openaiBaseUrl, apiKey: 'wire' }),
      languageModelMiddleware: spendBudget(guard),
    });
    await ai.generateText({ ...CALL, model: provider.languageModel('gpt-4.1') });
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ provider: 'openai.responses', model: 'gpt-4.1' });
  });

  it('in a registry', async () => {
    const { guard, server, settled } = await scene(major, 'openai chat');
    const registry = ai.createProviderRegistry(
      { claude: major.anthropic({ baseURL: server.anthropicBaseUrl, apiKey: 'wire' }) },
      { languageModelMiddleware: spendBudget(guard) },
    );
    const model = registry.languageModel('claude:claude-sonnet-4-5');
    await ai.streamText({ ...CALL, model }).consumeStream();
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ provider: 'anthropic.messages', model: 'claude-sonnet-4-5' });
  });

  it('in a custom provider', async () => {
    const { model, settled } = await scene(major, 'openai chat');
    const provider = ai.customProvider({ languageModels: { fast: model } });
    await ai.generateText({ ...CALL, model: provider.languageModel('fast') });
    await settled(1);
  });

  it('outside of another middleware, whose changes a lowered limit keeps', async () => {
    const { guard, bare, server } = await scene(major, 'openai chat', { cap: '0.02' });
    const inner = {
      specificationVersion: 'v3',
      transformParams: async ({ params }: { params: object }) => ({ ...params, temperature: 0.5 }),
    };
    const middleware = [spendBudget(guard), inner] as never;
    const model = ai.wrapLanguageModel({ model: bare, middleware });
    await ai.generateText({ ...CALL, model });
    expect(server.exchanges[0]?.body).toMatchObject({ temperature: 0.5 });
    expect(server.exchanges[0]?.body['max_tokens']).toBeGreaterThan(1_000);
  });

  it('case C-76: inside of one that answers itself, which costs nothing', async () => {
    const { guard, bare, server, settled } = await scene(major, 'openai chat');
    const kept = new Map<string, CallOptions>();
    const cache = {
      specificationVersion: 'v3',
      wrapGenerate: async ({ doGenerate }: WrapOptions) => {
        const result = kept.get('answer') ?? (await doGenerate());
        kept.set('answer', result);
        return result;
      },
    };
    const middleware = [cache, spendBudget(guard)] as never;
    const model = ai.wrapLanguageModel({ model: bare, middleware });
    await ai.generateText({ ...CALL, model });
    await ai.generateText({ ...CALL, model });
    expect(server.exchanges).toHaveLength(1);
    await settled(1);
  });
});

const [, ai6, ai7] = MAJORS as [unknown, (typeof MAJORS)[number], (typeof MAJORS)[number]];
const [ai5] = MAJORS as [(typeof MAJORS)[number]];

const READ = { outputTokens: 30, cacheRead: 20 };
const CACHED: Readonly<Record<Api, Reply>> = {
  'openai chat': { ...READ, cacheWrite5m: 30 },
  'openai responses': { ...READ, cacheWrite5m: 30 },
  'anthropic messages': { ...READ, cacheWrite5m: 30, cacheWrite1h: 4 },
  gemini: { ...READ, reasoningTokens: 50, toolUseInputTokens: 9 },
};

describe('a provider package of another major', () => {
  it.each([
    ['ai 5 with a package of version 3', ai5, ai6],
    ['ai 6 with a package of version 2', ai6, ai5],
    ['ai 7 with a package of version 2', ai7, ai5],
    ['ai 7 with a package of version 3', ai7, ai6],
  ])('%s is charged what the provider bills', async (_, { ai }, other) => {
    for (const api of APIS) {
      const cached = CACHED[api];
      const here = await scene({ ...other, ai }, api, { reply: cached });
      await ai.generateText({ ...CALL, model: here.model });
      await ai.streamText({ ...CALL, model: here.model }).consumeStream();
      await here.settled(2);
      expect(await here.spent()).toBe(here.server.billedNanoUsd());
    }
  });

  it.each([
    ['ai 6 with a package of version 2', ai6, ai5],
    ['ai 7 with a package of version 2', ai7, ai5],
    ['ai 7 with a package of version 3', ai7, ai6],
  ])('%s is cut in the shape it has', async (_, { ai }, other) => {
    const reply = { outputTokens: 60, ignoreOutputLimit: true };
    const options = { model: 'cent', cap: '0.20', reply };
    const { model, settled } = await scene({ ...other, ai }, 'openai chat', options);
    const result = ai.streamText({ ...CALL, model, maxOutputTokens: 20, onError() {} });
    await result.consumeStream();
    // Version 6 reads no finish reason of a package of version 2, not even a real one.
    expect(await result.finishReason).toBe(ai === ai6.ai ? 'other' : 'error');
    expect((await result.text).trim().split(' ')).toHaveLength(21);
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
  });
});
