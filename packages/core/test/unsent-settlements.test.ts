import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ReservationMismatchError,
  type SettleResult,
  SinkUnavailableError,
  type SpendCall,
} from '../src/index.ts';
import { awayScene, COST, HOLD, queueOf, settlement } from './support/away-scene.ts';
import type { Loss } from './support/away-sink.ts';
import { HOUR, MINUTE, SECOND } from './support/clock.ts';
import { admit, callOf, collect, eventsOf, usageOf } from './support/guard.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** How a call ends, and what that costs. */
const ENDS: readonly [
  name: string,
  end: (call: SpendCall) => Promise<SettleResult>,
  cost: number,
][] = [
  ['a settlement', (call) => call.settle(settlement), COST],
  ['a settlement at the hold', (call) => call.settle({ outcome: 'unknown' }), HOLD],
  ['one of a call that was not sent', (call) => call.settle({ outcome: 'not-sent' }), 0],
  ['a release', (call) => call.release(), 0],
];

describe.each(ENDS)('%s that the sink did not answer', (name, end, cost) => {
  const lostWays = (['request', 'reply'] as const).flatMap((lost) =>
    [true, false].map((isPrompt): [Loss, boolean] => [lost, isPrompt]),
  );
  test.each(lostWays)(
    'case C-15, C-82: its %s lost, at once: %s; is sent again until it is, and counts once',
    async (lost, isPrompt) => {
      const scene = awayScene();
      const { guard, sink, events } = scene;
      sink.isPrompt = isPrompt;
      const call = await admit(guard, callOf(100));
      sink.lost = lost;
      expect((await end(call)).status).toBe('queued');
      await vi.advanceTimersByTimeAsync(MINUTE);
      expect(sink.asked.length).toBeGreaterThan(5);
      sink.lost = null;
      await vi.advanceTimersByTimeAsync(11 * SECOND);

      expect(await scene.figures()).toEqual([cost, 0]);
      const ledgered = name === 'a release' ? 0 : 1;
      expect(await collect(guard.ledger())).toHaveLength(ledgered);
      expect(new Set(sink.asked.slice(1)).size, 'always the same operation and id').toBe(1);
      const [queued, sent] = [
        eventsOf(events, 'settlement-queued'),
        eventsOf(events, 'settlement-sent'),
      ];
      expect(queued).toMatchObject([{ id: call.id, unsent: 1 }]);
      expect(sent).toMatchObject([{ id: call.id }]);
      expect(sent[0]?.status === 'already-resolved').toBe(lost === 'reply');
      expect(vi.getTimerCount()).toBe(0);
      await guard.close();
      expect(eventsOf(events, 'settlements-lost')).toEqual([]);
    },
  );

  test('is ended once: to end it again changes nothing', async () => {
    const scene = awayScene();
    const { guard, sink } = scene;
    const call = await admit(guard, callOf(100));
    sink.lost = 'request';
    await end(call);
    const asked = sink.asked.length;
    for (const again of [call.settle({ outcome: 'unknown' }), call.release()]) {
      expect((await again).status).toBe('already-resolved');
    }
    expect(sink.asked).toHaveLength(asked);
    sink.lost = null;
    expect(await guard.flush()).toEqual({ unsent: 0 });
    expect((await call.settle({ outcome: 'unknown' })).status).toBe('already-resolved');
    expect(await scene.figures()).toEqual([cost, 0]);
    await guard.close();
  });

  test('replaces what its expiry has charged', async () => {
    const scene = awayScene();
    const { guard, sink, clock, events } = scene;
    const call = await admit(guard, callOf(100));
    sink.lost = 'request';
    await end(call);
    clock.advance(HOUR);
    expect(await scene.figures()).toEqual([HOLD, 0]);
    sink.lost = null;
    await guard.flush();
    expect(eventsOf(events, 'settlement-sent')).toMatchObject([{ status: 'late' }]);
    expect(await scene.figures()).toEqual([cost, 0]);
    await guard.close();
  });
});

describe('what was queued', () => {
  test('is told like any settlement once it is answered', async () => {
    const scene = awayScene();
    const { guard, sink, events } = scene;
    const identity = { user: 'ann' };
    const call = await admit(guard, callOf(100, { identity }));
    sink.lost = 'request';
    await call.settle({ outcome: 'known', usage: usageOf({ output: 200 }) });
    events.length = 0;
    sink.lost = null;
    await guard.flush();
    const told = { id: call.id, identity, provider: 'acme', model: 'small' };
    expect(events).toMatchObject([
      { type: 'settlement-sent', id: call.id, operation: 'settle', status: 'settled' },
      { type: 'settled', ...told, outcome: 'known', costNanoUsd: 2_000_000 },
      { type: 'threshold-crossed', threshold: 0.001 },
    ]);
    await guard.close();
  });

  test('is sent one at a time, with one timer', async () => {
    const scene = awayScene();
    const { guard, sink } = scene;
    const calls = await queueOf(scene, 200);
    // The other one keeps open calls alive.
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(sink.asked.length).toBeGreaterThan(5);
    expect(sink.asked.length).toBeLessThan(25);
    sink.lost = null;
    sink.asked.length = 0;
    await vi.advanceTimersByTimeAsync(11 * SECOND);
    expect(sink.asked.toSorted()).toEqual(calls.map(({ id }) => `settle ${id}`).toSorted());
    expect(await scene.figures()).toEqual([200 * COST, 0]);
    await guard.close();
  });

  test('holds up no other where it can never be sent', async () => {
    const scene = awayScene();
    const { guard, sink } = scene;
    const [call] = await queueOf(scene, 3);
    sink.lost = null;
    const { settle } = sink;
    sink.settle = (request) => {
      if (request.id === call?.id) throw new TypeError('cannot be serialised');
      return settle.call(sink, request);
    };
    const flushed = guard.flush({ timeoutMs: SECOND });
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await flushed).toEqual({ unsent: 1 });
    expect(await scene.figures()).toEqual([2 * COST, HOLD]);
    sink.settle = settle;
    await guard.close();
  });

  test('waits longer and longer, up to ten seconds, and never as long as another process', async () => {
    const scene = awayScene();
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValue(1);
    await queueOf(scene, 1);
    await vi.advanceTimersByTimeAsync(49);
    expect(scene.sink.asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(scene.sink.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(199);
    expect(scene.sink.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(scene.sink.asked).toHaveLength(2);
    scene.sink.asked.length = 0;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(scene.sink.asked.length).toBeGreaterThan(355);
    expect(scene.sink.asked.length).toBeLessThan(370);
    vi.restoreAllMocks();
    scene.sink.lost = null;
    await scene.guard.close();
  });

  test('lets others have a turn, even where the sink answers at once', async () => {
    const scene = awayScene();
    scene.sink.isPrompt = true;
    await queueOf(scene, 200);
    scene.sink.lost = null;
    const turns: number[] = [];
    const turn = setInterval(() => turns.push(scene.sink.asked.length), 1);
    await vi.advanceTimersByTimeAsync(SECOND);
    clearInterval(turn);
    expect(turns.filter((sent) => sent > 0 && sent < 200).length).toBeGreaterThan(1);
    expect(await scene.figures()).toEqual([200 * COST, 0]);
    await scene.guard.close();
  });

  test('is bounded: what has no room fails as ever, says so, and can be settled again', async () => {
    const scene = awayScene({ unsentLimit: 2 });
    const { guard, sink, events } = scene;
    const last = await admit(guard, callOf(100));
    await queueOf(scene, 2);
    await expect(last.settle(settlement)).rejects.toSatisfy(SinkUnavailableError.isInstance);
    expect(eventsOf(events, 'settlements-lost')).toEqual([
      {
        type: 'settlements-lost',
        reason: 'queue-full',
        settlements: [
          { id: last.id, operation: 'settle', charges: [{ account: 'cap', amount: COST }] },
        ],
      },
    ]);
    sink.lost = null;
    expect(await last.settle({ outcome: 'unknown' })).toMatchObject({ status: 'settled' });
    await guard.flush();
    expect(await scene.figures()).toEqual([3 * COST, 0]);
    await guard.close();
  });

  test('is not pursued once the sink answers with an error that would come again', async () => {
    const scene = awayScene();
    const { guard, sink, events } = scene;
    const [call] = await queueOf(scene, 2);
    sink.lost = null;
    const mismatch = new ReservationMismatchError(call?.id ?? '');
    const { settle } = sink;
    sink.settle = (request) =>
      request.id === call?.id ? Promise.reject(mismatch) : settle.call(sink, request);
    expect(await guard.flush()).toEqual({ unsent: 0 });
    expect(eventsOf(events, 'settlements-lost')).toMatchObject([
      { reason: 'refused', error: mismatch, settlements: [{ id: call?.id }] },
    ]);
    expect(await scene.figures()).toEqual([COST, HOLD]);
    await guard.close();
  });

  test('is pursued after an answer that is none', async () => {
    const scene = awayScene();
    const { guard, sink } = scene;
    await queueOf(scene, 1);
    sink.lost = null;
    const { settle } = sink;
    let answers: unknown[] = [undefined, null, {}, { status: 'fine', notices: [] }];
    sink.settle = (request) =>
      answers.length > 0 ? (Promise.resolve(answers.pop()) as never) : settle.call(sink, request);
    await vi.advanceTimersByTimeAsync(MINUTE);
    answers = [];
    expect(await scene.figures()).toEqual([COST, 0]);
    await guard.close();
  });

  test('an error of hardcap that is no outage is never queued', async () => {
    const { guard, sink, events } = awayScene();
    const call = await admit(guard, callOf(100));
    const mismatch = new ReservationMismatchError(call.id);
    sink.settle = () => Promise.reject(mismatch);
    await expect(call.settle(settlement)).rejects.toBe(mismatch);
    expect(eventsOf(events, 'settlement-queued')).toEqual([]);
    await guard.close();
  });
});

test.each([-1, 1.5, 1e7, '7'])('%j is no bound of a queue', (unsentLimit) => {
  expect(() => awayScene({ unsentLimit: unsentLimit as number })).toThrow(
    'unsentLimit: write a whole number from 0 to 1000000',
  );
});

describe('the release of a reservation that got no answer', () => {
  test('is pursued, so that a call that was never sent is not charged', async () => {
    const scene = awayScene();
    const { guard, sink, clock } = scene;
    sink.lost = 'reply';
    sink.release = ((works) => (id: string) => {
      if (sink.lost !== null) return Promise.reject(new Error('connection lost'));
      return works.call(sink, id);
    })(sink.release);
    await expect(guard.reserve(callOf(100))).rejects.toSatisfy(SinkUnavailableError.isInstance);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    expect(await scene.figures()).toEqual([0, HOLD]);
    sink.lost = null;
    await guard.flush();
    clock.advance(HOUR);
    expect(await scene.figures()).toEqual([0, 0]);
    await guard.close();
  });

  test('leaves half of the room to settlements', async () => {
    const scene = awayScene({ unsentLimit: 4 });
    const { guard, sink } = scene;
    const calls = [await admit(guard, callOf(100)), await admit(guard, callOf(100))];
    sink.lost = 'request';
    for (let number = 0; number < 10; number += 1) {
      await guard.reserve(callOf(100)).catch(() => {});
    }
    await vi.advanceTimersByTimeAsync(0);
    for (const call of calls) expect((await call.settle(settlement)).status).toBe('queued');
    const flushed = guard.flush({ timeoutMs: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(await flushed).toEqual({ unsent: 4 });
    sink.lost = null;
    await guard.close();
    expect(await scene.figures()).toEqual([2 * COST, 0]);
  });
});
