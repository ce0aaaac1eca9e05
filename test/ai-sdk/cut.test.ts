import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../wire/exchange.ts';
import { sendChunks } from '../wire/send-chunks.ts';
import { MATRIX } from './majors.ts';
import { type Scene, scene } from './scene.ts';
import type { CallOptions, Part, Streamed } from './sdk.ts';

const CENT = 10_000_000;

/** A provider that ignores the limit of 20 tokens, and a cap that pays for no more than those. */
const RUNAWAY = {
  model: 'cent',
  cap: '0.20',
  reply: { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' },
} as const;
const CALL = { prompt: 'Say something.', maxOutputTokens: 20, maxRetries: 0 };

async function expectCut(exchange: Exchange, { settled, spent, server }: Scene): Promise<void> {
  expect(await exchange.closed).toBe('client-closed');
  expect(exchange.chunksSent).toBe(21);
  const [entry] = await settled(1);
  expect(entry?.outcome).toBe('metered');
  expect(await spent()).toBeGreaterThanOrEqual(server.billedNanoUsd());
  expect(server.billedNanoUsd()).toBe(21 * CENT);
}

async function partsOf(result: Streamed): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of result.fullStream) parts.push(part);
  return parts;
}

describe.each(MATRIX)('%s, %s: a stream that crosses its cap', (_, api, major) => {
  it('case C-100: is cut by the chunk that crosses it, and tells its reader', async () => {
    const errors: unknown[] = [];
    const here = await scene(major, api, RUNAWAY);
    const onError = ({ error }: { error: unknown }) => errors.push(error);
    const result = major.ai.streamText({ ...CALL, model: here.model, onError });
    const parts = partsOf(result);
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    await expectCut(exchange, here);

    const types = (await parts).map(({ type }) => type);
    expect(types.slice(-4)).toEqual(['text-end', 'error', 'finish-step', 'finish']);
    expect(types.filter((type) => type === 'text-delta')).toHaveLength(21);
    expect(errors).toHaveLength(1);
    expect(BudgetExceededError.isInstance(errors[0])).toBe(true);
    expect((await result.text).trim().split(' ')).toHaveLength(21);
    expect(await result.finishReason).toBe('error');
    expect((await result.usage).outputTokens).toBeGreaterThanOrEqual(21);
    expect(await result.steps).toHaveLength(1);
  });

  it('ends like a full one where that is asked for', async () => {
    const errors: unknown[] = [];
    const here = await scene(major, api, { ...RUNAWAY, budget: { onCut: 'length' } });
    const onError = ({ error }: { error: unknown }) => errors.push(error);
    const result = major.ai.streamText({ ...CALL, model: here.model, onError });
    const parts = partsOf(result);
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    await expectCut(exchange, here);
    expect((await parts).map(({ type }) => type)).not.toContain('error');
    expect(errors).toEqual([]);
    expect(await result.finishReason).toBe('length');
    expect((await result.text).trim().split(' ')).toHaveLength(21);
  });

  it('is cut while its reader stalls', async () => {
    const here = await scene(major, api, RUNAWAY);
    const result = major.ai.streamText({ ...CALL, model: here.model, onError() {} });
    const reader = result.fullStream[Symbol.asyncIterator]();
    await reader.next();
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    await expectCut(exchange, here);
  });

  it('is cut where nobody reads it', async () => {
    const here = await scene(major, api, RUNAWAY);
    major.ai.streamText({ ...CALL, model: here.model, onError() {} });
    const exchange = await here.server.nextExchange();
    await sendChunks(exchange, 21);
    await expectCut(exchange, here);
  });

  // Gemini's calls come as a whole, when nothing of them is left to be cut.
  if (api !== 'gemini') {
    it('runs no tool and takes no further step', async () => {
      const tool = { name: 'search', arguments: { query: 'x'.repeat(400) } };
      const reply = { ...RUNAWAY.reply, outputTokens: 0, toolCalls: [tool] };
      const here = await scene(major, api, { ...RUNAWAY, reply });
      let ran = 0;
      const result = major.ai.streamText({
        ...CALL,
        model: here.model,
        stopWhen: major.ai.stepCountIs(3),
        tools: { search: searchTool(() => ran++) },
        onError() {},
      });
      const done = result.consumeStream();
      const exchange = await here.server.nextExchange();
      await sendChunks(exchange, 21);
      await expectCut(exchange, here);
      await done;
      expect([ran, here.server.exchanges.length]).toEqual([0, 1]);
    });
  }

  function searchTool(execute: () => void): unknown {
    const properties = { query: { type: 'string' } };
    const inputSchema = major.ai.jsonSchema({ type: 'object', properties });
    return major.ai.tool({ description: 'Searches.', inputSchema, execute } as CallOptions);
  }
});

const LONG = { outputTokens: 400, pace: 'manual' } as const;

describe.each(MATRIX)('%s, %s: a stream that its caller leaves', (_, api, major) => {
  it('case C-68, C-72: settles what was metered when the caller aborts', async () => {
    const here = await scene(major, api, { model: 'gpt-4o-cent', reply: LONG });
    const client = new AbortController();
    const options = { ...CALL, maxOutputTokens: 500, abortSignal: client.signal, onError() {} };
    const result = major.ai.streamText({ ...options, model: here.model });
    const reader = result.fullStream[Symbol.asyncIterator]();
    const exchange = await here.server.nextExchange();
    const sent = sendChunks(exchange, 5);
    for (let deltas = 0; deltas < 5; ) {
      if ((await reader.next()).value?.type === 'text-delta') deltas += 1;
    }
    await sent;
    client.abort();
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
    expect(await here.spent()).toBeLessThan(entry?.heldNanoUsd ?? 0);
  });

  it('settles what the provider bills when nobody reads to the end', async () => {
    const reply = { ...LONG, pace: 'immediate' } as const;
    const here = await scene(major, api, { model: 'cent', reply });
    const options = { ...CALL, maxOutputTokens: 500, model: here.model };
    major.ai.streamText(options);
    for await (const _part of major.ai.streamText(options).fullStream) break;
    const entries = await here.settled(2);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['known', 'known']);
    expect(await here.spent()).toBe(800 * CENT);
    expect(here.server.exchanges.map(({ closedAtMs }) => closedAtMs)).not.toContain(null);
  });
});
