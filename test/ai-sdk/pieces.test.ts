import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SpendBudgetForAllOptions, withSpendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAJORS, type Major } from './majors.ts';
import { scene } from './scene.ts';

/** A server for pictures, speech and transcriptions that says nothing of what they cost. */
async function startMediaServer(): Promise<{ url: string; requests: () => number }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => {
      const isSpeech = request.url?.endsWith('/speech');
      response.setHeader('content-type', isSpeech ? 'audio/mpeg' : 'application/json');
      const data = Array.from({ length: 4 }, () => ({ b64_json: 'aGk=' }));
      response.end(isSpeech ? Buffer.from('ID3 and so on') : JSON.stringify({ text: 'Hi.', data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests: () => requests };
}

/** $15 a million characters, $0.006 a minute of 16,000 bytes a second, $0.08 a picture in high quality. */
const pieceCost: NonNullable<SpendBudgetForAllOptions['pieceCost']> = ({ modelId }, call) => {
  const { text, audio, providerOptions } = call as {
    text?: string;
    audio?: Uint8Array;
    providerOptions?: { openai?: { quality?: string } };
  };
  if (modelId === 'tts-1') return (((text?.length ?? 0) * 15) / 1_000_000).toFixed(6);
  if (modelId === 'whisper-1') return (((audio?.length ?? 0) / 16_000 / 60) * 0.006).toFixed(6);
  return providerOptions?.openai?.quality === 'hd' ? '0.08' : '0.04';
};

async function provided(major: Major, cap = '1') {
  const here = await scene(major, 'openai chat', { cap });
  const media = await startMediaServer();
  const bare = major.openai({ baseURL: media.url, apiKey: 'wire' });
  return { ...here, media, openai: withSpendBudget(bare, here.guard, { pieceCost }) };
}

describe.each(MAJORS)('$name: case C-75: what is billed by its own units', ({ ai, ...major }) => {
  const { generateImage = ai.experimental_generateImage } = ai;
  const speak = { text: 'x'.repeat(3_000), maxRetries: 0 };

  type Provided = Awaited<ReturnType<typeof provided>>;
  const make = {
    'four pictures in high quality': ({ openai }: Provided) =>
      generateImage?.({
        model: openai.image('dall-e-3'),
        prompt: 'A fox.',
        n: 4,
        maxImagesPerCall: 4,
        providerOptions: { openai: { quality: 'hd' } },
      }),
    'speech of 3,000 characters': ({ openai }: Provided) =>
      ai.experimental_generateSpeech({ ...speak, model: openai.speech('tts-1') }),
    'a transcription of 60 seconds': ({ openai }: Provided) =>
      ai.experimental_transcribe({
        model: openai.transcription('whisper-1'),
        audio: new Uint8Array(60 * 16_000),
        maxRetries: 0,
      }),
  };

  it.each([
    ['four pictures in high quality', 320_000_000],
    ['speech of 3,000 characters', 45_000_000],
    ['a transcription of 60 seconds', 6_000_000],
  ] as const)('%s: held and charged by a function of the call', async (what, costNanoUsd) => {
    const here = await provided({ ai, ...major });
    await make[what](here);
    const [entry] = await here.settled(1);
    expect(entry).toMatchObject({ outcome: 'known', heldNanoUsd: costNanoUsd, costNanoUsd });
  });

  it('is not sent where the budget does not carry it', async () => {
    const { openai, media } = await provided({ ai, ...major }, '0.044');
    const done = ai.experimental_generateSpeech({ ...speak, model: openai.speech('tts-1') });
    await expect(done).rejects.toSatisfy(BudgetExceededError.isInstance);
    expect(media.requests()).toBe(0);
  });
});
