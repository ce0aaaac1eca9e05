import { BudgetExceededError, usd } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../wire/json-object.ts';
import { sentLimit } from '../wire/sent-limit.ts';
import { type Api, MAJORS, MATRIX, type Major } from './majors.ts';
import { PRICES } from './prices.ts';
import { type Scene, type SceneOptions, scene } from './scene.ts';
import type { CallOptions, Model } from './sdk.ts';

const CALL = { prompt: 'Say something.', maxRetries: 0 };
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
  options: SceneOptions & { call?: CallOptions; stream?: boolean; bare?: (url: string) => Model },
): Promise<Sent> {
  const here = await scene(major, api, options);
  const model =
    options.bare === undefined
      ? here.model
      : here.wrap(options.bare(here.server.openaiBaseUrl), options.budget);
  const call = { ...CALL, model, ...options.call };
  if (options.stream) {
    await major.ai.streamText({ ...call, onError() {} }).consumeStream({ onError() {} });
  } else {
    await major.ai.generateText(call);
  }
  return { ...here, body: here.server.exchanges[0]?.body };
}

/** The wire cannot carry more than was admitted, and what was admitted cannot cost more than the cap. */
function expectWithin(cap: string, { body, server, ...here }: Sent): void {
  const limit = sentLimit(body);
  expect(limit).toBeGreaterThan(0);
  expect(limit).toBeLessThanOrEqual(admitted(here) ?? 0);
  const { output } = PRICES[server.exchanges[0]?.model ?? ''] ?? { output: Number.NaN };
  expect((limit * output) / NANO_USD_PER_PICO).toBeLessThan(usd(cap));
}

describe.each(MATRIX)('%s, %s: a call that does not fit whole', (_, api, major) => {
  it.each([false, true])(
    'case C-27: is sent with an output limit that does (stream: %s)',
    async (stream) => {
      const sent = await send(major, api, { cap: '0.02', stream });
      expectWithin('0.02', sent);
      expect(sentLimit(sent.body)).toBeGreaterThan(1_000);
    },
  );

  it('has its own limit lowered', async () => {
    const sent = await send(major, api, { cap: '0.02', call: { maxOutputTokens: 9_000 } });
    expectWithin('0.02', sent);
  });

  it('keeps its own limit where that fits', async () => {
    const sent = await send(major, api, { cap: '0.02', call: { maxOutputTokens: 500 } });
    expect(sentLimit(sent.body)).toBe(500);
  });

  it.each([false, true])(
    'is refused below the least useful output (stream: %s)',
    async (stream) => {
      const here = await scene(major, api, { cap: '0.002' });
      const errors: unknown[] = [];
      const call = { ...CALL, model: here.model };
      const onError = ({ error }: { error: unknown }) => errors.push(error);
      if (stream) await major.ai.streamText({ ...call, onError }).consumeStream();
      else await major.ai.generateText(call).catch((error: unknown) => errors.push(error));
      expect(errors.map((error) => BudgetExceededError.isInstance(error))).toEqual([true]);
      expect(here.server.exchanges).toEqual([]);
      await here.settled(0);
    },
  );

  it('is sent with what little there is where that is asked for', async () => {
    const budget = { minOutputTokens: 20 };
    expectWithin('0.002', await send(major, api, { cap: '0.002', budget }));
  });

  it('reaches the provider through other middlewares', async () => {
    const here = await scene(major, api, { cap: '0.02' });
    const outer = {
      specificationVersion: 'v3',
      transformParams: async ({ params }: { params: object }) => ({ ...params, temperature: 0.5 }),
    };
    const model = major.ai.wrapLanguageModel({ model: here.model, middleware: outer });
    await major.ai.generateText({ ...CALL, model });
    const [exchange] = here.server.exchanges;
    expectWithin('0.02', { ...here, body: exchange?.body });
    const sent = exchange?.body ?? {};
    expect({ ...objectAt(sent, 'generationConfig'), ...sent }).toMatchObject({ temperature: 0.5 });
  });
});

describe.each(MAJORS)('$name: thinking that comes on top of the limit', (major) => {
  const thinking = (budgetTokens: number) => ({
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } },
  });
  const send4 = (cap: string, call: CallOptions, model = 'claude-sonnet-4-5') =>
    send(major, 'anthropic messages', { cap, call, model });

  it('is held', async () => {
    const call = { maxOutputTokens: 50, ...thinking(2_000) };
    const { body, ...here } = await send4('10', call);
    expect(sentLimit(body)).toBe(2_050);
    expect(admitted(here)).toBe(2_050);
  });

  it('stays as it is while the visible part can be shortened', async () => {
    const call = { maxOutputTokens: 8_000, ...thinking(2_000) };
    const sent = await send4('0.05', call);
    expectWithin('0.05', sent);
    expect(sent.body?.['thinking']).toEqual({ type: 'enabled', budget_tokens: 2_000 });
    expect(sentLimit(sent.body)).toBe(admitted(sent));
  });

  it('is shortened where that is not enough', async () => {
    const sent = await send4('0.03', { maxOutputTokens: 1_000, ...thinking(2_000) });
    expectWithin('0.03', sent);
    const { budget_tokens = 0 } = (sent.body?.['thinking'] ?? {}) as { budget_tokens?: number };
    expect(budget_tokens).toBeGreaterThanOrEqual(1_024);
    expect(budget_tokens).toBeLessThan(2_000);
    expect(sentLimit(sent.body) - budget_tokens).toBeGreaterThanOrEqual(256);
  });

  it('is refused where not even the least of it fits', async () => {
    const call = { maxOutputTokens: 1_000, ...thinking(2_000) };
    const here = await scene(major, 'anthropic messages', { cap: '0.018' });
    await expect(major.ai.generateText({ ...CALL, ...call, model: here.model })).rejects.toSatisfy(
      BudgetExceededError.isInstance,
    );
    expect(here.server.exchanges).toEqual([]);
  });

  it('is limited where the call gives no limit', async () => {
    const sent = await send4('0.05', thinking(20_000));
    expectWithin('0.05', sent);
  });
});

describe.each(MAJORS)('$name: Gemini, which thinks within its limit', (major) => {
  const thinking = (thinkingBudget: number) => ({
    providerOptions: { google: { thinkingConfig: { thinkingBudget, includeThoughts: true } } },
  });
  const reply = { outputTokens: 5_000, reasoningTokens: 20_000 };
  const sendTo = (cap: string, call: CallOptions, minOutputTokens = 256) =>
    send(major, 'gemini', { cap, call, reply, budget: { minOutputTokens } });
  const budgetOf = ({ body = {} }: Sent): unknown =>
    objectAt(objectAt(body, 'generationConfig'), 'thinkingConfig')['thinkingBudget'];

  it('holds its limit and no more', async () => {
    const sent = await sendTo('10', { maxOutputTokens: 9_000, ...thinking(2_000) });
    expect([admitted(sent), sentLimit(sent.body), budgetOf(sent)]).toEqual([9_000, 9_000, 2_000]);
  });

  it('keeps its budget where the lower limit leaves room', async () => {
    const sent = await sendTo('0.05', { maxOutputTokens: 9_000, ...thinking(2_000) });
    expectWithin('0.05', sent);
    expect(budgetOf(sent)).toBe(2_000);
  });

  it('has its budget lowered where that would leave nothing to say', async () => {
    const sent = await sendTo('0.02', { maxOutputTokens: 30_000, ...thinking(20_000) });
    expectWithin('0.02', sent);
    expect(budgetOf(sent)).toBe(sentLimit(sent.body) - 256);
    expect(sent.server.exchanges[0]?.billed).toMatchObject({ output: 256 });
    expect(sent.body).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    });
  });

  it('keeps a setting that says no number, and that it is off', async () => {
    for (const budget of [-1, 0]) {
      const model = 'gemini-2.5-flash';
      const sent = await send(major, 'gemini', {
        ...{ cap: '0.005', reply, model },
        call: thinking(budget),
      });
      expectWithin('0.005', sent);
      expect(budgetOf(sent)).toBe(budget);
    }
  });

  it('is refused where the least of both does not fit', async () => {
    const call = { maxOutputTokens: 30_000, ...thinking(20_000) };
    await expect(sendTo('0.007', call)).rejects.toSatisfy(BudgetExceededError.isInstance);
    const sent = await sendTo('0.007', call, 20);
    expect(budgetOf(sent)).toBeGreaterThanOrEqual(512);
  });
});

describe('ai 7: reasoning in words', () => {
  const [, , major] = MAJORS as [Major, Major, Major];
  const call = { maxOutputTokens: 50, reasoning: 'high' };

  it('is held at the most the package may make of it', async () => {
    const sent = await send(major, 'anthropic messages', { call });
    expect(sentLimit(sent.body)).toBe(38_450);
    expect(admitted(sent)).toBe(64_000);
  });

  it('is limited by a budget in numbers where it does not fit', async () => {
    const sent = await send(major, 'anthropic messages', { cap: '0.05', call });
    expectWithin('0.05', sent);
    expect(sent.body?.['thinking']).toMatchObject({ type: 'enabled' });
  });

  it('is limited for a model that takes no budgets too', async () => {
    const options = { cap: '0.05', call, model: 'claude-opus-4-8' };
    const sent = await send(major, 'anthropic messages', options);
    expectWithin('0.05', sent);
    expect(sent.body?.['thinking']).toMatchObject({ type: 'adaptive' });
  });
});

describe.each(MAJORS)('$name: limits that provider options set', (major) => {
  it('counts maxCompletionTokens of OpenAI, and lowers it', async () => {
    const call = {
      maxOutputTokens: 50,
      providerOptions: { openai: { maxCompletionTokens: 9_999 } },
    };
    const ample = await send(major, 'openai chat', { call, model: 'gpt-5' });
    expect([sentLimit(ample.body), admitted(ample)]).toEqual([9_999, 9_999]);
    expectWithin('0.02', await send(major, 'openai chat', { call, cap: '0.02', model: 'gpt-5' }));
  });

  const compatible = (url: string) =>
    major
      .compatible({ name: 'my-provider', baseURL: url, apiKey: 'wire', includeUsage: true })
      .languageModel('gpt-4.1');

  it('counts what is spread over the body of a compatible provider, and lowers it', async () => {
    const call = {
      maxOutputTokens: 50,
      providerOptions: { 'my-provider': { max_tokens: 900, n: 3 } },
    };
    const ample = await send(major, 'openai chat', { call, bare: compatible });
    expect([sentLimit(ample.body), admitted(ample)]).toEqual([2_700, 2_700]);
    const reply = { outputTokens: 300 };
    const tight = { call, bare: compatible, cap: '0.015', reply };
    const sent = await send(major, 'openai chat', tight);
    expectWithin('0.015', sent);
    expect(sent.body?.['n']).toBe(3);
  });

  it.each([null, undefined, '9000'])(
    'holds what comes where the body of a compatible provider takes its limit away: %s',
    async (limit) => {
      const providerOptions = { 'my-provider': { max_tokens: limit } };
      const call = { maxOutputTokens: 50, providerOptions };
      const reply = { outputTokens: 9_000 };
      const ample = await send(major, 'openai chat', { call, bare: compatible, reply });
      const [entry] = await ample.settled(1);
      expect(ample.server.billedNanoUsd()).toBeLessThanOrEqual(entry?.heldNanoUsd ?? 0);
      const tight = { call, bare: compatible, cap: '0.015', reply };
      const sent = await send(major, 'openai chat', tight);
      expectWithin('0.015', sent);
      expect(sent.server.billedNanoUsd()).toBeLessThan(usd('0.015'));
    },
  );

  it('holds what another model costs that is sent in place of the one asked for', async () => {
    const providerOptions = { 'my-provider': { model: 'gpt-dear' } };
    const call = { maxOutputTokens: 50, providerOptions };
    const sent = await send(major, 'openai chat', { call, bare: compatible });
    expect(sent.body?.['model']).toBe('gpt-dear');
    const [entry] = await sent.settled(1);
    expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(sent.server.billedNanoUsd());
    expect(await sent.spent()).toBe(sent.server.billedNanoUsd());
  });

  it('counts the choices that are made and not given back', async () => {
    const providerOptions = { 'my-provider': { best_of: 5 } };
    const call = { maxOutputTokens: 50, providerOptions };
    const sent = await send(major, 'openai chat', { call, bare: compatible });
    expect([sent.body?.['best_of'], admitted(sent)]).toEqual([5, 250]);
  });

  it('refuses several choices that nothing limits', async () => {
    const providerOptions = { 'my-provider': { n: 3 } };
    const sent = send(major, 'openai chat', { call: { providerOptions }, bare: compatible });
    await expect(sent).rejects.toThrow('3 choices');
  });
});

describe.each(MATRIX)('%s, %s: a model whose maximum nobody knows', (_, api, major) => {
  it('is sent with the limit of the options', async () => {
    const budget = { maxOutputTokens: () => 77 };
    const sent = await send(major, api, { budget, model: 'cent-unbounded', cap: '5' });
    expect([sentLimit(sent.body), admitted(sent)]).toEqual([77, 77]);
  });
});
