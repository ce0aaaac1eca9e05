import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SinkUnavailableError } from '../src/index.ts';
import { awayScene, COST, queueOf, settlement } from './support/away-scene.ts';
import { HOUR, SECOND } from './support/clock.ts';
import { admit, callOf, eventsOf } from './support/guard.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('flush', () => {
  test('has nothing to do where nothing is unsent', async () => {
    const { guard } = awayScene();
    expect(await guard.flush()).toEqual({ unsent: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waits for settlements that are under way, and for what becomes of them', async () => {
    const scene = awayScene();
    const { guard, sink } = scene;
    const call = await admit(guard, callOf(100));
    const { settle } = sink;
    let fail: (error: Error) => void = () => {};
    sink.settle = () => new Promise((_, reject) => (fail = reject));
    const settled = call.settle(settlement);
    const flushed = guard.flush();
    sink.settle = settle;
    fail(new Error('connection lost'));
    expect(await flushed).toEqual({ unsent: 0 });
    expect((await settled).status).toBe('queued');
    expect(await scene.figures()).toEqual([COST, 0]);
    await guard.close();
  });

  test('says how much is left when time is up, and that is still sent later', async () => {
    const scene = awayScene();
    const { guard, sink } = scene;
    await queueOf(scene, 3);
    const flushed = guard.flush({ timeoutMs: 2 * SECOND });
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(await flushed).toEqual({ unsent: 3 });
    sink.lost = null;
    await vi.advanceTimersByTimeAsync(11 * SECOND);
    expect(await scene.figures()).toEqual([3 * COST, 0]);
    await guard.close();
  });

  test('counts a settlement that is still under way when time is up', async () => {
    const { guard, sink } = awayScene({ timeoutMs: 10 * SECOND });
    const call = await admit(guard, callOf(100));
    sink.settle = () => new Promise(() => {});
    void call.settle(settlement);
    const flushed = guard.flush({ timeoutMs: SECOND });
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await flushed).toEqual({ unsent: 1 });
  });

  test('may wait for ever', async () => {
    const scene = awayScene();
    await queueOf(scene, 1);
    const flushed = scene.guard.flush({ timeoutMs: Number.POSITIVE_INFINITY });
    await vi.advanceTimersByTimeAsync(HOUR);
    scene.sink.lost = null;
    await vi.advanceTimersByTimeAsync(11 * SECOND);
    expect(await flushed).toEqual({ unsent: 0 });
    await scene.guard.close();
  });

  test('tries at once, however long the sink has been away', async () => {
    const scene = awayScene();
    await queueOf(scene, 1);
    await vi.advanceTimersByTimeAsync(HOUR);
    scene.sink.lost = null;
    expect(await scene.guard.flush()).toEqual({ unsent: 0 });
    expect(await scene.figures()).toEqual([COST, 0]);
    await scene.guard.close();
  });
});

describe('close', () => {
  test('flushes first', async () => {
    const scene = awayScene();
    await queueOf(scene, 3);
    scene.sink.lost = null;
    await scene.guard.close();
    expect(eventsOf(scene.events, 'settlements-lost')).toEqual([]);
    expect(await scene.figures()).toEqual([3 * COST, 0]);
  });

  test('says what it leaves behind once its time is up, and takes no more', async () => {
    const scene = awayScene();
    const { guard, events } = scene;
    const late = await admit(guard, callOf(100));
    const calls = await queueOf(scene, 2);
    const closed = guard.close({ timeoutMs: SECOND });
    await vi.advanceTimersByTimeAsync(SECOND);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
    const charges = [{ account: 'cap', amount: COST }];
    const settlements = calls.map(({ id }) => ({ id, operation: 'settle', charges }));
    const [event, ...others] = eventsOf(events, 'settlements-lost');
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'settlements-lost', reason: 'closed' });
    expect(new Set(event?.settlements)).toEqual(new Set(settlements));
    await expect(late.settle(settlement)).rejects.toSatisfy(SinkUnavailableError.isInstance);
    expect(eventsOf(events, 'settlements-lost')[1]).toMatchObject({
      reason: 'closed',
      settlements: [{ id: late.id }],
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('takes nothing more where nothing had been queued before either', async () => {
    const { guard, sink, events } = awayScene();
    const call = await admit(guard, callOf(100));
    await guard.close();
    sink.lost = 'request';
    await expect(call.release()).rejects.toSatisfy(SinkUnavailableError.isInstance);
    expect(eventsOf(events, 'settlements-lost')).toMatchObject([
      { reason: 'closed', settlements: [{ operation: 'release' }] },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('however many guards have something to tell, the process has one listener, and then none', async () => {
  const before = process.listenerCount('exit');
  const scenes = Array.from({ length: 30 }, () => awayScene());
  for (const scene of scenes) await queueOf(scene, 1);
  expect(process.listenerCount('exit')).toBe(before + 1);
  for (const [number, { guard, sink }] of scenes.entries()) {
    if (number % 2 === 0) sink.lost = null;
    const closed = guard.close({ timeoutMs: SECOND });
    await vi.advanceTimersByTimeAsync(SECOND);
    await closed;
  }
  expect(process.listenerCount('exit')).toBe(before);
});

test('no timer of the queue keeps a process alive, but a flush does', async () => {
  const scene = awayScene();
  await queueOf(scene, 1);
  vi.useRealTimers();
  const { setTimeout } = globalThis;
  const timers: NodeJS.Timeout[] = [];
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    const timer = setTimeout(...args);
    timers.push(timer);
    return timer;
  }) as typeof setTimeout;
  try {
    await scene.guard.flush({ timeoutMs: 1 });
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  const [flushing, ...retries] = timers;
  expect(flushing?.hasRef()).toBe(true);
  expect(new Set(retries.map((timer) => timer.hasRef()))).toEqual(new Set([false]));
  scene.sink.lost = null;
  await scene.guard.close();
});
