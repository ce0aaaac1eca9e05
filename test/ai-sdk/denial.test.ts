import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { MATRIX, type Major } from './majors.ts';
import { type SceneOptions, scene } from './scene.ts';
import type { CallOptions, Streamed } from './sdk.ts';

const CALL = { prompt: 'Say something.', maxOutputTokens: 20 };
/** Pays for less than one call. */
const POOR: SceneOptions = { model: 'cent', cap: '0.10' };

async function typesOf(result: Streamed): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of result.fullStream) types.push(type);
  return types;
}

/** A tool that the model calls in its first step, and what makes the SDK take a second one. */
function twoSteps(major: Major): CallOptions {
  const inputSchema = major.ai.jsonSchema({ type: 'object', properties: {} });
  const look = major.ai.tool({ description: 'Looks.', inputSchema, execute: () => 'seen' });
  return { tools: { look }, stopWhen: major.ai.stepCountIs(4) };
}

describe.each(MATRIX)('%s, %s: a denial', (_, api, major) => {
  const { ai } = major;

  it('is thrown as it is by generateText, and not retried', async () => {
    const { server, model, events } = await scene(major, api, POOR);
    const error: unknown = await ai.generateText({ ...CALL, model }).catch((thrown) => thrown);
    expect(BudgetExceededError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ status: 402, denial: { refusals: [{ budget: 'cap' }] } });
    expect(events.map(({ type }) => type)).toEqual(['denied']);
    expect(server.exchanges).toEqual([]);
  });

  it('is thrown as it is by generateObject and by agents', async () => {
    const { model, events } = await scene(major, api, POOR);
    const schema = ai.jsonSchema({ type: 'object', properties: {} });
    const object = ai.generateObject({ ...CALL, model, schema });
    await expect(object).rejects.toSatisfy(BudgetExceededError.isInstance);
    const agent = new ai.Experimental_Agent({ model, maxOutputTokens: 20 });
    await expect(agent.generate({ prompt: 'Go.' })).rejects.toSatisfy(
      BudgetExceededError.isInstance,
    );
    expect(events.map(({ type }) => type)).toEqual(['denied', 'denied']);
  });

  it('is an error part and onError of streamText, and not retried', async () => {
    const { server, model, events } = await scene(major, api, POOR);
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => errors.push(error);
    const result = ai.streamText({ ...CALL, model, onError });
    expect(await typesOf(result)).toEqual(['start', 'error']);
    expect(errors.map(BudgetExceededError.isInstance)).toEqual([true]);
    await expect(result.text).rejects.toMatchObject({ name: 'AI_NoOutputGeneratedError' });
    expect(events.map(({ type }) => type)).toEqual(['denied']);
    expect(server.exchanges).toEqual([]);
  });

  it('rejects the object of streamObject', async () => {
    const { model } = await scene(major, api, POOR);
    const schema = ai.jsonSchema({ type: 'object', properties: {} });
    const result = ai.streamObject({ ...CALL, model, schema, onError() {} });
    const object = Promise.resolve(result.object).catch((error: unknown) => error);
    expect(await typesOf(result)).toContain('error');
    expect(BudgetExceededError.isInstance(await object)).toBe(true);
  });

  it('ends a UI message stream with the text that the caller gives', async () => {
    const { model } = await scene(major, api, POOR);
    const result = ai.streamText({ ...CALL, model, onError() {} });
    const onError = (error: unknown) => BudgetExceededError.find(error)?.code ?? 'other';
    const response = result.toUIMessageStreamResponse({ onError });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"errorText":"BUDGET_EXCEEDED"');
  });

  const STEPS: SceneOptions = {
    model: 'cent',
    cap: '0.30',
    reply: { outputTokens: 16, toolCalls: [{ name: 'look', arguments: {} }] },
  };

  it('of a further step is thrown by generateText; each step has its own reservation', async () => {
    const { server, model, settled } = await scene(major, api, STEPS);
    const call = ai.generateText({ ...CALL, ...twoSteps(major), model });
    await expect(call).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toHaveLength(1);
    const [entry] = await settled(1);
    expect(entry?.costNanoUsd).toBe(server.billedNanoUsd());
  });

  it('of a further step ends the stream; each step has its own reservation', async () => {
    const { server, model, settled } = await scene(major, api, STEPS);
    const result = ai.streamText({ ...CALL, ...twoSteps(major), model, onError() {} });
    const types = await typesOf(result);
    expect(types.slice(-2)).toEqual(['finish-step', 'error']);
    expect(server.exchanges).toHaveLength(1);
    await settled(1);
  });

  it('settles each step at what it cost', async () => {
    const reply = [{ toolCalls: [{ name: 'look', arguments: {} }] }, { outputTokens: 9 }];
    const { server, model, settled, spent } = await scene(major, api, { reply });
    const agent = new ai.Experimental_Agent({ model, ...twoSteps(major) });
    expect((await agent.generate({ prompt: 'Go.' })).steps).toHaveLength(2);
    await settled(2);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('on a retry is found in what the SDK throws', async () => {
    // An answer that breaks is charged at its hold, and bought again by the SDK: nothing is left.
    const reply = { cutAfterChunks: 1, headers: { 'retry-after-ms': '1' } };
    const { server, model, settled } = await scene(major, api, {
      model: 'cent',
      cap: '0.30',
      reply,
    });
    const error: unknown = await ai.generateText({ ...CALL, model }).catch((thrown) => thrown);
    expect(BudgetExceededError.isInstance(error)).toBe(false);
    expect(BudgetExceededError.find(error)?.denial.refusals).toHaveLength(1);
    expect(server.exchanges).toHaveLength(1);
    await settled(1);
  });
});
