import { describe, expect, it } from 'vitest';
import type { Reply } from '../wire/reply.ts';
import { MATRIX } from './majors.ts';
import { type Scene, scene } from './scene.ts';
import type { CallOptions, Model, Part, Streamed } from './sdk.ts';

/** Everything that two calls to servers of their own share: no times, no port. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      if (/timestamp|date|^created|_at$|performance|Ms$|^host$|callId/i.test(key)) return undefined;
      // Some ids are drawn by the SDK itself.
      if (typeof inner === 'string') {
        return inner.replace(/127\.0\.0\.1:\d+/, 'server').replace(/^(aitxt|aiobj)-\w+$/, '$1');
      }
      return inner instanceof Error ? { name: inner.name, message: inner.message } : inner;
    }) ?? 'null',
  );
}

const USER = { role: 'user', content: [{ type: 'text', text: 'Say something.' }] };
const PARAMS = { prompt: [{ role: 'system', content: 'Be brief.' }, USER] };
const REPLIES: readonly [string, Reply][] = [
  ['text', { outputTokens: 30, cacheRead: 7, cacheWrite5m: 5 }],
  ['reasoning', { outputTokens: 30, reasoningTokens: 50 }],
  ['a tool call', { outputTokens: 3, toolCalls: [{ name: 'look', arguments: { at: 'x' } }] }],
  ['an answer that breaks', { outputTokens: 30, cutAfterChunks: 4 }],
  ['an error of the provider on the way', { outputTokens: 30, errorAfterChunks: 4 }],
  ['an end without the end', { outputTokens: 30, endWithoutFinish: true }],
  ['garbage', { garbage: true }],
  ['no usage', { usage: 'missing' }],
  ['a refusal', { status: 400 }],
];

describe.each(MATRIX)('%s, %s: with and without the middleware', (_, api, major) => {
  const { ai } = major;

  /** What `make` gives for a bare model and for a wrapped one, and what each sent. */
  async function both(
    reply: Reply | readonly Reply[],
    make: (model: Model) => Promise<unknown>,
  ): Promise<[unknown, unknown]> {
    const run = async (pick: (scene: Scene) => Model): Promise<unknown> => {
      const here = await scene(major, api, { reply });
      const result = await make(pick(here)).catch((error: unknown) => ({ error }));
      const requests = here.server.exchanges.map(({ path, headers, body }) => [
        path,
        headers,
        body,
      ]);
      return comparable({ result, requests });
    };
    return [await run(({ bare }) => bare), await run(({ model }) => model)];
  }

  it.each(REPLIES)('a model generates the same: %s', async (__, reply) => {
    const [bare, wrapped] = await both(reply, async (model) => model.doGenerate(PARAMS));
    expect(wrapped).toEqual(bare);
  });

  it.each(REPLIES)('a model streams the same parts: %s', async (__, reply) => {
    const [bare, wrapped] = await both(reply, async (model) => {
      const { stream, ...rest } = await model.doStream(PARAMS);
      return { ...(await partsOf(stream)), ...rest };
    });
    expect(wrapped).toEqual(bare);
  });

  it('a model streams the same raw parts to a caller that asks for them', async () => {
    const [bare, wrapped] = await both({ outputTokens: 5 }, async (model) => {
      const { stream } = await model.doStream({ ...PARAMS, includeRawChunks: true });
      return partsOf(stream);
    });
    expect(wrapped).toEqual(bare);
    expect(JSON.stringify(wrapped)).toContain('"raw"');
  });

  const CALL = { system: 'Be brief.', prompt: 'Say something.', maxRetries: 0 };
  const steps: Reply[] = [{ toolCalls: [{ name: 'look', arguments: {} }] }, { outputTokens: 4 }];
  const tooled = (): CallOptions => {
    const inputSchema = ai.jsonSchema({ type: 'object', properties: {} });
    const look = ai.tool({ description: 'Looks.', inputSchema, execute: () => 'seen' });
    return { tools: { look }, stopWhen: ai.stepCountIs(3) };
  };

  it('generateText gives the same, over all steps', async () => {
    const [bare, wrapped] = await both(steps, async (model) => {
      const result = await ai.generateText({ ...CALL, ...tooled(), model });
      const { text, finishReason, usage } = result;
      return { text, finishReason, usage, steps: result.steps };
    });
    expect(wrapped).toEqual(bare);
  });

  it('streamText gives the same parts and promises, over all steps', async () => {
    const [bare, wrapped] = await both(steps, async (model) => {
      const result = ai.streamText({ ...CALL, ...tooled(), model });
      return { ...(await readAll(result)), steps: await result.steps };
    });
    expect(wrapped).toEqual(bare);
  });

  it('generateObject and streamObject give the same', async () => {
    const reply = { text: '{"answer": 42}' };
    const properties = { answer: { type: 'number' } };
    const schema = ai.jsonSchema({ type: 'object', properties, required: ['answer'] });
    const [bare, wrapped] = await both(reply, async (model) => {
      const { object, usage } = await ai.generateObject({ ...CALL, model, schema });
      const streamed = ai.streamObject({ ...CALL, model, schema });
      return { object, usage, parts: await readAll(streamed) };
    });
    expect(wrapped).toEqual(bare);
  });
});

async function partsOf(stream: ReadableStream<Part>): Promise<{ parts: Part[]; error?: unknown }> {
  const parts: Part[] = [];
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { parts };
      parts.push(value);
    }
  } catch (error) {
    return { parts, error };
  }
}

async function readAll(result: Pick<Streamed, 'fullStream'>): Promise<{ parts: Part[] }> {
  const parts: Part[] = [];
  for await (const part of result.fullStream) parts.push(part);
  return { parts };
}
