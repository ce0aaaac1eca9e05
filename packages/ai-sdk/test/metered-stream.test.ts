import { MemoryUsageSink } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { END, finish, type Part, read, START, stage, streamOf, text } from './stage.ts';

const PARAMS = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] };

const playing = (...parts: readonly Part[]) => ({
  stream: async () => ({ stream: streamOf(...parts) }),
});

/** A stream whose parts the test gives one by one. */
function pipe(): {
  stream: ReadableStream<Part>;
  controller: ReadableStreamDefaultController<Part>;
  cancelled: unknown[];
} {
  let controller: ReadableStreamDefaultController<Part> | undefined;
  const cancelled: unknown[] = [];
  const stream = new ReadableStream<Part>({
    start(given) {
      controller = given;
    },
    cancel(reason) {
      cancelled.push(reason);
    },
  });
  return { stream, controller: controller as ReadableStreamDefaultController<Part>, cancelled };
}

const untilSettled = (entries: () => Promise<unknown[]>) =>
  expect.poll(async () => (await entries()).length).toBe(1);

describe('a stream that runs to its end', () => {
  it('is passed on as it is, and settled at its usage', async () => {
    const parts = [START, text('Hello'), text(' world'), END, finish(10, 2)];
    const { stream, entries } = stage(playing(...parts));
    expect(await read((await stream(PARAMS)).stream)).toEqual(parts);
    const [entry] = await entries();
    expect(entry).toMatchObject({ outcome: 'known', costNanoUsd: 21_000_000 });
  });

  it('keeps everything else of the result', async () => {
    const request = { body: {} };
    const act = { stream: async () => ({ stream: streamOf(finish(1, 1)), request, response: 1 }) };
    const { stream } = stage(act);
    expect(await stream(PARAMS)).toMatchObject({ request, response: 1 });
  });

  it('is settled before its reader sees the end', async () => {
    const { stream, entries } = stage(playing(text('Hi'), finish(1, 1)));
    const settledAtFinish: number[] = [];
    for await (const { type } of (await stream(PARAMS)).stream) {
      if (type === 'finish') settledAtFinish.push((await entries()).length);
    }
    expect(settledAtFinish).toEqual([1]);
  });

  it('is settled where nobody reads it', async () => {
    const { stream, entries } = stage(playing(text('Hi'), finish(1, 7)));
    await stream(PARAMS);
    await untilSettled(entries);
    expect((await entries())[0]?.usage).toMatchObject({ input: 1, output: 7 });
  });

  it('reaches its reader although the books cannot be closed', async () => {
    const settle = () => Promise.reject(new Error('down'));
    const sink = Object.assign(new MemoryUsageSink(), { settle });
    const parts = [text('Hi'), finish(1, 1)];
    const { stream, generate, events } = stage(
      {
        ...playing(...parts),
        generate: async () => ({ content: [], usage: finish(1, 1)['usage'] }),
      },
      { sink },
    );
    expect(await read((await stream(PARAMS)).stream)).toEqual(parts);
    expect(await generate(PARAMS)).toMatchObject({ content: [] });
    const failures = events.filter(({ type }) => type === 'sink-unavailable');
    expect(failures).toHaveLength(2);
  });

  it.each([
    ['NaN', finish(Number.NaN, 3)],
    ['negative', finish(4, -1)],
    ['a fraction', finish(4.5, 1)],
    ['half missing', finish(undefined, 3)],
  ])('is charged at its hold where usage is %s', async (_, last) => {
    const { stream, entries } = stage(playing(text('Hi'), last));
    await read((await stream(PARAMS)).stream);
    const [entry] = await entries();
    expect(entry).toMatchObject({ outcome: 'known', usage: null });
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  it('is metered where no usage comes, tool calls that were not streamed included', async () => {
    const call = (toolCallId: string): Part => ({
      type: 'tool-call',
      toolCallId,
      toolName: 'look',
      input: '{"where":"everywhere, and look well"}',
    });
    const once = stage(playing(call('1'), finish(undefined, undefined)));
    await read((await once.stream(PARAMS)).stream);
    const [entry] = await once.entries();
    expect(entry?.outcome).toBe('metered');
    expect(entry?.usage?.output).toBeGreaterThan(5);

    const streamed = [
      { type: 'tool-input-start', id: '1', toolName: 'look' },
      { type: 'tool-input-delta', id: '1', delta: call('1')['input'] },
      { type: 'tool-input-end', id: '1' },
    ];
    const both = stage(playing(...streamed, call('1'), finish(undefined, undefined)));
    await read((await both.stream(PARAMS)).stream);
    expect((await both.entries())[0]?.usage?.output).toBe(entry?.usage?.output);
  });
});

describe('a stream that does not', () => {
  it('passes on the failure of its provider as it is, once it is settled', async () => {
    const failure = new Error('socket hang up');
    const { stream: source, controller } = pipe();
    const { stream, entries } = stage({ stream: async () => ({ stream: source }) });
    const reading = read((await stream(PARAMS)).stream);
    controller.enqueue(text('Hello there'));
    controller.error(failure);
    await expect(reading).rejects.toBe(failure);
    expect((await entries())[0]?.outcome).toBe('metered');
  });

  it.each([
    ['fails', (controller: ReadableStreamDefaultController<Part>) => controller.error(new Error())],
    ['ends', (controller: ReadableStreamDefaultController<Part>) => controller.close()],
  ])('is charged at its hold where it %s before anything came', async (_, end) => {
    const { stream: source, controller } = pipe();
    const { stream, entries } = stage({ stream: async () => ({ stream: source }) });
    const reading = read((await stream(PARAMS)).stream).catch(() => {});
    controller.enqueue({ type: 'stream-start', warnings: [] });
    end(controller);
    await reading;
    const [entry] = await entries();
    expect(entry?.outcome).toBe('unknown');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  const SEARCH = { toolCallId: '1', toolName: 'web_search', providerExecuted: true };
  const UNSEEN: readonly (readonly [string, Part])[] = [
    ['a tool of the provider is called', { type: 'tool-call', ...SEARCH, input: '{}' }],
    ['a tool of the provider has read', { type: 'tool-result', ...SEARCH, result: [] }],
    ['it has a picture', { type: 'file', mediaType: 'image/png', data: '' }],
    ['it has thought of a picture', { type: 'reasoning-file', mediaType: 'image/png', data: '' }],
  ];

  it.each(UNSEEN)('is charged at its hold where %s', async (_, part) => {
    const { stream, entries } = stage(playing(START, text('Hello'), part));
    await read((await stream(PARAMS)).stream);
    const [entry] = await entries();
    expect(entry?.outcome).toBe('unknown');
    expect(entry?.costNanoUsd).toBe(entry?.heldNanoUsd);
  });

  it.each(UNSEEN)('is metered where %s and nothing was held', async (_, part) => {
    const budget = { estimate: { fixed: { usd: '0.001' } } } as const;
    const { stream, entries } = stage(playing(START, text('Hello'), part), { budget });
    await read((await stream(PARAMS)).stream);
    expect((await entries())[0]?.outcome).toBe('metered');
  });

  it('cancels its provider when its reader does, with the same reason', async () => {
    const { stream: source, controller, cancelled } = pipe();
    const { stream, entries } = stage({ stream: async () => ({ stream: source }) });
    const { stream: metered } = await stream(PARAMS);
    const reader = metered.getReader();
    controller.enqueue(text('Hello there'));
    await reader.read();
    const reason = new Error('enough');
    await reader.cancel(reason);
    expect(cancelled).toEqual([reason]);
    expect((await entries())[0]?.outcome).toBe('metered');
  });

  it('case C-82: is settled once, whatever else happens', async () => {
    const { stream: source, controller } = pipe();
    const { stream, entries } = stage({ stream: async () => ({ stream: source }) });
    const reader = (await stream(PARAMS)).stream.getReader();
    controller.enqueue(text('Hello there'));
    controller.enqueue(finish(3, 3));
    await reader.read();
    await reader.read();
    controller.error(new Error('late'));
    await reader.cancel().catch(() => {});
    expect(await entries()).toHaveLength(1);
    expect((await entries())[0]?.outcome).toBe('known');
  });

  it('survives a part that is not what it should be', async () => {
    const parts = [{ type: 'text-delta', id: '0' }, { type: 'tool-call' }, { type: 'raw' }, {}];
    const { stream, entries } = stage(playing(...parts, finish(1, 1)));
    expect(await read((await stream(PARAMS)).stream)).toHaveLength(5);
    expect((await entries())[0]?.outcome).toBe('known');
  });
});

describe('a call that fails', () => {
  it('before it was made costs nothing where its caller had aborted', async () => {
    const abortSignal = AbortSignal.abort();
    const act = { stream: () => Promise.reject(abortSignal.reason) };
    const { stream, entries } = stage(act);
    await expect(stream({ ...PARAMS, abortSignal })).rejects.toBe(abortSignal.reason);
    expect((await entries())[0]).toMatchObject({ outcome: 'not-sent', costNanoUsd: 0 });
  });

  it.each([{}, undefined, { stream: 'none' }])(
    'by answering with %j is charged its hold',
    async (result) => {
      const answer = async () => result as never;
      const { stream, generate, entries } = stage({ stream: answer, generate: answer });
      expect(await stream(PARAMS)).toBe(result);
      expect(await generate(PARAMS)).toBe(result);
      const ledger = await entries();
      expect(ledger.map(({ outcome }) => outcome)).toEqual(['unknown', 'known']);
      for (const entry of ledger) expect(entry.costNanoUsd).toBe(entry.heldNanoUsd);
    },
  );

  it('while its answer is taken up leaves nothing reserved', async () => {
    const locked = streamOf();
    locked.getReader();
    const { stream, guard, entries } = stage({ stream: async () => ({ stream: locked }) });
    await expect(stream(PARAMS)).rejects.toThrow(TypeError);
    expect((await guard.verify()).reservations).toBe(0);
    expect((await entries())[0]?.outcome).toBe('unknown');
  });
});
