import { withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import type { Model } from './langchain.ts';
import { classOf, MATRIX } from './majors.ts';
import { scene } from './scene.ts';
import { shown } from './shown.ts';

const PROMPT = 'Say something.';

/** Everything that a reader and a listener of a stream get to see, however slow the reader is. */
async function witnessed(model: Model, isSlow: boolean) {
  const chunks: string[] = [];
  const told: string[] = [];
  const tell = (...given: unknown[]) => void told.push(shown(given));
  const listener = {
    name: 'witness',
    awaitHandlers: true,
    handleChatModelStart: (serialized: unknown, messages: unknown) =>
      tell('start', serialized, messages),
    handleLLMNewToken: (
      token: string,
      _: unknown,
      __: unknown,
      ___: unknown,
      ____: unknown,
      fields: unknown,
    ) => {
      // Not all packages say more than the text.
      const { chunk } = (fields ?? {}) as {
        chunk?: { message: { id: unknown; content: unknown } };
      };
      tell('token', token, chunk?.message.id !== undefined, chunk?.message.content);
    },
    handleLLMEnd: (output: unknown) => tell('end', output),
  };
  for await (const chunk of await model.stream(PROMPT, { callbacks: [listener] })) {
    chunks.push(shown(chunk));
    if (isSlow) await new Promise(setImmediate);
  }
  return { chunks, told };
}

describe.each(MATRIX)('%s, %s: a guarded model with budget to spare', (_, api, major) => {
  it.each([false, true])(
    'gives readers and listeners the same (slow reader: %s)',
    async (isSlow) => {
      const { model, bare } = await scene(major, api, { reply: { outputTokens: 20 } });
      const expected = await witnessed(bare, isSlow);
      expect(expected.told.length).toBeGreaterThan(20);
      expect(await witnessed(model, isSlow)).toEqual(expected);
    },
  );

  it('gives the same whole answer', async () => {
    const { model, bare } = await scene(major, api, { reply: { outputTokens: 20 } });
    expect(shown(await model.invoke(PROMPT))).toBe(shown(await bare.invoke(PROMPT)));
  });

  it('sends the same request', async () => {
    const { server, model, bare } = await scene(major, api);
    await bare.invoke(PROMPT);
    await model.invoke(PROMPT);
    for await (const _chunk of await bare.stream(PROMPT));
    for await (const _chunk of await model.stream(PROMPT));
    const bodies = server.exchanges.map(({ body }) => body);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[3]).toEqual(bodies[2]);
  });

  it('is still what it was: class, name, kind and serialised form', async () => {
    const { model, bare } = await scene(major, api);
    expect(model).toBeInstanceOf(classOf(major, api));
    expect(model.getName()).toBe(bare.getName());
    expect(model._llmType()).toBe(bare._llmType());
    expect(JSON.stringify(model)).toBe(JSON.stringify(bare));
    expect(model.toJSON()).toEqual(bare.toJSON());
  });

  it('case C-76: takes no hold for an answer from a cache', async () => {
    const { guard, server, bareModel, events } = await scene(major, api);
    const model = withSpendBudget(bareModel({ cache: true }), guard);
    const prompt = `Once for ${major.name} and ${api}, guarded.`;
    await model.invoke(prompt);
    const before = events.length;
    await model.invoke(prompt);
    expect(server.exchanges).toHaveLength(1);
    expect(events).toHaveLength(before);
  });

  it('is guarded once, however often it is asked for', async () => {
    const { guard, model, settled } = await scene(major, api);
    await withSpendBudget(withSpendBudget(model, guard), guard).invoke(PROMPT);
    await settled(1);
  });
});
