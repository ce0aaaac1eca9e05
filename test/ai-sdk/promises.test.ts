import { BudgetExceededError } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../wire/exchange.ts';
import { sendChunks } from '../wire/send-chunks.ts';
import { MATRIX, type Major } from './majors.ts';
import { PATIENT, type Scene, type SceneOptions, scene } from './scene.ts';
import type { CallOptions, Model, Part, Streamed } from './sdk.ts';

/** How the reader of a stream behaves until its connection is closed; afterwards it reads on. */
const READERS = {
  reads: (result: Streamed) => {
    const done = restOf(result.fullStream[Symbol.asyncIterator]());
    return () => done;
  },
  stalls: (result: Streamed) => {
    const reader = result.fullStream[Symbol.asyncIterator]();
    const first = reader.next();
    return async () => {
      await first;
      await restOf(reader);
    };
  },
  'is not there': () => async () => {},
} as const;

async function restOf(reader: AsyncIterator<Part>): Promise<void> {
  while (!(await reader.next()).done);
}

/** Which promises a result of `streamText` has, whatever the major: its streams are no promises. */
function promisesOf(result: Streamed): [string, PromiseLike<unknown>][] {
  const members = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(result) as object);
  const names = Object.keys(members).filter((name) => members[name]?.get && !/stream/i.test(name));
  return names.flatMap((name) => {
    const value = result[name as keyof Streamed] as { readonly then?: unknown } | undefined;
    return typeof value?.then === 'function' ? [[name, value as PromiseLike<unknown>]] : [];
  });
}

/** How each promise of a result settles; the test does not end where one never does. */
async function endsOf(result: Streamed): Promise<Set<string>> {
  const promises = promisesOf(result);
  expect(promises.length).toBeGreaterThan(15);
  const ends = await Promise.allSettled(promises.map(([, promise]) => promise));
  return new Set(ends.map(({ status }) => status));
}

/** The model, and how many texts of its streams have been taken. */
function counted(major: Major, model: Model): { model: Model; texts: () => number } {
  let texts = 0;
  const count = new TransformStream<Part, Part>({
    transform(part, controller) {
      if (part.type === 'text-delta' && part['delta'] !== '') texts += 1;
      controller.enqueue(part);
    },
  });
  const middleware = {
    specificationVersion: 'v3',
    wrapStream: async ({ doStream }: Pick<Model, 'doStream'>) => {
      const { stream, ...others } = await doStream({});
      return { ...others, stream: stream.pipeThrough(count) };
    },
  };
  return { model: major.ai.wrapLanguageModel({ model, middleware }), texts: () => texts };
}

interface Left extends Scene {
  readonly errors: readonly unknown[];
  readonly ends: ReadonlySet<string>;
}

const READING = Object.keys(READERS) as (keyof typeof READERS)[];

describe.each(MATRIX)('%s, %s: every promise of a stream settles', (_, api, major) => {
  /** Makes a call, has its connection closed, and lets its reader see the end. */
  async function leave(
    reading: keyof typeof READERS,
    options: SceneOptions,
    call: CallOptions,
    close: (exchange: Exchange, texts: () => number) => Promise<void>,
  ): Promise<Left> {
    const here = await scene(major, api, options);
    const errors: unknown[] = [];
    const { model, texts } = counted(major, here.bare);
    const result = major.ai.streamText({
      ...{ prompt: 'Say something.', maxRetries: 0, model: here.wrap(model), ...call },
      onError: ({ error }: { readonly error: unknown }) => void errors.push(error),
    });
    const readOn = READERS[reading](result);
    const exchange = await here.server.nextExchange();
    await close(exchange, texts);
    expect(await exchange.closed).toBe('client-closed');
    const [entry] = await here.settled(1);
    expect(entry?.outcome).toBe('metered');
    expect(await here.spent()).toBeGreaterThanOrEqual(here.server.billedNanoUsd());
    await readOn();
    return { ...here, errors, ends: await endsOf(result) };
  }

  const RUNAWAY = {
    model: 'cent',
    cap: '0.20',
    reply: { outputTokens: 400, ignoreOutputLimit: true, pace: 'manual' },
  } as const;

  it.each(READING)('that is cut while its reader %s', async (reading) => {
    const { server, errors, ends } = await leave(
      reading,
      RUNAWAY,
      { maxOutputTokens: 20 },
      (exchange) => sendChunks(exchange, 21),
    );
    expect(server.exchanges.map(({ chunksSent }) => chunksSent)).toEqual([21]);
    expect(errors.map(BudgetExceededError.isInstance)).toEqual([true]);
    expect([...ends]).toEqual(['fulfilled']);
  });

  it.each(READING)('that its caller aborts while its reader %s', async (reading) => {
    const client = new AbortController();
    const { errors, ends } = await leave(
      reading,
      { model: 'gpt-4o-cent', reply: { outputTokens: 400, pace: 'manual' } },
      { maxOutputTokens: 500, abortSignal: client.signal },
      async (exchange, texts) => {
        await sendChunks(exchange, 5);
        await expect.poll(texts, PATIENT).toBe(5);
        client.abort();
      },
    );
    expect(errors).toEqual([]);
    expect([...ends]).toEqual(['rejected']);
  });
});
