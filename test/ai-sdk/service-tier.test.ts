import { describe, expect, it } from 'vitest';
import { drain } from './drain.ts';
import { type Api, MATRIX } from './majors.ts';
import { PRICES } from './prices.ts';
import { scene } from './scene.ts';

const PRIORITY = { serviceTier: 'priority' };
const CALL = { prompt: 'Say something.', maxRetries: 0, maxOutputTokens: 500 };
const OPTIONS = { openai: PRIORITY, google: PRIORITY, anthropic: { speed: 'fast' } };
const ASKING = { ...CALL, providerOptions: OPTIONS };
const NANO_PER_PICO = 1_000;

const MODELS: Readonly<Record<Api, string>> = {
  'openai chat': 'gpt-4.1',
  'openai responses': 'gpt-4.1',
  gemini: 'gemini-2.5-flash',
  'anthropic messages': 'claude-sonnet-4-5',
};

describe.each(MATRIX)('%s, %s: a tier of service that costs more', (_, api, major) => {
  const { generateText, streamText } = major.ai;
  const id = MODELS[api];
  const isClaude = api === 'anthropic messages';
  const serviceTier = isClaude ? 'fast' : 'priority';
  const reply = { inputTokens: 900, outputTokens: 400 };

  it('is held, and charged as it was billed', async () => {
    const options = { model: id, reply: { ...reply, serviceTier } };
    const { server, model, settled, spent } = await scene(major, api, options);
    await generateText({ ...ASKING, model });
    await drain(streamText({ ...ASKING, model }));
    const { output } = PRICES[`${id}@${serviceTier}`] ?? { output: Number.NaN };
    for (const { heldNanoUsd } of await settled(2)) {
      expect(heldNanoUsd).toBeGreaterThanOrEqual((500 * output) / NANO_PER_PICO);
    }
    expect(await spent()).toBe(server.billedNanoUsd());
  });

  /** Google's package of version 2 leaves it out, OpenAI's that of a chat that streams. */
  const isTold = (way: 'whole' | 'stream'): boolean =>
    api === 'gemini' ? major.name !== 'ai 5' : way === 'whole' || api !== 'openai chat';

  it('is charged as it was billed where the provider gave another, if that is told', async () => {
    const usual = isClaude ? { ...reply, serviceTier: 'standard' } : reply;
    const options = { model: id, reply: usual };
    const { server, model, settled, spent } = await scene(major, api, options);
    await generateText({ ...ASKING, model });
    await settled(1);
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
    if (isTold('whole')) expect(await spent()).toBe(server.billedNanoUsd());
    await drain(streamText({ ...ASKING, model }));
    await settled(2);
    expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
    if (isTold('stream')) expect(await spent()).toBe(server.billedNanoUsd());
  });

  it('is not held where only other providers are asked for it', async () => {
    const { model, settled } = await scene(major, api, { model: id, reply });
    const own = { gemini: 'google', 'anthropic messages': 'anthropic' }[api as string] ?? 'openai';
    const { [own]: _, ...providerOptions } = OPTIONS as Readonly<Record<string, object>>;
    await generateText({ ...CALL, providerOptions, model });
    const { output = Number.NaN } = PRICES[id] ?? {};
    const [entry] = await settled(1);
    expect(entry?.heldNanoUsd).toBeLessThan((1.2 * 500 * output) / NANO_PER_PICO);
  });

  if (isTold('whole')) {
    it('is charged where the provider gave it unasked', async () => {
      const options = { model: id, reply: { ...reply, serviceTier } };
      const { server, model, settled, spent } = await scene(major, api, options);
      await generateText({ ...CALL, model });
      await settled(1);
      expect(await spent()).toBe(server.billedNanoUsd());
    });
  }
});
