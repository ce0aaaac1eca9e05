import { BudgetExceededError } from '@hardcap/core';
import { withSpendBudget } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Fields, Model } from './langchain.ts';
import { MATRIX } from './majors.ts';
import { drain, type SceneOptions, scene } from './scene.ts';

/** Pays for less than one call. */
const POOR: SceneOptions = { model: 'cent', cap: '0.10', fields: { maxTokens: 20 } };
const PROMPT = 'Say something.';
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};

async function read(stream: PromiseLike<AsyncIterable<unknown>> | AsyncIterable<unknown>) {
  for await (const _chunk of await stream);
}

/** Every way to make a call of a model. */
const PATHS: readonly (readonly [string, (model: Model) => Promise<unknown>, string?])[] = [
  ['invoke', (model) => model.invoke(PROMPT)],
  ['stream', (model) => read(model.stream(PROMPT))],
  ['batch', (model) => model.batch([PROMPT, PROMPT])],
  [
    'generate of several lists',
    (model) => model.generate([[['user', PROMPT]], [['user', PROMPT]]]),
  ],
  ['streamEvents v2', (model) => read(model.streamEvents(PROMPT, { version: 'v2' }))],
  ['streamEvents v3', (model) => read(model.streamEvents(PROMPT)), 'langchain 1'],
  ['bindTools', (model) => model.bindTools([LOOK]).invoke(PROMPT)],
  ['withConfig', (model) => model.withConfig({ tags: ['a'] }).invoke(PROMPT)],
  ['withConfig and stream', (model) => read(model.withConfig({ tags: ['a'] }).stream(PROMPT))],
  ['pipe', (model) => model.pipe((message: unknown) => message).invoke(PROMPT)],
  [
    'withStructuredOutput',
    (model) => model.withStructuredOutput(z.object({ name: z.string() })).invoke(PROMPT),
  ],
  [
    'withStructuredOutput and the raw answer',
    (model) =>
      model
        .withStructuredOutput(z.object({ name: z.string() }), { includeRaw: true })
        .invoke(PROMPT),
  ],
];

const CASES = MATRIX.flatMap(([name, api, major]) =>
  PATHS.filter(([, , only]) => only === undefined || only === name).map(
    ([path, make]) => [name, api, path, { major, make }] as const,
  ),
);

describe.each(CASES)('%s, %s: %s', (_, api, __, { major, make }) => {
  it('makes no request where the budget refuses, and throws why', async () => {
    const { server, model, events, guard } = await scene(major, api, POOR);
    const error: unknown = await make(model).catch((thrown) => thrown);
    expect(BudgetExceededError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ status: 402, denial: { refusals: [{ budget: 'cap' }] } });
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['denied']));
    expect(server.exchanges).toEqual([]);
    expect(await guard.verify()).toMatchObject({ reservations: 0 });
  });
});

describe.each(MATRIX)('%s, %s: a denial', (_, api, major) => {
  it('ends as an error of the model for tracers', async () => {
    const { model } = await scene(major, api, POOR);
    const seen: string[] = [];
    const tracer = {
      handleChatModelStart: () => void seen.push('start'),
      handleLLMError: (error: unknown) =>
        void seen.push(BudgetExceededError.isInstance(error) ? 'denied' : 'failed'),
      handleLLMEnd: () => void seen.push('end'),
    };
    await model.invoke(PROMPT, { callbacks: [tracer] }).catch(() => {});
    await drain(model.stream(PROMPT, { callbacks: [tracer] }));
    await expect.poll(() => seen).toEqual(['start', 'denied', 'start', 'denied']);
  });

  it('case C-80: passes to a fallback only what the budgets of that one admit', async () => {
    const { server, guard, model, bareModel, entries } = await scene(major, api, POOR);
    const cheap = withSpendBudget(bareModel({ maxTokens: 4 }), guard, { minOutputTokens: 1 });
    const answer = model.withFallbacks([cheap]).invoke(PROMPT);
    if (api === 'openai responses') {
      // The API refuses so low a limit.
      await answer.catch(() => {});
    } else {
      await answer;
      expect(server.exchanges).toHaveLength(1);
      expect(await entries()).toHaveLength(1);
    }
    const equal = withSpendBudget(bareModel(), guard);
    const denied = model.withFallbacks([equal]).invoke(PROMPT);
    await expect(denied).rejects.toSatisfy(BudgetExceededError.isInstance);
  });

  it('case C-81: each attempt of a fallback has a reservation of its own', async () => {
    const { server, guard, bareModel, settled, spent } = await scene(major, api, {
      reply: [{ status: 500 }, { outputTokens: 9 }],
    });
    const first = withSpendBudget(bareModel(), guard);
    const second = withSpendBudget(bareModel(), guard);
    await first.withFallbacks([second]).invoke(PROMPT);
    const entries = await settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'known']);
    expect(await spent()).toBe(server.billedNanoUsd());
  });
});

describe.each(MATRIX)('%s, %s: a guarded model', (_, api, major) => {
  it('takes the identity of a call from the metadata of its run', async () => {
    const { model, settled, server } = await scene(major, api);
    const metadata: Fields = { hardcap: { identity: { user: 'u2' }, tags: { job: 'j1' } } };
    await model.invoke(PROMPT, { metadata });
    await read(model.stream(PROMPT, { metadata }));
    for (const entry of await settled(2)) {
      expect(entry).toMatchObject({ identity: { user: 'u2' }, tags: { job: 'j1' } });
    }
    expect(JSON.stringify(server.exchanges.map(({ body }) => body))).not.toContain('hardcap');
  });

  it('keeps callers apart by the context they run in', async () => {
    const { guard, model, settled } = await scene(major, api);
    const users = ['a', 'b', 'c'];
    await Promise.all(
      users.map((user) => guard.withIdentity({ user }, () => read(model.stream(PROMPT)))),
    );
    const charged = (await settled(3)).map(({ identity }) => identity?.['user']);
    expect(charged.sort()).toEqual(users);
  });
});
