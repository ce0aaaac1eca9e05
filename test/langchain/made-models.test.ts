import { createSpendGuard, type SpendGuard } from '@hardcap/core';
import { withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { TEST_PRICE_BOOK } from '../ai-sdk/prices.ts';
import type { Model, Runnable } from './langchain.ts';
import { MAJORS, MATRIX } from './majors.ts';
import { scene } from './scene.ts';

const PROMPT = 'Say something.';
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};

/** What can be made of a model, also in several steps. */
const MAKERS: Readonly<Record<string, (model: Model) => Runnable>> = {
  'the model itself': (model) => model,
  bindTools: (model) => model.bindTools([LOOK]),
  withConfig: (model) => model.withConfig({ tags: ['a'] }),
  withStructuredOutput: (model) => model.withStructuredOutput(z.object({ name: z.string() })),
  'bindTools, then withConfig': (model) => model.bindTools([LOOK]).withConfig({ tags: ['a'] }),
  'withConfig, then a sequence': (model) =>
    model.withConfig({ tags: ['a'] }).pipe((x: unknown) => x),
  'bindTools, then withFallbacks': (model) => model.bindTools([LOOK]).withFallbacks([model]),
  'bindTools, then withRetry': (model) => model.bindTools([LOOK]).withRetry({}),
};

const CASES = MATRIX.flatMap(([name, api, major]) =>
  Object.entries(MAKERS).map(([made, make]) => [name, api, made, { major, make }] as const),
);

async function callsOf(guard: SpendGuard): Promise<number> {
  let calls = 0;
  for await (const _entry of guard.ledger()) calls += 1;
  return calls;
}

describe.each(CASES)('%s, %s: %s', (_, api, __, { major, make }) => {
  it('of a model with two guards is reserved by both, once each', async () => {
    const here = await scene(major, api, { reply: { text: '{"name":"a"}' } });
    const other = createSpendGuard({
      budgets: [{ name: 'other', per: [], limit: { usd: '100' }, window: 'total' }],
      prices: TEST_PRICE_BOOK,
    });
    onTestFinished(() => other.close());
    const made = make(withSpendBudget(here.model, other));
    // That of the tool call, which the server does not make, is none of this test.
    await made.invoke(PROMPT).catch(() => {});
    expect(here.server.exchanges).toHaveLength(1);
    expect([await callsOf(here.guard), await callsOf(other)]).toEqual([1, 1]);
    expect(await here.spent()).toBe(here.server.billedNanoUsd());
  });
});

describe.each(MAJORS)('$name: a guarded model', (major) => {
  it('is called with the settings that it is given later, or that are given to its like', async () => {
    const here = await scene(major, 'anthropic messages');
    const model = Object.assign(here.model, { temperature: 0.25 });
    await model.invoke(PROMPT);
    await Object.assign(Object.create(model) as Model, { maxTokens: 77 }).invoke(PROMPT);
    await here.bare.invoke(PROMPT);
    const [first, second, third] = here.server.exchanges.map(({ body }) => body);
    expect(first).toMatchObject({ temperature: 0.25 });
    expect(second).toMatchObject({ temperature: 0.25, max_tokens: 77 });
    expect(third?.['temperature']).toBeUndefined();
    await here.settled(2);
  });

  it('makes the client of its provider once, however many calls it makes', async () => {
    const clients: object[] = [];
    const { bareModel, guard, server } = await scene(major, 'anthropic messages');
    const { createClient } = bareModel() as unknown as { createClient(options: object): object };
    const counted = (options: object) => {
      const client = createClient(options);
      clients.push(client);
      return client;
    };
    const model = withSpendBudget(bareModel({ createClient: counted }), guard);
    for (let calls = 0; calls < 3; calls += 1) await model.invoke(PROMPT);
    expect(server.exchanges).toHaveLength(3);
    expect(clients).toHaveLength(1);
  });
});
