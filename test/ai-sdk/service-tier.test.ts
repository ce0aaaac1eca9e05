import { describe, expect, it } from 'vitest';
import { drain } from './drain.ts';
import { type Api, MATRIX } from './majors.ts';
import { PRICES } from './prices.ts';
import { scene } from './scene.ts';

const TIER = { serviceTier: 'priority' };
const CALL = { prompt: 'Say something.', maxRetries: 0, maxOutputTokens: 500 };
const ASKING = { ...CALL, providerOptions: { openai: TIER, google: TIER } };
const NANO_PER_PICO = 1_000;

const MODELS: Readonly<Partial<Record<Api, string>>> = {
  'openai chat': 'gpt-4.1',
  'openai responses': 'gpt-4.1',
  gemini: 'gemini-2.5-flash',
};

describe.each(MATRIX.filter(([, api]) => MODELS[api] !== undefined))(
  '%s, %s: a tier of service that costs more',
  (_, api, major) => {
    const { generateText, streamText } = major.ai;
    const id = MODELS[api] as string;
    const reply = { inputTokens: 900, outputTokens: 400 };

    it('is held, and charged as it was billed', async () => {
      const options = { model: id, reply: { ...reply, ...TIER } };
      const { server, model, settled, spent } = await scene(major, api, options);
      await generateText({ ...ASKING, model });
      await drain(streamText({ ...ASKING, model }));
      const { output } = PRICES[`${id}@priority`] ?? { output: Number.NaN };
      for (const { heldNanoUsd } of await settled(2)) {
        expect(heldNanoUsd).toBeGreaterThanOrEqual((500 * output) / NANO_PER_PICO);
      }
      expect(await spent()).toBe(server.billedNanoUsd());
    });

    /** Google's package of version 2 leaves it out, OpenAI's that of a chat that streams. */
    const isTold = (way: 'whole' | 'stream'): boolean =>
      api === 'gemini' ? major.name !== 'ai 5' : way === 'whole' || api !== 'openai chat';

    it('is charged as it was billed where the provider gave another, if that is told', async () => {
      const { server, model, settled, spent } = await scene(major, api, { model: id, reply });
      await generateText({ ...ASKING, model });
      await settled(1);
      expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
      if (isTold('whole')) expect(await spent()).toBe(server.billedNanoUsd());
      await drain(streamText({ ...ASKING, model }));
      await settled(2);
      expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
      if (isTold('stream')) expect(await spent()).toBe(server.billedNanoUsd());
    });

    if (isTold('whole')) {
      it('is charged where the provider gave it unasked', async () => {
        const options = { model: id, reply: { ...reply, ...TIER } };
        const { server, model, settled, spent } = await scene(major, api, options);
        await generateText({ ...CALL, model });
        await settled(1);
        expect(await spent()).toBe(server.billedNanoUsd());
      });
    }
  },
);
