import { BudgetExceededError } from '@hardcap/core';
import { isBudgetExceeded } from '@hardcap/langchain';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Model, Runnable } from './langchain.ts';
import { MATRIX } from './majors.ts';
import { drain, scene } from './scene.ts';

/** Of the package itself, behind one call of the framework. */
const RETRIED = { model: 'cent', fields: { maxTokens: 20, maxRetries: 2 } };
const PROMPT = 'Say something.';
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
};

// The package waits a second before it sends again, so each case is tried where it differs.
const BOTH = MATRIX.filter(([, api]) => api !== 'openai responses');
const ONE = MATRIX.filter(([, api]) => api === 'openai chat');
const NEWER = MATRIX.filter(([name]) => name === 'langchain 1');

describe.each(BOTH)('%s, %s: a request that the package sends again', (_, api, major) => {
  it('is an attempt of its own, and one that was billed before is charged', async () => {
    const reply = [{ cutBeforeHeaders: true, outputTokens: 20 }, { outputTokens: 5 }];
    const { server, model, settled, spent } = await scene(major, api, { ...RETRIED, reply });
    await model.invoke(PROMPT);
    expect(server.exchanges).toHaveLength(2);
    const entries = await settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['unknown', 'known']);
    expect(entries.map(({ attempt }) => attempt)).toEqual([undefined, 2]);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is asked for once where a budget of requests has no more', async () => {
    const { server, model, settled, events } = await scene(major, api, {
      ...RETRIED,
      budgets: [{ name: 'requests', per: ['user'], limit: { requests: 1 }, window: 'total' }],
      reply: { cutBeforeHeaders: true },
    });
    const error: unknown = await model.invoke(PROMPT).catch((thrown: unknown) => thrown);
    expect(BudgetExceededError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ status: 429 });
    expect(server.exchanges).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'denied')).toHaveLength(1);
    await settled(1);
  });
});

describe.each(ONE)('%s, %s: a request that the package sends again', (_, api, major) => {
  it('costs nothing before where the provider refused it', async () => {
    const reply = [{ status: 500 }, { outputTokens: 5 }];
    const { server, model, settled, spent } = await scene(major, api, { ...RETRIED, reply });
    await drain(model.stream(PROMPT));
    expect(server.exchanges).toHaveLength(2);
    const entries = await settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'known']);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is refused where the budget has no more', async () => {
    const reply = { cutBeforeHeaders: true, outputTokens: 20 };
    const options = { ...RETRIED, cap: '0.30', reply };
    const { server, model, settled } = await scene(major, api, options);
    await expect(model.invoke(PROMPT)).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(server.exchanges).toHaveLength(1);
    await settled(1);
  });
});

describe.each(NEWER)('%s, %s: a request that is sent again', (_, api, major) => {
  it('because of the option `maxRetries` of its call is an attempt of its own', async () => {
    const reply = [{ cutBeforeHeaders: true, outputTokens: 20 }, { outputTokens: 5 }];
    const { server, model, settled, spent } = await scene(major, api, {
      model: 'cent',
      fields: { maxTokens: 20 },
      reply,
    });
    await model.invoke(PROMPT, { maxRetries: 1 });
    expect(server.exchanges).toHaveLength(2);
    const entries = await settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['unknown', 'known']);
    expect(await spent()).toBe(server.billedNanoUsd());
  });
});

describe.each(BOTH)('%s, %s: withRetry', (_, api, major) => {
  it.each([429, 500])('reserves each attempt anew after a refusal with %s', async (status) => {
    const reply = [{ status }, { outputTokens: 5 }];
    const { server, model, settled, spent } = await scene(major, api, {
      model: 'cent',
      fields: { maxTokens: 20 },
      reply,
    });
    await model.withRetry({ stopAfterAttempt: 2 }).invoke(PROMPT);
    expect(server.exchanges).toHaveLength(2);
    const entries = await settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['not-sent', 'known']);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  const MADE: Readonly<Record<string, (model: Model) => Runnable>> = {
    'the model': (model) => model,
    bindTools: (model) => model.bindTools([LOOK]),
    withConfig: (model) => model.withConfig({ tags: ['a'] }),
    withStructuredOutput: (model) => model.withStructuredOutput(z.object({ name: z.string() })),
  };

  it.each(Object.keys(MADE))('of %s asks once where the budget refuses', async (made) => {
    const { guard, model, events } = await scene(major, api, {
      model: 'cent',
      fields: { maxTokens: 20 },
      // Spent, so that the error knows how long it will be.
      budgets: [
        { name: 'cap', per: ['user'], limit: { usd: '0.20' }, window: { calendar: 'month' } },
      ],
      reply: { outputTokens: 20 },
    });
    await model.invoke(PROMPT);
    const heard: unknown[] = [];
    const onFailedAttempt = (error: unknown) => void heard.push(error);
    const retrying = MADE[made]?.(model).withRetry({ stopAfterAttempt: 3, onFailedAttempt });
    const error: unknown = await retrying?.invoke(PROMPT).catch((thrown: unknown) => thrown);
    expect(isBudgetExceeded(error)).toBe(true);
    expect(events.filter(({ type }) => type === 'denied')).toHaveLength(1);
    expect(heard).toEqual([]);
    // The framework would sleep for the time of the error itself.
    expect(error).toMatchObject({
      retryAfterMs: null,
      denial: { retryAfterMs: expect.any(Number) },
    });
    expect(await guard.verify()).toMatchObject({ reservations: 0 });
  });
});

describe.each(ONE)('%s, %s: withRetry of a longer sequence', (_, api, major) => {
  it('asks again where the budget refuses, but does not sleep until it resets', async () => {
    const { model, events } = await scene(major, api, {
      model: 'cent',
      fields: { maxTokens: 20 },
      budgets: [
        { name: 'cap', per: ['user'], limit: { usd: '0.20' }, window: { calendar: 'month' } },
      ],
      reply: { outputTokens: 20 },
    });
    await model.invoke(PROMPT);
    const prompt = major.langchain.RunnableLambda.from(() => PROMPT);
    const retrying = prompt.pipe(model).withRetry({ stopAfterAttempt: 2 });
    await expect(retrying.invoke({})).rejects.toSatisfy(isBudgetExceeded);
    expect(events.filter(({ type }) => type === 'denied')).toHaveLength(2);
  });
});
