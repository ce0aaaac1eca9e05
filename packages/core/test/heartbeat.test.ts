import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ExtendRequest } from '../src/index.ts';
import { MINUTE, SECOND, testClock } from './support/clock.ts';
import { admit, benchOf, callOf, type GuardBench, usdBudget } from './support/guard.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass, for the timers and for the clock, a second at a time. */
async function pass(bench: GuardBench, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += SECOND) {
    bench.clock.advance(SECOND);
    await vi.advanceTimersByTimeAsync(SECOND);
  }
}

/** Requests to extend, as they come to the sink. */
function extensionsOf({ sink }: GuardBench): ExtendRequest[] {
  const requests: ExtendRequest[] = [];
  const { extend } = sink;
  sink.extend = (request) => {
    requests.push(request);
    return extend.call(sink, request);
  };
  return requests;
}

const held = async ({ guard }: GuardBench) => (await guard.status())[0]?.held;

describe('the heartbeat', () => {
  test('keeps a call alive for as long as it runs', async () => {
    const bench = benchOf([usdBudget('1')]);
    const call = await admit(bench.guard, callOf(100));
    await pass(bench, 30 * MINUTE);
    expect(await held(bench)).toBe(1_000_000);
    expect(await call.settle({ outcome: 'not-sent' })).toMatchObject({ status: 'settled' });
  });

  test('beats at a third of the time to live, and not for a call that is young', async () => {
    const bench = benchOf([usdBudget('1')], { reservationTtlMs: 30_000 });
    const extensions = extensionsOf(bench);
    const first = await admit(bench.guard, callOf(100));
    await pass(bench, 6 * SECOND);
    const second = await admit(bench.guard, callOf(200));
    await pass(bench, 4 * SECOND);
    expect(extensions.map(({ id }) => id)).toEqual([first.id]);
    await pass(bench, 10 * SECOND);
    expect(extensions.map(({ id }) => id)).toEqual([first.id, first.id, second.id]);
    expect(extensions[0]).toMatchObject({ ttlMs: 30_000, claims: [{ amount: 1_000_000 }] });
  });

  test('renews what a stream has grown to, never what it was', async () => {
    const bench = benchOf([usdBudget('1')], { estimate: 'none' });
    const call = await admit(bench.guard, callOf(1));
    await call.meter({ tokens: 44 });
    await pass(bench, 2 * MINUTE);
    expect(await held(bench)).toBe(3_000_000);
  });

  test('does not get in the way of an extension that is under way', async () => {
    const bench = benchOf([usdBudget('1')], { estimate: 'none', timeoutMs: MINUTE });
    const { extend } = bench.sink;
    const waiting: (() => void)[] = [];
    bench.sink.extend = async (request) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return extend.call(bench.sink, request);
    };
    const call = await admit(bench.guard, callOf(1));
    const chunk = call.meter({ tokens: 44 });
    await pass(bench, 50 * SECOND);
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    expect(await chunk).toBe(true);
    expect(await held(bench)).toBe(3_000_000);
  });

  test('stops with the call', async () => {
    const bench = benchOf([usdBudget('1')]);
    const extensions = extensionsOf(bench);
    for (const end of ['settle', 'release'] as const) {
      const call = await admit(bench.guard, callOf(100));
      await (end === 'settle' ? call.settle({ outcome: 'unknown' }) : call.release());
    }
    await pass(bench, 10 * MINUTE);
    expect(extensions).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('starts anew with the next call', async () => {
    const bench = benchOf([usdBudget('1')]);
    await (await admit(bench.guard, callOf(100))).release();
    await pass(bench, 10 * MINUTE);
    await admit(bench.guard, callOf(100));
    await pass(bench, 10 * MINUTE);
    expect(await held(bench)).toBe(1_000_000);
  });

  test('gives up on a call that nobody ends, which then expires', async () => {
    const bench = benchOf([usdBudget('1')], { maxCallMs: 10 * MINUTE });
    const forgotten = await admit(bench.guard, callOf(100));
    await pass(bench, 5 * MINUTE);
    await admit(bench.guard, callOf(200));
    await pass(bench, 7 * MINUTE + SECOND);
    expect(await bench.guard.status()).toMatchObject([{ committed: 1_000_000, held: 2_000_000 }]);
    expect(await forgotten.settle({ outcome: 'not-sent' })).toMatchObject({ status: 'late' });
    expect(await bench.guard.status()).toMatchObject([{ committed: 0, held: 2_000_000 }]);
  });

  test('outlives a sink that fails for a beat, which shows in the events', async () => {
    const bench = benchOf([usdBudget('1')]);
    await admit(bench.guard, callOf(100));
    const { extend } = bench.sink;
    bench.sink.extend = () => Promise.reject(new Error('gone'));
    await pass(bench, 41 * SECOND);
    bench.sink.extend = extend;
    await pass(bench, 10 * MINUTE);
    expect(await held(bench)).toBe(1_000_000);
    expect(bench.events.filter(({ type }) => type === 'sink-unavailable')).toHaveLength(1);
  });

  test('goes on when the clock of the guard is set back, since that of the sink may not be', async () => {
    const sinkClock = testClock();
    const guardClock = testClock();
    const { sink } = benchOf([], { clock: sinkClock });
    const bench = benchOf([usdBudget('1')], { clock: guardClock, sink });
    await admit(bench.guard, callOf(100));
    guardClock.advance(-60 * MINUTE);
    await pass({ ...bench, clock: sinkClock }, 10 * MINUTE);
    expect(await held(bench)).toBe(1_000_000);
  });

  test('ends with the guard, which can still be used', async () => {
    const bench = benchOf([usdBudget('1')]);
    const calls = [await admit(bench.guard, callOf(1)), await admit(bench.guard, callOf(1))];
    await bench.guard.close();
    expect(vi.getTimerCount()).toBe(0);
    for (const call of calls) await call.settle({ outcome: 'not-sent' });
    await admit(bench.guard, callOf(100));
    await pass(bench, 10 * MINUTE);
    expect(await held(bench)).toBe(1_000_000);
  });

  test('keeps no process alive', async () => {
    vi.useRealTimers();
    const { guard } = benchOf([usdBudget('1')]);
    const { setTimeout } = globalThis;
    const timers: NodeJS.Timeout[] = [];
    globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
      const timer = setTimeout(...args);
      timers.push(timer);
      return timer;
    }) as typeof setTimeout;
    try {
      await admit(guard, callOf(1));
    } finally {
      globalThis.setTimeout = setTimeout;
    }
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
    await guard.close();
  });
});
