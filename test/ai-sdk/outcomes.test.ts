import { describe, expect, it, onTestFinished } from 'vitest';
import { tcpRefused } from '../wire/tcp-refused.ts';
import { drain } from './drain.ts';
import { type Api, MATRIX, modelOf } from './majors.ts';
import { scene } from './scene.ts';

const CALL = { prompt: 'Say something.', maxOutputTokens: 100, maxRetries: 0 };
const NEVER = new Promise(() => {});

describe.each(MATRIX)('%s, %s: how a call settles that', (_, api, major) => {
  const { generateText, streamText } = major.ai;
  const ways = {
    generate: async (options: object) => {
      await generateText({ ...CALL, ...options }).catch(() => {});
    },
    stream: (options: object) => drain(streamText({ ...CALL, onError() {}, ...options })),
  };

  for (const way of ['generate', 'stream'] as const) {
    const make = ways[way];

    it(`case C-19: could not connect (${way})`, async () => {
      const { url, close } = await tcpRefused();
      onTestFinished(close);
      const { wrap, settled } = await scene(major, api);
      await make({ model: wrap(modelOf(major, api, url, 'cent')) });
      const [entry] = await settled(1);
      expect(entry).toMatchObject({ outcome: 'not-sent', costNanoUsd: 0 });
    });

    it.each([400, 401, 500, 503])(`was refused with %i (${way})`, async (status) => {
      const { model, settled } = await scene(major, api, { reply: { status } });
      await make({ model });
      const [entry] = await settled(1);
      expect(entry).toMatchObject({ outcome: 'not-sent', costNanoUsd: 0 });
    });

    it(`was refused with 429, and again in two retries (${way})`, async () => {
      const reply = { status: 429, headers: { 'retry-after-ms': '1' } };
      const { server, model, settled } = await scene(major, api, { reply });
      await make({ model, maxRetries: 2 });
      const entries = await settled(3);
      expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'not-sent', 'not-sent']);
      expect(entries.map(({ costNanoUsd }) => costNanoUsd)).toEqual([0, 0, 0]);
      expect(server.exchanges).toHaveLength(3);
    });

    it(`was refused once, and then not (${way})`, async () => {
      const reply = [{ status: 429, headers: { 'retry-after-ms': '1' } }, {}];
      const { server, model, settled, spent } = await scene(major, api, { reply });
      await make({ model, maxRetries: 2 });
      const entries = await settled(2);
      expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'known']);
      expect(await spent()).toBe(server.billedNanoUsd());
    });

    it(`lost its connection before the answer (${way})`, async () => {
      const { model, settled } = await scene(major, api, { reply: { cutBeforeHeaders: true } });
      await make({ model });
      const [entry] = await settled(1);
      expect(entry?.outcome).toBe('unknown');
      expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
    });

    it(`was answered with garbage (${way})`, async () => {
      const { model, settled } = await scene(major, api, { reply: { garbage: true } });
      await make({ model });
      const [entry] = await settled(1);
      expect(entry?.outcome).toBe('unknown');
      expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
    });

    it(`case C-71: was aborted while it waited (${way})`, async () => {
      const reply = { holdBeforeHeaders: NEVER };
      const { server, model, settled } = await scene(major, api, { reply });
      const client = new AbortController();
      const done = make({ model, abortSignal: client.signal });
      const exchange = await server.nextExchange();
      client.abort();
      await done;
      expect(await exchange.closed).toBe('client-closed');
      const [entry] = await settled(1);
      expect(entry?.outcome).toBe('unknown');
      expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
    });
  }

  it('broke while a whole answer came: at its hold', async () => {
    const { model, settled } = await scene(major, api, { reply: { cutAfterChunks: 1 } });
    await ways.generate({ model });
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('unknown');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  it('broke before anything was streamed: at its hold, or at its input where that was told', async () => {
    const { server, model, settled } = await scene(major, api, { reply: { cutAfterChunks: 0 } });
    await ways.stream({ model });
    const [entry] = await settled(1);
    const isTold = api === 'anthropic messages';
    expect(entry?.outcome).toBe(isTold ? 'metered' : 'unknown');
    expect(entry?.costNanoUsd).toBe(isTold ? server.billedNanoUsd() : entry?.heldNanoUsd);
  });

  it.each([
    ['broke at once', { cutAfterChunks: 1 }],
    ['broke', { cutAfterChunks: 7 }],
    ['ended with an error of the provider', { errorAfterChunks: 7 }],
    ['ended without its end', { outputTokens: 7, endWithoutFinish: true }],
  ])('%s while it streamed: at what was metered', async (__, reply) => {
    const options = { model: 'gpt-4o-cent', reply: { outputTokens: 90, ...reply } };
    const { server, model, settled, spent } = await scene(major, api, options);
    await ways.stream({ model });
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
    expect(await spent()).toBeLessThan(entry?.heldNanoUsd ?? 0);
  });
});

const USAGE_FIELDS: Readonly<Partial<Record<Api, readonly [string, string]>>> = {
  'openai chat': ['prompt_tokens', 'completion_tokens'],
  'openai responses': ['input_tokens', 'output_tokens'],
  gemini: ['promptTokenCount', 'candidatesTokenCount'],
};

describe.each(MATRIX.filter(([, api]) => USAGE_FIELDS[api] !== undefined))(
  '%s, %s: usage that is',
  (_, api, major) => {
    const { generateText, streamText } = major.ai;
    const [inputField, outputField] = USAGE_FIELDS[api] ?? [];
    const usageOf = (input: number, output: number) => ({
      [inputField ?? '']: input,
      [outputField ?? '']: output,
    });

    it('case C-63: zero costs nothing', async () => {
      const reply = { usage: usageOf(0, 0) };
      const { model, settled } = await scene(major, api, { reply });
      await generateText({ ...CALL, model });
      await drain(streamText({ ...CALL, model }));
      const entries = await settled(2);
      expect(entries.map(({ outcome }) => outcome)).toEqual(['known', 'known']);
      expect(entries.map(({ costNanoUsd }) => costNanoUsd)).toEqual([0, 0]);
    });

    it('case C-62: negative is charged at the hold', async () => {
      const { model, settled } = await scene(major, api, { reply: { usage: usageOf(-5, 10) } });
      await generateText({ ...CALL, model });
      await drain(streamText({ ...CALL, model }));
      for (const entry of await settled(2)) {
        expect(entry.outcome).toBe('known');
        expect(entry.costNanoUsd).toBe(entry.heldNanoUsd);
        expect(entry.usage).toBe(null);
      }
    });
  },
);

describe.each(MATRIX)('%s, %s: usage that is missing', (_, api, major) => {
  it('is charged at the hold for a whole answer', async () => {
    const { model, settled } = await scene(major, api, { reply: { usage: 'missing' } });
    await major.ai.generateText({ ...CALL, model }).catch(() => {});
    const [entry] = await settled(1);
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  it('case C-73: is metered for a stream', async () => {
    const reply = { outputTokens: 30, usage: 'missing' } as const;
    const options = { model: 'cent', reply };
    const { server, model, settled, spent } = await scene(major, api, options);
    await drain(major.ai.streamText({ ...CALL, model, onError() {} }));
    await settled(1);
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
  });
});
