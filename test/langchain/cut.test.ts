import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../wire/exchange.ts';
import { sendChunks } from '../wire/send-chunks.ts';
import type { Message } from './langchain.ts';
import { MATRIX } from './majors.ts';
import { type Scene, scene } from './scene.ts';

const CENT = 10_000_000;

/** A provider that ignores the limit of 20 tokens, and a cap that pays for no more than those. */
const RUNAWAY = {
  model: 'cent',
  cap: '0.20',
  fields: { maxTokens: 20 },
  reply: { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' },
} as const;

async function expectCut(exchange: Exchange, { settled, spent, server }: Scene): Promise<void> {
  expect(await exchange.closed).toBe('client-closed');
  expect(exchange.chunksSent).toBe(21);
  const [entry] = await settled(1);
  expect(entry?.outcome).toBe('metered');
  expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
  expect(server.billedNanoUsd()).toBe(21 * CENT);
}

describe.each(MATRIX)('%s, %s: a stream that crosses its cap', (_, api, major) => {
  it('case C-100: is cut by the chunk that crosses it, and tells its reader and tracers', async () => {
    const here = await scene(major, api, RUNAWAY);
    const errors: unknown[] = [];
    const tracer = { handleLLMError: (error: unknown) => void errors.push(error) };
    const chunks: Message[] = [];
    const read = (async () => {
      const stream = await here.model.stream('Say something.', { callbacks: [tracer] });
      for await (const chunk of stream) chunks.push(chunk);
    })().catch((error: unknown) => error);
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    await expectCut(exchange, here);
    const error = await read;
    expect(BudgetExceededError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ status: 402 });
    expect(JSON.stringify(chunks).match(/"(?:content|text)":"[^"]/g)?.length).toBeGreaterThan(19);
    await expect.poll(() => errors).toEqual([error]);
  });

  it('is cut where nobody reads it', async () => {
    const here = await scene(major, api, RUNAWAY);
    void here.model.stream('Say something.').catch(() => {});
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    await expectCut(exchange, here);
  });
});

describe.each(MATRIX.filter(([name]) => name === 'langchain 1'))(
  '%s, %s: a stream of events',
  (_, api, major) => {
    it('is cut like any other', async () => {
      const here = await scene(major, api, RUNAWAY);
      const read = (async () => {
        for await (const _event of here.model.streamEvents('Say something.'));
      })().catch((error: unknown) => error);
      const exchange = await here.server.nextExchange();
      await sendChunks(exchange, 21);
      await expectCut(exchange, here);
      expect(BudgetExceededError.isInstance(await read)).toBe(true);
    });

    it.each([
      ['plain', {}],
      ['cached', { cacheRead: 70, cacheWrite5m: api === 'anthropic messages' ? 9 : 0 }],
    ])('is charged what the provider bills: %s', async (classes, reply) => {
      const here = await scene(major, api, { reply: { outputTokens: 40, ...reply } });
      for await (const _event of here.model.streamEvents('Say something.'));
      const [entry] = await here.settled(1);
      expect(entry?.outcome).toBe('known');
      // Events of this package do not tell what was cached, which is charged like all input then.
      const isExact = api !== 'gemini of ChatGoogle' || classes === 'plain';
      if (isExact) expect(await here.spent()).toBe(here.server.billedNanoUsd());
      else expect(await here.spent()).toBeGreaterThan(here.server.billedNanoUsd());
    });
  },
);
