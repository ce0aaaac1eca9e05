import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Budget, MemoryUsageSink } from '../src/index.ts';
import { admit, benchOf, callOf, eventsOf, type GuardBench, usdBudget } from './support/guard.ts';
import { cost } from './support/outage-scene.ts';

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const plain = usdBudget('0.001', { warnAt: [0.5] });
/** Without exceptions, and with some: what stands before the sink has a deadline of its own. */
const BUDGETS: [string, Budget][] = [
  ['plain', plain],
  ['with exceptions', { ...plain, mode: 'enforce' }],
];

/** Answers of an operation come so late from now on. */
function delay(memory: MemoryUsageSink, operation: 'settle' | 'reserve', ms: number): void {
  const works = memory[operation].bind(memory) as (request: never) => unknown;
  memory[operation] = ((request: never) => {
    const answer = works(request);
    return new Promise((done) => setTimeout(() => done(answer), ms));
  }) as never;
}

describe.each(BUDGETS)('what a sink says too late is told all the same: %s', (_, budget) => {
  function scene(): GuardBench & { readonly memory: MemoryUsageSink } {
    const memory = new MemoryUsageSink();
    return { ...benchOf([budget], { sink: memory }), memory };
  }

  test('what a call cost, and the threshold that it crossed, once', async () => {
    const { guard, events, memory } = scene();
    const call = await admit(guard, callOf(100));
    delay(memory, 'settle', 1_500);
    const settled = call.settle(cost(700_000));
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await settled).status).toBe('queued');
    expect(eventsOf(events, 'threshold-crossed')).toHaveLength(1);
    expect(eventsOf(events, 'settled')).toMatchObject([{ id: call.id, costNanoUsd: 700_000 }]);
    expect(eventsOf(events, 'settlement-sent')).toMatchObject([{ status: 'already-resolved' }]);
  });

  test('that a call has expired, where the answer to another brought it', async () => {
    const { guard, events, memory } = scene();
    const dead = benchOf([budget], { sink: memory });
    const { id } = await admit(dead.guard, callOf(10));
    await dead.guard.close();
    vi.setSystemTime(Date.now() + 121_000);
    delay(memory, 'reserve', 1_500);
    const refused = expect(guard.reserve(callOf(1))).rejects.toThrow('no answer within 1000 ms');
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    expect(eventsOf(events, 'reservation-expired')).toMatchObject([{ id }]);
  });
});

test('a settlement that hangs when it is sent again holds up no other, and is sent once more', async () => {
  const memory = new MemoryUsageSink();
  const { guard } = benchOf([usdBudget('1')], { sink: memory });
  const calls = [await admit(guard, callOf(10)), await admit(guard, callOf(10))];
  const settle = memory.settle.bind(memory);
  let hanging = 3;
  memory.settle = (request) => {
    hanging -= 1;
    return hanging < 0 ? settle(request) : (new Promise(() => {}) as never);
  };
  const settled = Promise.all(calls.map((call) => call.settle(cost(1_000))));
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await settled).map(({ status }) => status)).toEqual(['queued', 'queued']);
  expect(await guard.status()).toMatchObject([{ committed: 2_000, held: 0 }]);
});
