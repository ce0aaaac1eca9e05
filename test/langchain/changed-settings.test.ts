import { BudgetExceededError, InvalidArgumentError, MemoryUsageSink } from '@hardcap/core';
import { SpendBudgetCallbackHandler, withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it, vi } from 'vitest';
import type { Fields, Model } from './langchain.ts';
import { type Api, MAJORS } from './majors.ts';
import { drain, scene } from './scene.ts';

const PROMPT = 'Say something.';

interface Settings {
  invocationKwargs: Fields;
  useCachedContent(content: object): void;
}

/** Runs something whenever the guard asks the sink to reserve. */
function sinkThat(acts: () => void): MemoryUsageSink {
  const sink = new MemoryUsageSink();
  const reserve = sink.reserve.bind(sink);
  return Object.assign(sink, {
    reserve: (...given: Parameters<typeof reserve>) => {
      acts();
      return reserve(...given);
    },
  });
}

describe.each(MAJORS)('$name: settings that change', (major) => {
  it.each(['invoke', 'stream'])('while a call is reserved count for it: %s', async (way) => {
    const settings: { maxTokens: number }[] = [];
    const sink = sinkThat(() => {
      for (const one of settings) one.maxTokens = 2_000;
    });
    const here = await scene(major, 'anthropic messages', {
      fields: { maxTokens: 50 },
      reply: { inputTokens: 20, outputTokens: 2_000 },
      guard: { sink },
    });
    settings.push(here.bare as unknown as { maxTokens: number });
    if (way === 'invoke') await here.model.invoke(PROMPT);
    else await drain(here.model.stream(PROMPT));
    const [entry] = await here.settled(1);
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });

  it.each<[string, Api, (bare: Settings) => void]>([
    [
      'a long prompt that is sent with each call',
      'anthropic messages',
      (bare) => {
        bare.invocationKwargs = { system: [{ type: 'text', text: 'Be brief. '.repeat(9_000) }] };
      },
    ],
    [
      'what Google has cached',
      'gemini',
      (bare) => {
        const cached = { name: 'cachedContents/a', model: 'models/gemini-2.5-pro', contents: [] };
        bare.useCachedContent(cached);
      },
    ],
  ])('while a call is reserved are held with it: %s', async (_, api, change) => {
    let changes = (): void => {};
    const sink = sinkThat(() => changes());
    const { server, bare, model } = await scene(major, api, {
      cap: '0.02',
      fields: { maxTokens: 300 },
      guard: { sink },
    });
    changes = () => change(bare as unknown as Settings);
    await expect(model.invoke(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
  });

  it('while a call is reserved to what its model does not take, leave no hold', async () => {
    let changes = (): void => {};
    const sink = sinkThat(() => changes());
    const { server, bare, model, guard, entries } = await scene(major, 'openai chat', {
      guard: { sink },
    });
    const invocationParams = () => {
      throw new TypeError('temperature is not supported');
    };
    changes = () => Object.assign(bare, { invocationParams });
    await expect(model.invoke(PROMPT)).rejects.toThrow('temperature is not supported');
    expect(server.exchanges).toEqual([]);
    expect(await entries()).toEqual([]);
    expect(await guard.verify()).toMatchObject({ reservations: 0 });
  });

  it('again and again are refused', async () => {
    const settings: { maxTokens: number }[] = [];
    const sink = sinkThat(() => {
      for (const one of settings) one.maxTokens += 1;
    });
    const options = { fields: { maxTokens: 50 }, guard: { sink } };
    const { server, bare, model, guard } = await scene(major, 'anthropic messages', options);
    settings.push(bare as unknown as { maxTokens: number });
    await expect(model.invoke(PROMPT)).rejects.toSatisfy(InvalidArgumentError.isInstance);
    expect(server.exchanges).toEqual([]);
    expect(await guard.verify()).toMatchObject({ reservations: 0 });
  });

  it('of a model of Google, which goes on with that it was made with, do not make it cheap', async () => {
    const options = {
      model: 'gemini-2.5-pro',
      fields: { maxTokens: 50 },
      reply: { outputTokens: 50 },
    };
    const { server, bare, model, settled, spent } = await scene(major, 'gemini', options);
    (bare as unknown as { model: string }).model = 'gemini-2.5-flash';
    await model.invoke(PROMPT);
    await settled(1);
    expect(server.exchanges[0]?.model).toBe('gemini-2.5-pro');
    expect(await spent()).toBe(server.billedNanoUsd());
  });
});

describe.each(MAJORS)('$name: what goes around the settings', (major) => {
  it('is guarded, where a model works by models of its own for each API', async () => {
    const options = { cap: '0.01', reply: { outputTokens: 2_000 }, fields: { maxTokens: 5_000 } };
    const { server, model } = await scene(major, 'openai chat', options);
    const { completions } = model as unknown as { completions: Model };
    await completions.invoke(PROMPT).catch(() => {});
    const body = server.exchanges[0]?.body;
    expect(body?.['max_tokens'] ?? 0).toBeLessThan(1_300);
  });

  it.each<[string, Fields]>([
    ['streams', { body: { model: 'gpt-4.1', messages: [], max_tokens: 9_000 } }],
    ['whole answers', { options: { body: { model: 'gpt-4.1', messages: [] } } }],
    ['what is fetched', { options: { fetchOptions: { body: '{}' } } }],
  ])('is refused, where an option replaces all that is sent: %s', async (_, call) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { server, guard, model, bare } = await scene(major, 'openai chat');
    const callbacks = [new SpendBudgetCallbackHandler(guard)];
    const made = [model.invoke(PROMPT, call), bare.invoke(PROMPT, { ...call, callbacks })];
    for (const each of made) await expect(each).rejects.toSatisfy(InvalidArgumentError.isInstance);
    expect(server.exchanges).toEqual([]);
    vi.restoreAllMocks();
  });

  it('is held at the window, where Google has cached it', async () => {
    const cached = { name: 'cachedContents/a', model: 'models/gemini-2.5-pro', contents: [] };
    const here = await scene(major, 'gemini', { cap: '0.10', fields: { maxTokens: 300 } });
    (here.bare as unknown as { useCachedContent(content: object): void }).useCachedContent(cached);
    await expect(here.model.invoke(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(here.server.exchanges).toEqual([]);
  });

  it('is held at the window, where a gateway searches', async () => {
    const fields = { maxTokens: 300, modelKwargs: { plugins: [{ id: 'web' }] } };
    const { model } = await scene(major, 'openai chat', { cap: '0.10', fields });
    await expect(model.invoke(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
  });

  it.each<[string, Fields]>([
    ['nothing is searched', { search_parameters: { mode: 'off' } }],
    ['a plugin is turned off', { plugins: [{ id: 'web', enabled: false }] }],
    ['a plugin adds nothing', { plugins: [{ id: 'response-healing' }] }],
  ])('is not held at the window, where %s', async (_, modelKwargs) => {
    const fields = { maxTokens: 300, modelKwargs };
    const { server, model } = await scene(major, 'openai chat', { cap: '0.10', fields });
    await model.invoke(PROMPT);
    expect(server.exchanges[0]?.body).toMatchObject(modelKwargs);
  });

  it('is no model at all, where a setting takes its name away', async () => {
    const fields = { maxTokens: 300, modelKwargs: { model: null } };
    const { server, bare, guard } = await scene(major, 'openai chat', { fields });
    const done = withSpendBudget(bare, guard).invoke(PROMPT);
    await expect(done).rejects.toSatisfy(InvalidArgumentError.isInstance);
    expect(server.exchanges).toEqual([]);
  });
});
