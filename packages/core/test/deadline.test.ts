import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MemoryUsageSink } from '../src/index.ts';
import { admit, benchOf, callOf, usdBudget } from './support/guard.ts';
import { ANN, cost, open, outageScene } from './support/outage-scene.ts';

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));

describe('a sink that is late', () => {
  afterEach(() => vi.useRealTimers());

  test('a call that goes on is made known to the sink with its next beat', async () => {
    vi.useFakeTimers();
    const { guard, sink, figures, clock } = outageScene([open('1')]);
    sink.lost = 'request';
    const call = await admit(guard, callOf(100, ANN));
    sink.lost = null;
    clock.advance(40_000);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await figures()).toEqual([0, 1_000_000]);
    await call.settle(cost(700_000));
    expect(await figures()).toEqual([700_000, 0]);
  });

  test('a sink that never answers is away after the deadline', async () => {
    vi.useFakeTimers();
    for (const budget of [open('1'), usdBudget('1')]) {
      const memory = new MemoryUsageSink();
      const { guard } = benchOf([budget], { sink: memory });
      memory.reserve = () => new Promise(() => {}) as never;
      const reserved = guard.reserve(callOf(1, ANN)).then(
        ({ admitted }) => admitted,
        (error) => error.message,
      );
      await vi.advanceTimersByTimeAsync(999);
      expect(await Promise.race([reserved, 'waits'])).toBe('waits');
      await vi.advanceTimersByTimeAsync(2);
      const refused = expect.stringContaining('failed to reserve: no answer within 1000 ms');
      expect(await reserved).toEqual(budget.onSinkError === 'allow' ? true : refused);
    }
  });

  test('an answer that comes too late leaves no hold behind for a call that is not sent', async () => {
    vi.useFakeTimers();
    for (const budgets of [[usdBudget('1')], [open('1'), usdBudget('1', { name: 'org' })]]) {
      const memory = new MemoryUsageSink();
      const reserve = memory.reserve.bind(memory);
      memory.reserve = (request) =>
        new Promise((answer) => setTimeout(() => answer(reserve(request)), 5_000)) as never;
      const { guard } = benchOf(budgets, { sink: memory, timeoutMs: 200 });
      const reserved = expect(guard.reserve(callOf(100, ANN))).rejects.toThrow('within 200 ms');
      await vi.advanceTimersByTimeAsync(6_000);
      await reserved;
      expect((await memory.verify()).reservations).toBe(0);
      expect(await guard.status(ANN.identity)).toMatchObject(
        budgets.map(() => ({ committed: 0, held: 0 })),
      );
    }
  });

  test('a settlement that is not answered in time is sent again, and charged once', async () => {
    vi.useFakeTimers();
    const memory = new MemoryUsageSink();
    const { guard } = benchOf([usdBudget('1')], { sink: memory });
    const call = await admit(guard, callOf(100));
    const settle = memory.settle.bind(memory);
    memory.settle = (request) => {
      memory.settle = settle;
      settle(request);
      return new Promise(() => {}) as never;
    };
    const settled = call.settle(cost(700_000));
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await settled).status).toBe('queued');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await guard.status()).toMatchObject([{ committed: 700_000, held: 0 }]);
  });
});
