import { spendBudget, withSpendBudget } from '@hardcap/ai-sdk';
import { BudgetExceededError, MemoryUsageSink, type UsageSink } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../wire/reply.ts';
import { sendChunks } from '../wire/send-chunks.ts';
import { MAJORS, MATRIX } from './majors.ts';
import { type Scene, scene } from './scene.ts';
import type { Part, Streamed } from './sdk.ts';

const CALL = { prompt: 'Say something.', maxOutputTokens: 100, maxRetries: 2 };
const NEVER = new Promise(() => {});
const HELD: Reply = { holdBeforeHeaders: NEVER };
const SLOW: Reply = { outputTokens: 90, pace: 'manual' };
const CENT = 'gpt-4o-cent';
const ACCOUNT = { budget: 'cap', identity: { user: 'u1' } };

function expectBlocked(error: unknown): void {
  expect(BudgetExceededError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ denial: { refusals: [{ kind: 'blocked' }] } });
}

/** That the call was sent once, its connection closed, and that it settled beside the block. */
async function expectStopped(here: Scene, outcome: 'unknown' | 'metered'): Promise<void> {
  expect(here.server.exchanges).toHaveLength(1);
  expect(await here.server.exchanges[0]?.closed).toBe('client-closed');
  const [, entry] = await here.settled(2);
  expect(entry?.outcome).toBe(outcome);
  expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
}

describe.each(MATRIX)('%s, %s: where an account is blocked', (_, api, major) => {
  const { generateText, streamText } = major.ai;

  it.each([
    ['waits for the answer', HELD],
    ['takes the answer in', { outputTokens: 90, pace: { everyMs: 1_000 } }],
  ] as const)('a call for a whole answer that %s is stopped at once', async (__, reply) => {
    const here = await scene(major, api, { model: CENT, reply });
    const done = generateText({ ...CALL, model: here.model }).catch((error: unknown) => error);
    await here.server.nextExchange();
    await here.guard.block(ACCOUNT);
    expectBlocked(await done);
    await expectStopped(here, 'unknown');
  });

  it('a stream that waits for its first byte is stopped at once', async () => {
    const here = await scene(major, api, { model: CENT, reply: HELD });
    const done = streamed(here).catch((error: unknown) => error);
    await here.server.nextExchange();
    await here.guard.block(ACCOUNT);
    expectBlocked(await done);
    await expectStopped(here, 'unknown');
  });

  it('a stream is cut at once, though nothing comes and nobody reads', async () => {
    const here = await scene(major, api, { model: CENT, reply: SLOW });
    const made = streamed(here);
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 5);
    const reader = (await made).stream.getReader();
    const parts: Part[] = [];
    const take = async (): Promise<boolean> => {
      const { done, value } = await reader.read();
      if (!done) parts.push(value as Part);
      return !done;
    };
    while (parts.at(-1)?.type !== 'text-delta') await take();
    await here.guard.block(ACCOUNT);
    await expectStopped(here, 'metered');
    while (await take());
    const [error, finish] = parts.slice(-2);
    expectBlocked(error?.['error']);
    expect(finish?.type).toBe('finish');
    expect(parts.filter(({ type }) => type === 'text-end')).toHaveLength(1);
  });

  it('the reader of streamText is told', async () => {
    const here = await scene(major, api, { model: CENT, reply: SLOW });
    const errors: unknown[] = [];
    const onError = ({ error }: { readonly error: unknown }) => void errors.push(error);
    const result = streamText({ ...CALL, model: here.model, onError });
    const done = blockedAfterText(here, result);
    await sendChunks(await here.server.nextExchange(), 5);
    await done;
    await Promise.resolve(result.text).catch(() => {});
    expectBlocked(errors[0]);
    await expectStopped(here, 'metered');
  });

  it('before it hears of its admission, a call holds nothing and is not sent', async () => {
    let block = async (): Promise<void> => {};
    const here = await scene(major, api, { guard: { sink: answering(() => block()) } });
    block = async () => {
      await here.guard.block(ACCOUNT);
    };
    const whole = generateText({ ...CALL, model: here.model });
    expectBlocked(await whole.catch((error: unknown) => error));
    expect(here.server.exchanges).toEqual([]);
    await expect.poll(() => here.guard.verify()).toMatchObject({ reservations: 0 });
  });
});

const USER = { role: 'user', content: [{ type: 'text', text: 'Say something.' }] };

/** As the SDK calls the model. */
async function streamed({ model }: Scene) {
  return model.doStream({ prompt: [USER], maxOutputTokens: 100 });
}

/** Reads a stream to its end, and blocks the account when its text has begun. */
async function blockedAfterText({ guard }: Scene, { fullStream }: Streamed): Promise<void> {
  let texts = 0;
  for await (const { type } of fullStream) {
    if (type !== 'text-delta') continue;
    texts += 1;
    if (texts === 1) await guard.block(ACCOUNT);
  }
}

/** A sink that does something between its answer and the guard's hearing of it. */
function answering(before: () => Promise<void>): UsageSink {
  const sink = new MemoryUsageSink();
  const reserve = sink.reserve.bind(sink);
  return Object.assign(sink, {
    reserve: async (...given: Parameters<typeof reserve>) => {
      const answer = await reserve(...given);
      await before();
      return answer;
    },
  });
}

describe.each(MAJORS)('$name: where an account is blocked', (major) => {
  const { ai } = major;

  it.each(['embedding', 'image', 'speech'] as const)('a call for %s is stopped', async (kind) => {
    const here = await scene(major, 'openai chat', { reply: { ...HELD, inputTokens: 1 } });
    const bare = major.openai({ baseURL: here.server.openaiBaseUrl, apiKey: 'wire' });
    const openai = withSpendBudget(bare, here.guard, { pieceCost: '0.04' });
    const { generateImage = ai.experimental_generateImage } = ai;
    const makes = {
      embedding: async () =>
        ai.embed({ ...CALL, model: openai.embedding('text-embedding-3-small'), value: 'one' }),
      image: async () => generateImage?.({ ...CALL, model: openai.image('gpt-image-1') }),
      speech: async () =>
        ai.experimental_generateSpeech({ ...CALL, model: openai.speech('tts-1'), text: 'Hi.' }),
    };
    const done = makes[kind]().catch((error: unknown) => error);
    await here.server.nextExchange();
    await here.guard.block(ACCOUNT);
    expectBlocked(await done);
    await expectStopped(here, 'unknown');
  });

  it('a stream ends with its length, where `onCut` says so', async () => {
    const here = await scene(major, 'openai chat', { model: CENT, reply: SLOW });
    const middleware = spendBudget(here.guard, { onCut: 'length' });
    const model = ai.wrapLanguageModel({ model: here.bare, middleware });
    const result = ai.streamText({ ...CALL, model });
    const done = blockedAfterText(here, result);
    await sendChunks(await here.server.nextExchange(), 5);
    await done;
    expect(await result.finishReason).toBe('length');
    await expectStopped(here, 'metered');
  });
});
