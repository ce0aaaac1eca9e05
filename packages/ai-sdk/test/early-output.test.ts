import { describe, expect, it } from 'vitest';
import { type Part, read, START, stage, text } from './stage.ts';

const CALL = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
  maxOutputTokens: 2_000,
  providerOptions: { anthropic: { thinking: { type: 'adaptive' } } },
};

const raw = (rawValue: Part): Part => ({ type: 'raw', rawValue });
const MESSAGE_START = raw({
  type: 'message_start',
  message: { usage: { input_tokens: 100, output_tokens: 1 } },
});
const MESSAGE_DELTA = raw({ type: 'message_delta', usage: { output_tokens: 50 } });

/** The entry of a stream of Claude that breaks after these parts. */
async function entryAfter(...parts: readonly Part[]) {
  const { stream, entries } = stage({
    provider: 'anthropic.messages',
    modelId: 'claude-sonnet-4-5',
    stream: async () => ({
      stream: new ReadableStream<Part>({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
        },
        pull: (controller) => controller.error(new Error('reset')),
      }),
    }),
  });
  await read((await stream(CALL)).stream).catch(() => {});
  return (await entries())[0];
}

const CENT = 10_000_000;

describe('a stream of Claude that breaks while it thinks out of sight', () => {
  it('is charged the output that was reported at its end', async () => {
    const entry = await entryAfter(MESSAGE_START, START, text(' word'), MESSAGE_DELTA);
    expect(entry).toMatchObject({ outcome: 'metered', costNanoUsd: (1 + 50) * CENT });
    expect(entry).not.toHaveProperty('hiddenReasoning');
  });

  it('case C-70: is charged its output limit where none was, and never the placeholder', async () => {
    const entry = await entryAfter(MESSAGE_START, START, text(' word'));
    expect(entry).toMatchObject({ outcome: 'metered', costNanoUsd: (1 + 2_000) * CENT });
    expect(entry).toMatchObject({ hiddenReasoning: true, usage: { input: 100, reasoning: 0 } });
  });
});
