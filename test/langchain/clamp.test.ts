import { BudgetExceededError, usd } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { PRICES } from '../ai-sdk/prices.ts';
import { type JsonObject, objectAt } from '../wire/json-object.ts';
import { sentLimit } from '../wire/sent-limit.ts';
import type { Fields } from './langchain.ts';
import { type Api, MAJORS, MATRIX, type Major } from './majors.ts';
import { drain, type Scene, type SceneOptions, scene } from './scene.ts';

const NANO_USD_PER_PICO = 1_000;

function admitted({ events }: Pick<Scene, 'events'>): number | null | undefined {
  return events.find((event) => event.type === 'reserved')?.admittedOutputTokens;
}

interface Sent extends Scene {
  readonly body: JsonObject | undefined;
}

/** Makes one call, either way, and returns what went out. */
async function send(
  major: Major,
  api: Api,
  options: SceneOptions & { call?: Fields; stream?: boolean },
): Promise<Sent> {
  const here = await scene(major, api, options);
  if (options.stream) await drain(here.model.stream('Say something.', options.call));
  else await here.model.invoke('Say something.', options.call);
  return { ...here, body: here.server.exchanges[0]?.body };
}

/** The wire cannot carry more than was admitted, and what was admitted cannot cost more than the cap. */
function expectWithin(cap: string, { body, ...here }: Omit<Sent, 'model' | 'bare'>): void {
  const limit = sentLimit(body);
  expect(limit).toBeGreaterThan(0);
  expect(limit).toBeLessThanOrEqual(admitted(here) ?? 0);
  const { output } = PRICES[here.server.exchanges[0]?.model ?? ''] ?? { output: Number.NaN };
  expect((limit * output) / NANO_USD_PER_PICO).toBeLessThan(usd(cap));
}

describe.each(MATRIX)('%s, %s: a call that does not fit whole', (_, api, major) => {
  it.each([false, true])(
    'case C-27: is sent with an output limit that does (stream: %s)',
    async (stream) => {
      const fields = { maxTokens: 9_000 };
      const sent = await send(major, api, { cap: '0.02', stream, fields });
      expectWithin('0.02', sent);
      expect(sentLimit(sent.body)).toBeGreaterThan(1_000);
    },
  );

  it('is given a limit where it has none', async () => {
    const sent = await send(major, api, { cap: '0.02' });
    expectWithin('0.02', sent);
  });

  it('keeps its own limit where that fits', async () => {
    const sent = await send(major, api, { cap: '0.02', fields: { maxTokens: 500 } });
    expect(sentLimit(sent.body)).toBe(500);
  });

  it('leaves the model that was guarded as it is', async () => {
    const fields = { maxTokens: 9_000 };
    const { server, model, bare } = await scene(major, api, { cap: '0.02', fields });
    await model.invoke('Say something.');
    await bare.invoke('Say something.');
    expect(sentLimit(server.exchanges[0]?.body)).toBeLessThan(9_000);
    expect(sentLimit(server.exchanges[1]?.body)).toBe(9_000);
  });

  it('keeps its tools and settings where it is lowered', async () => {
    const fields = { maxTokens: 9_000, temperature: 0.3 };
    const here = await scene(major, api, { cap: '0.02', fields });
    const tool = {
      type: 'function',
      function: {
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object', properties: {} },
      },
    };
    await here.model.bindTools([tool]).invoke('Say something.');
    const body = here.server.exchanges[0]?.body;
    expectWithin('0.02', { ...here, body });
    const settings = { ...objectAt(body ?? {}, 'generationConfig'), ...body };
    expect(settings).toMatchObject({ temperature: 0.3, tools: [{}] });
    expect(JSON.stringify(body)).toContain('"look"');
  });

  it.each([false, true])(
    'is refused below the least useful output (stream: %s)',
    async (stream) => {
      const options = { cap: '0.002', fields: { maxTokens: 9_000 } };
      const { server, model } = await scene(major, api, options);
      const call = stream ? model.stream('Say something.') : model.invoke('Say something.');
      await expect(call).rejects.toSatisfy(BudgetExceededError.isInstance);
      expect(server.exchanges).toEqual([]);
    },
  );

  it('is sent with the limit of the options where it has none', async () => {
    const budget = { maxOutputTokens: 700 };
    const sent = await send(major, api, { budget });
    const hasNone = api !== 'anthropic messages';
    if (hasNone) expect(sentLimit(sent.body)).toBe(700);
    expect(admitted(sent)).toBe(sentLimit(sent.body));
  });
});

describe.each(MAJORS)('$name: what else limits the output', (major) => {
  it('of several choices, which share what is left', async () => {
    const fields = { maxTokens: 5_000, n: 2 };
    const sent = await send(major, 'openai chat', { cap: '0.02', fields });
    expectWithin('0.02', sent);
    expect(sent.body).toMatchObject({ n: 2 });
  });

  it('of a reasoning model is lowered', async () => {
    const fields = { maxTokens: 9_000 };
    const sent = await send(major, 'openai chat', { cap: '0.02', model: 'gpt-5', fields });
    expectWithin('0.02', sent);
  });

  it('of thinking is lowered with it', async () => {
    const thinking = { type: 'enabled', budget_tokens: 6_000 };
    const fields = { maxTokens: 9_000, thinking, temperature: 1 };
    const sent = await send(major, 'anthropic messages', { cap: '0.05', fields });
    expectWithin('0.05', sent);
    const sentThinking = sent.body?.['thinking'] as JsonObject | undefined;
    const budget = Number(sentThinking?.['budget_tokens']);
    expect(budget).toBeGreaterThanOrEqual(1_024);
    expect(budget).toBeLessThan(sentLimit(sent.body));
  });

  it('of thinking among further settings is lowered with it', async () => {
    const thinking = { type: 'enabled', budget_tokens: 6_000 };
    const fields = { maxTokens: 9_000, invocationKwargs: { thinking }, temperature: 1 };
    const sent = await send(major, 'anthropic messages', { cap: '0.05', fields });
    expectWithin('0.05', sent);
    const sentThinking = sent.body?.['thinking'] as JsonObject | undefined;
    expect(sentThinking?.['budget_tokens']).toBeLessThan(sentLimit(sent.body));
  });

  it.each([null, undefined, '9000', 9_000])(
    'of further settings, which count more than the limit of the model: %s',
    async (limit) => {
      const fields = { maxTokens: 50, modelKwargs: { max_output_tokens: limit } };
      const sent = await send(major, 'openai responses', { cap: '0.02', fields });
      expectWithin('0.02', sent);
    },
  );

  it('of a fallback of Anthropic, which has its own', async () => {
    const fallbacks = [{ model: 'claude-opus-4-5', max_tokens: 2_000 }];
    const fields = { maxTokens: 300, invocationKwargs: { fallbacks } };
    const sent = await send(major, 'anthropic messages', { cap: '0.02', fields });
    const { max_tokens: own, fallbacks: lowered } = sent.body as { fallbacks: JsonObject[] } & {
      max_tokens: number;
    };
    expect(own).toBe(300);
    expect(lowered[0]?.['max_tokens']).toBeLessThan(0.02 / 0.000_025);
    expect(fallbacks[0]?.max_tokens).toBe(2_000);
  });
});

describe.each(MATRIX.filter(([name, api]) => name === 'langchain 1' && api.startsWith('gemini')))(
  '%s, %s: thinking within the limit',
  (_, api, major) => {
    const budgetOf = ({ body = {} }: Sent): unknown =>
      objectAt(objectAt(body, 'generationConfig'), 'thinkingConfig')['thinkingBudget'];
    const sendTo = (cap: string) => {
      const thinkingBudget = 20_000;
      const thinking =
        api === 'gemini' ? { thinkingConfig: { thinkingBudget } } : { thinkingBudget };
      return send(major, api, { cap, fields: { maxTokens: 30_000, ...thinking } });
    };

    it('is lowered with it, so that something can be said', async () => {
      const sent = await sendTo('0.05');
      expectWithin('0.05', sent);
      expect(budgetOf(sent)).toBe(Math.floor(sentLimit(sent.body) / 2));
    });

    it('stays as it is where all of it fits', async () => {
      expect(budgetOf(await sendTo('10'))).toBe(20_000);
    });

    it('is refused where the least of it does not fit', async () => {
      await expect(sendTo('0.007')).rejects.toSatisfy(BudgetExceededError.isInstance);
    });
  },
);
