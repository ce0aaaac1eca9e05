import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { MATRIX } from './majors.ts';
import { drain, scene } from './scene.ts';

/** Of the package itself, behind one call of the framework. */
const RETRIED = { model: 'cent', fields: { maxTokens: 20, maxRetries: 2 } };
const PROMPT = 'Say something.';

// The package waits a second before it sends again, so each case is tried where it differs.
const BOTH = MATRIX.filter(([, api]) => api !== 'openai responses');
const ONE = MATRIX.filter(([, api]) => api === 'openai chat');

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
