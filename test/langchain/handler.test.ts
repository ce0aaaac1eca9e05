import { BudgetExceededError } from '@hardcap/core';
import { SpendBudgetCallbackHandler, withSpendBudget } from '@hardcap/langchain';
import * as context from '@langchain/core/context';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendChunks } from '../wire/send-chunks.ts';
import type { Fields, Model } from './langchain.ts';
import { type Api, MAJORS, MATRIX, type Major } from './majors.ts';
import { drain, scene as guardedScene, type SceneOptions } from './scene.ts';
import { shown } from './shown.ts';

const PROMPT = 'Say something.';
/** Pays for less than one call. */
const POOR: SceneOptions = { model: 'cent', cap: '0.10', fields: { maxTokens: 20 } };
/** Pays for two calls, each of which holds and costs the whole of its limit. */
const FOR_TWO: SceneOptions = {
  model: 'cent',
  cap: '0.40',
  fields: { maxTokens: 20 },
  reply: { outputTokens: 20 },
};

/** A scene whose model is not guarded, and a handler to attach. */
async function scene(
  major: Major,
  api: Api,
  options: SceneOptions & { handler?: { preferStreaming?: boolean } } = {},
) {
  const { model: _, ...here } = await guardedScene(major, api, options);
  const handler = new SpendBudgetCallbackHandler(here.guard, options.handler);
  return { ...here, model: here.bare, handler, observed: { callbacks: [handler] } };
}

// The framework writes every refusal of a handler to the console.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(MATRIX)('%s, %s: a handler', (_, api, major) => {
  const WAYS: readonly (readonly [string, (model: Model, config: Fields) => Promise<unknown>])[] = [
    ['invoke', (model, config) => model.invoke(PROMPT, config)],
    [
      'stream',
      async (model, config) => {
        for await (const _chunk of await model.stream(PROMPT, config));
      },
    ],
  ];

  it.each(WAYS)('refuses before anything is sent: %s', async (__, make) => {
    const { server, model, observed, events, guard } = await scene(major, api, POOR);
    await expect(make(model, observed)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['denied']);
    expect(await guard.verify()).toMatchObject({ reservations: 0 });
  });

  it.each(WAYS)('charges what the provider bills: %s', async (__, make) => {
    const reply = { inputTokens: 1_000, cacheRead: 70, outputTokens: 37 };
    const { server, model, observed, settled, spent } = await scene(major, api, { reply });
    await make(model, observed);
    await settled(1);
    expect(server.billedNanoUsd()).toBeGreaterThan(0);
    // Where Google's package does not tell what was cached, all input is charged alike.
    if (api === 'gemini') expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
    else expect(await spent()).toBe(server.billedNanoUsd());
  });

  it.each([400, 500])('charges nothing for a refusal with %s', async (status) => {
    const { model, observed, settled } = await scene(major, api, { reply: { status } });
    await model.invoke(PROMPT, observed).catch(() => {});
    const [entry] = await settled(1);
    expect(entry).toMatchObject({ outcome: 'not-sent', costNanoUsd: 0 });
  });

  // Google's package ends the process with an error that nobody can take when a stream breaks.
  if (api !== 'gemini') {
    it('charges a stream that broke at what was metered', async () => {
      const reply = { outputTokens: 90, cutAfterChunks: 7 };
      const options = { ...POOR, cap: '9', reply };
      const { server, model, observed, settled, spent } = await scene(major, api, options);
      await drain(model.stream(PROMPT, observed));
      const [entry] = await settled(1);
      expect(entry?.outcome).toBe('metered');
      expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
    });
  }

  it('releases the other lists of a generate of which one is refused', async () => {
    const { server, model, observed, events, guard, entries } = await scene(major, api, FOR_TWO);
    const lists = [1, 2, 3].map(() => [['user', PROMPT]]);
    await expect(model.generate(lists, observed)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
    expect(events.filter(({ type }) => type === 'reserved')).toHaveLength(2);
    await expect.poll(() => guard.verify()).toMatchObject({ reservations: 0, differences: [] });
    expect(await entries()).toEqual([]);
  });

  it('counts once what it is told twice, and what a guard has reserved not at all', async () => {
    const { guard, handler, bareModel, settled, spent, server } = await scene(major, api);
    await bareModel({ callbacks: [handler] }).invoke(PROMPT, { callbacks: [handler, handler] });
    await settled(1);
    const guarded = withSpendBudget(bareModel({ callbacks: [handler] }), guard);
    await guarded.invoke(PROMPT, { callbacks: [handler] });
    await drain(guarded.withConfig({ callbacks: [handler] }).stream(PROMPT));
    await settled(3);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('takes no hold for an answer from a cache', async () => {
    const { model: _model, bareModel, observed, settled, server } = await scene(major, api);
    const cached = bareModel({ cache: true });
    await cached.invoke(`Once for ${major.name} and ${api}.`, observed);
    await cached.invoke(`Once for ${major.name} and ${api}.`, observed);
    expect(server.exchanges).toHaveLength(1);
    await settled(1);
  });

  it('changes nothing of what the model gives', async () => {
    const { model, observed } = await scene(major, api, { reply: { outputTokens: 20 } });
    // The framework itself gives the chunks other ids as soon as anybody listens.
    const inert = { callbacks: [{ name: 'inert' }] };
    const answers = [model.invoke(PROMPT, observed), model.invoke(PROMPT, inert)] as const;
    expect(shown(await answers[0])).toBe(shown(await answers[1]));
    const chunksOf = async (config: Fields): Promise<string[]> => {
      const chunks: string[] = [];
      for await (const chunk of await model.stream(PROMPT, config)) chunks.push(shown(chunk));
      return chunks;
    };
    expect(await chunksOf(observed)).toEqual(await chunksOf(inert));
  });
});

/** Google's packages leave the connection open when a handler throws. */
const CUT = MATRIX.filter(([, api]) => !api.startsWith('gemini'));

describe.each(CUT)('%s, %s: a handler cuts', (_, api, major) => {
  const RUNAWAY = {
    model: 'cent',
    cap: '0.20',
    fields: { maxTokens: 20 },
    reply: { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' },
    handler: { preferStreaming: true },
  } as const;

  it.each([
    ['a stream', (model: Model, config: Fields) => drain(model.stream(PROMPT, config))],
    [
      'a whole answer, where it makes the model stream',
      (model: Model, config: Fields) => model.invoke(PROMPT, config).catch(() => {}),
    ],
  ])('%s that crosses its cap', async (__, make) => {
    const { server, model, observed, settled, spent } = await scene(major, api, RUNAWAY);
    const done = make(model, observed);
    const exchange = await server.nextExchange();
    await sendChunks(exchange, 21);
    await done;
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await spent()).toBeGreaterThanOrEqual(21 * 10_000_000);
  });
});

describe.each(MATRIX.filter(([, api]) => api.startsWith('gemini')))(
  '%s, %s: a handler that cannot cut',
  (_, api, major) => {
    it('lets a stream that crosses its cap run to its end, and charges what it is billed', async () => {
      const reply = { outputTokens: 60, ignoreOutputLimit: true };
      const options = { model: 'cent', cap: '0.20', fields: { maxTokens: 20 }, reply };
      const { server, model, observed, settled, spent, handler } = await scene(major, api, options);
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      expect(handler.selfTest(model).join()).toContain('cannot be cut by a handler');
      await drain(model.stream(PROMPT, observed));
      const [entry] = await settled(1);
      expect(entry?.outcome).toBe('known');
      expect(await spent()).toBe(server.billedNanoUsd());
    });
  },
);

describe('a handler that is registered globally', () => {
  const major = MAJORS[1] as Major;

  it('also hears of runs that are given other callbacks, or none', async () => {
    const { server, model, handler } = await scene(major, 'openai chat', POOR);
    handler.registerGlobally(context);
    for (const config of [undefined, { callbacks: [] }, { callbacks: [{ name: 'other' }] }]) {
      const call = model.invoke(PROMPT, config);
      await expect(call).rejects.toSatisfy(BudgetExceededError.isInstance);
    }
    expect(server.exchanges).toEqual([]);
  });
});
