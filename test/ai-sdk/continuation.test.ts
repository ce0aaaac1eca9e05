import { describe, expect, it } from 'vitest';
import { MAJORS } from './majors.ts';
import { scene } from './scene.ts';

/** What one request makes at most. */
const MOST = { generate: 32_768, stream: 65_536 } as const;
const CALL = { prompt: 'Prove it.', maxRetries: 0, maxOutputTokens: 150_000 };
const NANO_USD_PER_PICO = 1_000;

describe.each(MAJORS)('$name: an answer that takes Gemini several requests', (major) => {
  const { ai } = major;
  const make = (way: keyof typeof MOST, outputTokens: number) =>
    scene(major, 'gemini', {
      model: 'gemini-4-argon',
      reply: {
        ...{ inputTokens: 2, reasoningTokens: 30_000, outputTokens, tokensPerRequest: MOST[way] },
        tokensPerChunk: 1_000,
      },
    });

  it.each(['generate', 'stream'] as const)(
    'is held whole, and charged as billed: %s',
    async (way) => {
      const { server, model, settled, spent } = await make(way, 120_000);
      if (way === 'generate') await ai.generateText({ ...CALL, model });
      else await ai.streamText({ ...CALL, model }).consumeStream();
      expect(server.exchanges).toHaveLength(Math.ceil(150_000 / MOST[way]));
      const [entry] = await settled(1);
      expect(entry?.outcome).toBe('known');
      // Each request is rounded up by itself.
      expect(server.billedNanoUsd() - (await spent())).toBeLessThan(server.exchanges.length);
      expect(entry?.heldNanoUsd).toBeGreaterThanOrEqual(server.billedNanoUsd());
    },
  );

  it('is never continued without a limit, so it holds its input once', async () => {
    const { server, model, settled } = await make('generate', 7);
    await ai.generateText({ ...CALL, maxOutputTokens: undefined, model });
    expect(server.exchanges).toHaveLength(1);
    const [entry] = await settled(1);
    const outputs = (1_000_000 * 2_500_000) / NANO_USD_PER_PICO;
    expect((entry?.heldNanoUsd ?? 0) - outputs).toBeLessThan(1_000_000);
  });

  it('is charged at its hold when it breaks on the way', async () => {
    const { server, model, settled } = await make('stream', 120_000);
    server.reply([
      {
        reasoningTokens: 30_000,
        outputTokens: 120_000,
        tokensPerRequest: 65_536,
        tokensPerChunk: 1_000,
      },
      { reasoningTokens: 30_000, outputTokens: 120_000, tokensPerChunk: 1_000, cutAfterChunks: 2 },
    ]);
    await ai.streamText({ ...CALL, model, onError() {} }).consumeStream({ onError() {} });
    const [entry] = await settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
    expect(entry?.costNanoUsd).toBeGreaterThanOrEqual(server.billedNanoUsd());
  });
});
