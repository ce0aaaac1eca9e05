import { BudgetExceededError } from '@hardcap/core';
import { withSpendBudget } from '@hardcap/langchain';
import { initChatModel } from 'langchain';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MAJORS, type Major } from './majors.ts';
import { type Scene, type SceneOptions, scene } from './scene.ts';

const MAJOR = MAJORS[1] as Major;
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};

/** A model that is found by its name when it is called. */
async function configurable(options: SceneOptions) {
  const here = await scene(MAJOR, 'openai chat', options);
  const bare = await initChatModel(options.model ?? 'gpt-4.1', {
    modelProvider: 'openai',
    configurableFields: 'any',
    apiKey: 'wire',
    maxRetries: 0,
    maxTokens: 20,
    configuration: { baseURL: here.server.openaiBaseUrl },
  });
  return { ...here, found: withSpendBudget(bare, here.guard) };
}

type Found = Awaited<ReturnType<typeof configurable>>['found'];

const PATHS: readonly (readonly [string, (model: Found) => Promise<unknown>])[] = [
  ['invoke', (model) => model.invoke('Go.')],
  [
    'stream',
    async (model) => {
      for await (const _chunk of await model.stream('Go.'));
    },
  ],
  ['batch', (model) => model.batch(['Go.'])],
  ['bindTools', (model) => (model.bindTools as (tools: unknown[]) => Found)([LOOK]).invoke('Go.')],
  ['withConfig', (model) => model.withConfig({ configurable: { temperature: 0.1 } }).invoke('Go.')],
  [
    'withStructuredOutput',
    (model) => model.withStructuredOutput(z.object({ name: z.string() })).invoke('Go.'),
  ],
  [
    'a model chosen by the run',
    (model) => model.invoke('Go.', { configurable: { model: 'cent' } }),
  ],
];

async function expectBilled({ server, settled, spent }: Scene): Promise<void> {
  await settled(1);
  expect(server.billedNanoUsd()).toBeGreaterThan(0);
  expect(await spent()).toBe(server.billedNanoUsd());
}

describe.each(PATHS)('a model of initChatModel: %s', (_, make) => {
  it('is charged what the provider bills, once', async () => {
    const { found, ...here } = await configurable({ reply: { text: '{"name":"a"}' } });
    await make(found);
    await expectBilled(here);
  });

  it('makes no request where the budget refuses', async () => {
    const { found, server } = await configurable({ cap: '0.00000001' });
    await expect(make(found)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toEqual([]);
  });
});
