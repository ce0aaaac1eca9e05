import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Loss } from './support/away-sink.ts';
import { admit, callOf, collect, type GuardBench } from './support/guard.ts';
import { ANN, cost, open, outageScene, TEXT } from './support/outage-scene.ts';

// What is loaded on demand takes time, and the order of things is what these tests are about.
beforeAll(() => import('../src/on-demand.ts'));

/** Carries calls of 200 output tokens without the sink. */
const limited = open('1', { emergencyLimit: { usd: '0.002' } });
const losses: readonly Loss[] = ['request', 'reply'];

/** Everything that was begun behind the back of a call has been tried. */
const idle = () => new Promise((resolve) => setTimeout(resolve, 5));

async function chargesOf({ guard }: GuardBench): Promise<number[]> {
  await guard.flush();
  const entries = await collect(guard.ledger());
  return entries.flatMap(({ charges }) => charges.map(({ amount }) => amount));
}

describe('what is asked again after the sink gave no answer is not given back with the first attempt', () => {
  test.each(losses)('made smaller, a %s lost', async (lost) => {
    const scene = outageScene([limited]);
    scene.sink.lost = lost;
    const call = await admit(scene.guard, callOf(500, { ...ANN, minOutputTokens: 10 }));
    expect(call.admittedOutputTokens).toBe(200);
    await idle();
    scene.sink.lost = null;
    await scene.guard.flush();
    await call.settle(cost(1_500_000));
    expect(await chargesOf(scene)).toEqual([1_500_000]);
    expect(await scene.figures()).toEqual([1_500_000, 0]);
  });

  test.each(losses)('waiting for others, a %s lost', async (lost) => {
    const scene = outageScene([limited]);
    scene.sink.lost = lost;
    const first = await admit(scene.guard, callOf(200, ANN));
    const waiting = admit(scene.guard, callOf(100, { ...ANN, waitForHeadroomMs: 60_000 }));
    await idle();
    scene.sink.lost = null;
    await first.settle(cost(1_000));
    const second = await waiting;
    await scene.guard.flush();
    expect((await second.settle(cost(500))).status).toBe('settled');
    expect(await chargesOf(scene)).toEqual([1_000, 500]);
    expect(await scene.figures()).toEqual([1_500, 0]);
  });
});

describe('a call that was admitted without the sink is charged', () => {
  test('also where the sink has released what it held under the id', async () => {
    const scene = outageScene([open('1')]);
    scene.sink.lost = 'reply';
    const call = await admit(scene.guard, callOf(100, ANN));
    scene.sink.lost = null;
    scene.memory.release(call.id);
    scene.sink.lost = 'reply';
    expect((await call.settle(cost(700_000))).status).toBe('queued');
    scene.sink.lost = null;
    expect(await chargesOf(scene)).toEqual([700_000]);
    expect(await scene.figures()).toEqual([700_000, 0]);
    expect((await scene.memory.verify()).differences).toEqual([]);
  });

  test('at what it held here, where it has grown without the sink and nobody knows what it cost', async () => {
    const scene = outageScene([open('1')], { estimate: { fixed: { usd: '0.001' } } });
    const call = await admit(scene.guard, callOf(10_000, ANN));
    scene.sink.lost = 'request';
    expect(await call.meter({ text: TEXT })).toBe(true);
    await call.settle({ outcome: 'unknown' });
    scene.sink.lost = null;
    const [charged] = await chargesOf(scene);
    expect(charged).toBeGreaterThan(5_000_000);
  });
});

test('a call that is not sent costs nothing, however late the sink hears of it', async () => {
  for (const budget of [open('1'), { ...limited, onSinkError: 'deny' as const }]) {
    const scene = outageScene([budget]);
    const calls = [
      await admit(scene.guard, callOf(100, ANN)),
      await admit(scene.guard, callOf(50, ANN)),
    ];
    scene.sink.lost = 'request';
    expect((await calls[0]?.release())?.status).toBe('queued');
    scene.clock.advance(130_000);
    scene.sink.lost = null;
    expect(await scene.figures()).toEqual([1_500_000, 0]);
    await scene.guard.flush();
    expect((await calls[1]?.release())?.status).toBe('late');
    expect(await scene.figures()).toEqual([0, 0]);
    expect((await scene.memory.verify()).differences).toEqual([]);
  }
});

test('in the shadow, what is asked again is told of once', async () => {
  const { guard, events } = outageScene([
    open('0.001'),
    open('0.001', { name: 'watched', mode: 'shadow' }),
  ]);
  await admit(guard, callOf(500, { ...ANN, minOutputTokens: 10 }));
  await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('reserved'));
  expect(events.filter(({ type }) => type === 'would-deny')).toHaveLength(1);
});
