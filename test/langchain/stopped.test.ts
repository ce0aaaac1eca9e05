import { BudgetExceededError, MemoryUsageSink, type UsageSink } from '@hardcap/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sendChunks } from '../wire/send-chunks.ts';
import type { Fields, Model } from './langchain.ts';
import { MATRIX } from './majors.ts';
import { scene } from './scene.ts';

const NEVER = new Promise(() => {});
const PROMPT = 'Say something.';
const LIMITED = { model: 'gpt-4o-cent', fields: { maxTokens: 100 } };

type Make = (model: Model, config?: Fields, heard?: () => void) => Promise<unknown>;

const WAYS: Readonly<Record<string, Make>> = {
  invoke: (model, config) => model.invoke(PROMPT, config),
  stream: async (model, config, heard) => {
    for await (const chunk of await model.stream(PROMPT, config)) if (chunk.text !== '') heard?.();
  },
};

const CASES = MATRIX.flatMap(([name, api, major]) =>
  Object.entries(WAYS).map(([way, make]) => [name, api, way, { major, make }] as const),
);

/** A sink that does something between its answer and the guard's hearing of it. */
function answering(before: () => void): UsageSink {
  const sink = new MemoryUsageSink();
  const reserve = sink.reserve.bind(sink);
  return Object.assign(sink, {
    reserve: async (...given: Parameters<typeof reserve>) => {
      const answer = await reserve(...given);
      before();
      return answer;
    },
  });
}

describe.each(CASES)('%s, %s, %s: a call', (_, api, way, { major, make }) => {
  it('holds and costs nothing that is aborted while its budget is asked', async () => {
    const client = new AbortController();
    const sink = answering(() => client.abort());
    const here = await scene(major, api, { ...LIMITED, guard: { sink } });
    await expect(make(here.model, { signal: client.signal })).rejects.toThrow();
    expect(here.server.exchanges).toEqual([]);
    await expect.poll(() => here.guard.verify()).toMatchObject({ reservations: 0 });
    expect(await here.entries()).toEqual([]);
  });

  it('that was aborted is not reserved again by a package that sends again', async () => {
    const reply = { holdBeforeHeaders: NEVER };
    const fields = { ...LIMITED.fields, maxRetries: 3 };
    const here = await scene(major, api, { ...LIMITED, fields, reply });
    const client = new AbortController();
    const done = make(here.model, { signal: client.signal }).catch(() => {});
    const exchange = await here.server.nextExchange();
    // The packages wait for seconds before they do.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    client.abort();
    expect(await exchange.closed).toBe('client-closed');
    for (let tries = 0; tries < 4; tries += 1) await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await done;
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('unknown');
    expect(here.events.filter(({ type }) => type === 'reserved')).toHaveLength(1);
  });

  it('is stopped at once where its account is blocked', async () => {
    const reply = { outputTokens: 90, pace: 'manual' } as const;
    const here = await scene(major, api, { ...LIMITED, reply });
    let texts = 0;
    const done = make(here.model, {}, () => {
      texts += 1;
    }).catch((error: unknown) => error);
    const exchange = await here.server.nextExchange();
    if (way === 'stream') {
      await sendChunks(exchange, 5);
      await expect.poll(() => texts).toBeGreaterThan(2);
    }
    await here.guard.block({ budget: 'cap', identity: { user: 'u1' } });
    expect(await exchange.closed).toBe('client-closed');
    const error = await done;
    expect(BudgetExceededError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ denial: { refusals: [{ kind: 'blocked' }] } });
    // That of the block is the first.
    const [, entry] = await here.settled(2);
    expect(entry?.outcome).toBe(way === 'invoke' ? 'unknown' : 'metered');
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
  });

  it('that runs into its `timeout` is charged what it held, once', async () => {
    const here = await scene(major, api, { ...LIMITED, reply: { holdBeforeHeaders: NEVER } });
    await expect(make(here.model, { timeout: 20 })).rejects.toThrow();
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('unknown');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });
});

describe.each(MATRIX)('%s, %s: a stream', (_, api, major) => {
  it('that a callback of somebody else breaks is closed, and settled', async () => {
    const reply = { outputTokens: 90, pace: 'manual' } as const;
    const here = await scene(major, api, { ...LIMITED, reply });
    vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    let tokens = 0;
    const breaker = {
      name: 'breaker',
      raiseError: true,
      awaitHandlers: true,
      handleLLMNewToken: () => {
        tokens += 1;
        if (tokens === 2) throw new Error('Broken.');
      },
    };
    const done = WAYS['stream']?.(here.model, { callbacks: [breaker] });
    const exchange = await here.server.nextExchange();
    const sent = sendChunks(exchange, 4);
    await expect(done).rejects.toThrow('Broken.');
    await sent;
    expect(await exchange.closed).toBe('client-closed');
    await here.settled(1);
  });
});
