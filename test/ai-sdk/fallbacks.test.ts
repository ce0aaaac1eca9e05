import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { drain } from './drain.ts';
import { MAJORS } from './majors.ts';
import { scene } from './scene.ts';

/** Claude's server may answer with a model that costs more, and by a limit of its own. */
const FALLBACK = { model: 'claude-opus-4-5', max_tokens: 2_000 };
const CALL = {
  prompt: 'Say something.',
  maxRetries: 0,
  maxOutputTokens: 300,
  providerOptions: { anthropic: { fallbacks: [FALLBACK] } },
};
const REPLY = { inputTokens: 20, outputTokens: 300, servedModel: FALLBACK.model };
const API = 'anthropic messages';

describe.each(MAJORS)('$name: a call that falls back to another model', (major) => {
  const { generateText, streamText } = major.ai;

  it('holds what that may cost, and is charged what it did', async () => {
    const { server, model, settled, spent } = await scene(major, API, { reply: REPLY });
    await generateText({ ...CALL, model });
    await drain(streamText({ ...CALL, model }));
    for (const entry of await settled(2)) {
      expect(entry).toMatchObject({ outcome: 'known', servedModel: FALLBACK.model });
      // $25 a million for the tokens of the fallback.
      expect(entry.heldNanoUsd).toBeGreaterThan(2_000 * 25_000);
    }
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is not charged for the speed of one that did not answer', async () => {
    const { server, model, settled, spent } = await scene(major, API, {
      reply: { serviceTier: 'standard' },
    });
    const fallbacks = [{ ...FALLBACK, speed: 'fast' }];
    await generateText({ ...CALL, providerOptions: { anthropic: { fallbacks } }, model });
    await settled(1);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is sent with limits that fit, also that of the fallback', async () => {
    const { server, model, settled, spent } = await scene(major, API, {
      reply: REPLY,
      cap: '0.02',
    });
    await generateText({ ...CALL, model });
    const body = server.exchanges[0]?.body as { max_tokens: number; fallbacks: [typeof FALLBACK] };
    expect(body.max_tokens).toBe(300);
    expect(body.fallbacks[0].max_tokens).toBeLessThan(0.02 / 0.000_025);
    await settled(1);
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is refused where only the model it asks for would fit', async () => {
    const { server, model } = await scene(major, API, { cap: '0.005' });
    const { providerOptions: _, ...bare } = CALL;
    await expect(generateText({ ...CALL, model })).rejects.toSatisfy(
      BudgetExceededError.isInstance,
    );
    expect(server.exchanges).toEqual([]);
    await generateText({ ...bare, maxOutputTokens: 256, model });
  });
});
