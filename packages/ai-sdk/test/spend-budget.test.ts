import { InvalidArgumentError } from '@hardcap/core';
import { simulateReadableStream, streamText, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it, vi } from 'vitest';
import { spendBudget } from '../src/index.ts';
import { finish, type Part, read, stage, streamOf, text } from './stage.ts';

const PARAMS = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] };
const answer = (fields: Part) => ({ generate: async () => ({ content: [], ...fields }) });
const USAGE = finish(10, 2)['usage'];

/** A signal that counts who listens to it. */
function watchedSignal() {
  const signal = new AbortController();
  const added = vi.spyOn(signal.signal, 'addEventListener');
  const removed = vi.spyOn(signal.signal, 'removeEventListener');
  const listeners = () => added.mock.calls.length - removed.mock.calls.length;
  return { signal, listeners, reason: new Error('Left.') };
}

describe('what reaches the provider', () => {
  it('is what was given, beside a signal, where nothing has to change', async () => {
    const { generate, sent } = stage(answer({ usage: USAGE }));
    await generate(PARAMS);
    const { abortSignal, ...others } = sent[0] ?? {};
    expect(others).toStrictEqual(PARAMS);
    expect(others['prompt']).toBe(PARAMS.prompt);
    expect(abortSignal).toBeInstanceOf(AbortSignal);
  });

  it('aborts with the caller, whose signal is let go of when the call is over', async () => {
    const stream = async () => ({ stream: streamOf(finish(1, 1)) });
    const here = stage({ ...answer({ usage: USAGE }), stream });
    const { signal, reason, listeners } = watchedSignal();
    await here.generate({ ...PARAMS, abortSignal: signal.signal });
    await read((await here.stream({ ...PARAMS, abortSignal: signal.signal })).stream);
    expect(listeners()).toBe(0);
    const waits = stage({ generate: () => new Promise(() => {}) });
    void waits.generate({ ...PARAMS, abortSignal: signal.signal });
    await expect.poll(() => waits.sent).toHaveLength(1);
    const sent = waits.sent[0]?.['abortSignal'] as AbortSignal;
    expect(sent.aborted).toBe(false);
    signal.abort(reason);
    expect(sent.reason).toBe(reason);
  });

  it('lets go of the signal of a caller who is refused', async () => {
    const here = stage(answer({ usage: USAGE }), { cap: '0.000000001' });
    const { signal, listeners } = watchedSignal();
    await expect(here.generate({ ...PARAMS, abortSignal: signal.signal })).rejects.toThrow();
    expect(listeners()).toBe(0);
  });

  it('has no trace of what is for hardcap alone', async () => {
    const stream = async () => ({ stream: streamOf(finish(1, 1)) });
    const { generate, stream: make, sent } = stage({ ...answer({ usage: USAGE }), stream });
    const providerOptions = { hardcap: { operationId: 'op' }, openai: { user: 'x' } };
    const call = { ...PARAMS, temperature: 0, providerOptions };
    await generate(call);
    await make(call);
    const seen = { ...call, providerOptions: { openai: { user: 'x' } } };
    expect(sent.map(({ abortSignal: _, ...others }) => others)).toStrictEqual([seen, seen]);
    expect(call.providerOptions).toBe(providerOptions);
  });

  it.each([
    ['v2', true],
    ['v3', true],
    ['v4', undefined],
  ])('asks an Anthropic package of %s for raw parts: %s', async (specificationVersion, asked) => {
    const raw = { type: 'raw', rawValue: { type: 'ping' } };
    const parts = [raw, text('Hi'), finish(1, 1)];
    const act = {
      stream: async () => ({ stream: streamOf(...parts) }),
      provider: 'anthropic.messages',
      specificationVersion,
    };
    const { stream, sent } = stage(act);
    const seen = await read((await stream(PARAMS)).stream);
    expect(sent[0]?.['includeRawChunks']).toBe(asked);
    expect(seen).toHaveLength(asked ? 2 : 3);
    const wanted = await read((await stream({ ...PARAMS, includeRawChunks: true })).stream);
    expect(wanted).toEqual(parts);
  });
});

describe('what is charged', () => {
  it('is what the provider says it cost, before what its usage comes to', async () => {
    const providerMetadata = { gateway: { cost: '0.0091175' } };
    const { generate, entries } = stage(answer({ usage: USAGE, providerMetadata }));
    await generate(PARAMS);
    expect((await entries())[0]).toMatchObject({ outcome: 'known', costNanoUsd: 9_117_500 });
  });

  it('is priced as the model that answered', async () => {
    const response = { modelId: 'another-model' };
    const { generate, stream, entries } = stage({
      ...answer({ usage: USAGE, response }),
      stream: async () => ({
        stream: streamOf({ type: 'response-metadata', ...response }, finish(1, 1)),
      }),
    });
    await generate(PARAMS);
    await read((await stream(PARAMS)).stream);
    const models = (await entries()).map(({ servedModel }) => servedModel);
    expect(models).toEqual(['another-model', 'another-model']);
  });

  it('has web searches of OpenAI in it, by the name the caller gave them', async () => {
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'find', input: '' };
    const search = { ...call, providerExecuted: true };
    const tools = [{ type: 'provider', id: 'openai.web_search', name: 'find', args: {} }];
    const content = [search, search, { ...search, toolName: 'run' }, call];
    const { generate, stream, entries } = stage(
      {
        ...answer({ usage: USAGE, content }),
        stream: async () => ({ stream: streamOf(...content, finish(1, 1)) }),
        provider: 'openai.responses',
      },
      { budget: { contextWindow: 10_000 } },
    );
    await generate({ ...PARAMS, tools });
    await read((await stream({ ...PARAMS, tools })).stream);
    for (const entry of await entries()) {
      expect(entry.usage?.fees).toEqual({ webSearch: 2 });
      // The price book of this test has no price for them: never for nothing.
      expect(entry).toMatchObject({ unpriced: true, costNanoUsd: entry.heldNanoUsd });
    }
  });

  it('is what was shown, for a call that holds nothing and reports nothing', async () => {
    const content = [{ type: 'text', text: 'a b c d e f g h' }];
    const { generate, entries } = stage(answer({ content }), { budget: { estimate: 'none' } });
    await generate(PARAMS);
    const [entry] = await entries();
    expect(entry?.usage?.output).toBeGreaterThanOrEqual(8);
  });
});

describe('early usage', () => {
  const start = (usage: object) => ({
    custom: {
      type: 'custom',
      kind: 'anthropic.message_start',
      providerMetadata: { anthropic: { usage } },
    },
    raw: { type: 'raw', rawValue: { type: 'message_start', message: { usage } } },
  });

  it.each(['custom', 'raw'] as const)(
    'case C-70: in a %s part replaces the input bound, and its output is no final one',
    async (kind) => {
      const usage = { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 1 };
      const delta = {
        type: 'raw',
        rawValue: { type: 'message_delta', usage: { output_tokens: 40 } },
      };
      const act = {
        stream: async () => ({ stream: streamOf(start(usage)[kind], text('Hi there'), delta) }),
        provider: 'anthropic.messages',
      };
      const { stream, entries } = stage(act);
      await read((await stream(PARAMS)).stream);
      const [entry] = await entries();
      expect(entry?.outcome).toBe('metered');
      expect(entry?.usage).toMatchObject({ input: 7, cacheRead: 3, output: 40 });
    },
  );

  it('of zero, as some gateways send it, does not', async () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    const act = {
      stream: async () => ({ stream: streamOf(start(usage).custom, text('Hi there')) }),
      provider: 'anthropic.messages',
      specificationVersion: 'v4',
    };
    const { stream, entries } = stage(act);
    await read((await stream(PARAMS)).stream);
    expect((await entries())[0]?.usage?.input).toBeGreaterThan(50);
  });
});

describe('input that cannot be counted', () => {
  const file = { type: 'file', mediaType: 'application/pdf', data: new Uint8Array(9) };
  const call = { prompt: [{ role: 'user', content: [file] }] };

  it('case C-28: is bounded by the context window that the price book knows', async () => {
    const { generate, entries } = stage(answer({ usage: USAGE }));
    await generate(call);
    await generate({ ...PARAMS, providerOptions: { openai: { previousResponseId: 'resp_1' } } });
    const held = 10_000 * 100_000 + 1_000 * 10_000_000;
    expect((await entries()).map(({ heldNanoUsd }) => heldNanoUsd)).toEqual([held, held]);
  });

  it('is refused where nobody knows it, and what to do about it said', async () => {
    const { generate, guard, sent } = stage(answer({ usage: USAGE }), { contextTokens: null });
    await expect(generate(call)).rejects.toThrow(InvalidArgumentError);
    await expect(generate(call)).rejects.toThrow('contextWindow');
    expect([(await guard.verify()).reservations, sent]).toEqual([0, []]);
  });

  it('is bounded by the context window of the options before any other', async () => {
    const contextWindow = () => 9_000;
    const { generate, entries } = stage(answer({ usage: USAGE }), { budget: { contextWindow } });
    await generate(call);
    expect((await entries())[0]?.heldNanoUsd).toBe(9_000 * 100_000 + 1_000 * 10_000_000);
  });

  it('is let through where something else is held', async () => {
    const budget = { estimate: { fixed: { usd: '0.50' } } };
    const { generate, entries } = stage(answer({ usage: USAGE }), { budget });
    await generate(call);
    expect((await entries())[0]?.heldNanoUsd).toBe(500_000_000);
  });
});

describe('the estimator', () => {
  it('strict holds more than balanced', async () => {
    const held: (number | null | undefined)[] = [];
    for (const inputEstimator of ['balanced', 'strict'] as const) {
      const { generate, entries } = stage(answer({ usage: USAGE }), { budget: { inputEstimator } });
      await generate({ prompt: [{ role: 'system', content: 'several quite ordinary words' }] });
      held.push((await entries())[0]?.heldNanoUsd);
    }
    const [balanced, strict] = held;
    expect(strict).toBeGreaterThan(balanced ?? 0);
  });
});

it('works around a mock model of the SDK', async () => {
  const { guard, entries } = stage({});
  const chunks = [text('Hello'), finish(10, 2)].flatMap((part) =>
    part['type'] === 'text-delta'
      ? [{ type: 'text-start', id: '0' }, part, { type: 'text-end', id: '0' }]
      : part,
  );
  const model = wrapLanguageModel({
    model: new MockLanguageModelV4({
      provider: 'mock',
      doStream: async () => ({ stream: simulateReadableStream({ chunks: chunks as never[] }) }),
    }),
    middleware: spendBudget(guard),
  });
  const result = streamText({ model, prompt: 'Hi.' });
  expect(await result.text).toBe('Hello');
  expect((await entries())[0]).toMatchObject({ provider: 'mock', costNanoUsd: 21_000_000 });
});
