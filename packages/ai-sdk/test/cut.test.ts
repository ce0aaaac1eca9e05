import { BudgetExceededError, MemoryUsageSink } from '@hardcap/core';
import { describe, expect, it } from 'vitest';
import { END, finish, type Part, read, START, stage, streamOf, text } from './stage.ts';

const LIMITED = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
  maxOutputTokens: 5,
};

const playing = (...parts: readonly Part[]) => ({
  stream: async () => ({ stream: streamOf(...parts) }),
});

describe('a cut', () => {
  const deltas = Array.from({ length: 9 }, (_, at) => text(` word${at}`));

  it.each([
    [
      'v2',
      'error',
      {
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        totalTokens: expect.any(Number),
      },
    ],
    [
      'v3',
      { unified: 'error', raw: undefined },
      { inputTokens: expect.anything(), outputTokens: expect.anything() },
    ],
    [
      'v4',
      { unified: 'error', raw: undefined },
      { inputTokens: expect.anything(), outputTokens: expect.anything() },
    ],
  ])('of a model of %s has its shape', async (specificationVersion, finishReason, usage) => {
    const { stream, entries } = stage(
      { ...playing(START, ...deltas, END, finish(1, 9)), specificationVersion },
      { cap: '0.06' },
    );
    const parts = await read((await stream(LIMITED)).stream);
    const last = parts.at(-1);
    expect(last).toMatchObject({ type: 'finish', finishReason });
    expect(last?.['usage']).toMatchObject(usage);
    expect(parts.map(({ type }) => type)).toEqual([
      'text-start',
      ...Array.from({ length: 6 }, () => 'text-delta'),
      'text-end',
      'error',
      'finish',
    ]);
    expect(BudgetExceededError.isInstance(parts.at(-2)?.['error'])).toBe(true);
    expect((await entries())[0]?.outcome).toBe('metered');
  });

  it('ends every block that is open, in order', async () => {
    const open = [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-end', id: 'r' },
      { type: 'reasoning-start', id: 'a' },
      { type: 'text-start', id: 'a' },
      { type: 'tool-input-start', id: 't', toolName: 'look' },
    ];
    const { stream } = stage(playing(...open, ...deltas), { cap: '0.06' });
    const parts = await read((await stream(LIMITED)).stream);
    expect(parts.slice(-5, -2)).toEqual([
      { type: 'reasoning-end', id: 'a' },
      { type: 'text-end', id: 'a' },
      { type: 'tool-input-end', id: 't' },
    ]);
  });

  it('counts reasoning and the input of tools like text', async () => {
    const mixed = Array.from({ length: 9 }, (_, at) => ({
      type: ['reasoning-delta', 'tool-input-delta', 'text-delta'][at % 3],
      id: '0',
      delta: ' word',
    }));
    const { stream } = stage(playing(...mixed), { cap: '0.06' });
    const parts = await read((await stream(LIMITED)).stream);
    expect(parts.filter(({ delta }) => delta !== undefined)).toHaveLength(6);
  });

  it('also happens when the store fails, and says so even in soft mode', async () => {
    const sink = Object.assign(new MemoryUsageSink(), {
      extend: () => Promise.reject(new Error('down')),
    });
    const { stream } = stage(playing(...deltas), { sink, budget: { onCut: 'length' } });
    const parts = await read((await stream(LIMITED)).stream);
    expect(parts.at(-2)).toMatchObject({ type: 'error', error: { code: 'SINK_UNAVAILABLE' } });
  });

  it('does not happen while the hold can be extended', async () => {
    const parts = [START, ...deltas, END, finish(1, 9)];
    const { stream, entries } = stage(playing(...parts), { cap: '10' });
    expect(await read((await stream(LIMITED)).stream)).toEqual(parts);
    expect((await entries())[0]?.outcome).toBe('known');
  });

  it('comes at once where the wire carries more than can be held', async () => {
    const act = (max_tokens: number) => ({
      stream: async () => ({
        stream: streamOf(...deltas, finish(1, 9)),
        request: { body: JSON.stringify({ max_tokens }) },
      }),
    });
    const over = stage(act(5_000), { cap: '0.06' });
    const parts = await read((await over.stream(LIMITED)).stream);
    expect(parts.map(({ type }) => type)).toEqual(['error', 'finish']);
    const within = stage(act(5_000), { cap: '100' });
    expect(await read((await within.stream(LIMITED)).stream)).toHaveLength(10);
    const equal = stage(act(5), { cap: '0.06' });
    expect(await read((await equal.stream(LIMITED)).stream)).not.toHaveLength(2);
  });
});
