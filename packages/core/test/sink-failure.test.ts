import { describe, expect, test, vi } from 'vitest';
import {
  MemoryUsageSink,
  ReservationMismatchError,
  SinkUnavailableError,
  type UsageSink,
} from '../src/index.ts';
import { testClock } from './support/clock.ts';
import { admit, benchOf, callOf, collect, eventsOf, usageOf, usdBudget } from './support/guard.ts';

type Operation = 'reserve' | 'settle' | 'release' | 'read' | 'verify' | 'extend';

/** Makes an operation of a sink fail, before or after it is carried out, until told otherwise. */
function breakSink(
  sink: UsageSink,
  operation: Operation,
  when: 'before' | 'after' = 'before',
): () => void {
  const works = sink[operation].bind(sink) as (...args: unknown[]) => unknown;
  sink[operation] = (async (...args: unknown[]) => {
    if (when === 'after') await works(...args);
    throw new Error('connection lost');
  }) as never;
  return () => {
    sink[operation] = works as never;
  };
}

describe('a sink that does not answer', () => {
  test('admits nothing: reserve fails with an error of its own, and an event', async () => {
    const { guard, sink, events } = benchOf([usdBudget('1')]);
    const repair = breakSink(sink, 'reserve');
    const reserved = guard.reserve(callOf(100));
    await expect(reserved).rejects.toSatisfy(SinkUnavailableError.isInstance);
    await expect(reserved).rejects.toThrow(/failed to reserve: connection lost. Whether it was/);
    await expect(reserved).rejects.toMatchObject({
      status: 503,
      cause: { message: 'connection lost' },
    });
    expect(events).toMatchObject([
      { type: 'sink-unavailable', operation: 'reserve', error: { message: 'connection lost' } },
    ]);
    repair();
    expect(await sink.verify()).toMatchObject({ reservations: 0 });
    await admit(guard, callOf(100));
  });

  test('nor does one that throws at once', async () => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    sink.reserve = () => {
      throw new Error('not connected');
    };
    await expect(guard.reserve(callOf(1))).rejects.toSatisfy(SinkUnavailableError.isInstance);
    await expect(guard.run(callOf(1), () => Promise.resolve())).rejects.toThrow('not connected');
  });

  test('after it has reserved, leaves no hold behind for a call that is not sent', async () => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    const repair = breakSink(sink, 'reserve', 'after');
    await expect(guard.reserve(callOf(100))).rejects.toSatisfy(SinkUnavailableError.isInstance);
    await vi.waitFor(async () => expect(await sink.verify()).toMatchObject({ reservations: 0 }));
    repair();
    expect(await guard.status()).toMatchObject([{ committed: 0, held: 0 }]);
  });

  test('not even to release, fails as before and harms nobody', async () => {
    const { guard, sink, events } = benchOf([usdBudget('1')]);
    breakSink(sink, 'reserve');
    breakSink(sink, 'release');
    await expect(guard.reserve(callOf(100))).rejects.toThrow('failed to reserve');
    await Promise.resolve();
    expect(eventsOf(events, 'sink-unavailable')).toHaveLength(1);
  });

  test('is heard out when it releases: what it came upon is told', async () => {
    const clock = testClock();
    const sink = new MemoryUsageSink({ now: clock.now, maxAccounts: 1 });
    const { guard, events } = benchOf([usdBudget('1', { per: ['user'] })], { clock, sink });
    const lost = await admit(guard, callOf(100, { identity: { user: 'ann' } }));
    clock.advance(120_000);
    const refused = guard.reserve(callOf(1, { identity: { user: 'bob' } }));
    await expect(refused).rejects.toSatisfy(SinkUnavailableError.isInstance);
    await vi.waitFor(() =>
      expect(eventsOf(events, 'reservation-expired')).toMatchObject([{ id: lost.id }]),
    );
  });

  test.each(['status', 'verify'] as const)('fails %s with the same error', async (operation) => {
    const { guard, sink } = benchOf([usdBudget('1')]);
    breakSink(sink, operation === 'status' ? 'read' : 'verify');
    await expect(guard[operation]()).rejects.toSatisfy(SinkUnavailableError.isInstance);
  });

  test('fails the ledger with the same error', async () => {
    const { guard, sink, events } = benchOf([usdBudget('1')]);
    sink.entries = async function* () {
      yield* [];
      throw new Error('connection lost');
    };
    await expect(collect(guard.ledger())).rejects.toSatisfy(SinkUnavailableError.isInstance);
    expect(events).toMatchObject([{ type: 'sink-unavailable', operation: 'read' }]);
  });

  test('and says so itself is believed', async () => {
    const { guard, sink, events } = benchOf([usdBudget('1')]);
    const failure = new SinkUnavailableError('no answer in 1000 ms');
    sink.reserve = () => Promise.reject(failure);
    await expect(guard.reserve(callOf(1))).rejects.toBe(failure);
    expect(events).toEqual([{ type: 'sink-unavailable', operation: 'reserve', error: failure }]);
  });
});

describe('an error that is no outage', () => {
  test('is handed on as it is, and releases nothing', async () => {
    const { guard, sink, events } = benchOf([usdBudget('1')]);
    const released: string[] = [];
    sink.release = (id) => {
      released.push(id);
      return { status: 'never-held', at: 0, notices: [] };
    };
    const mismatch = new ReservationMismatchError('r1');
    sink.reserve = () => Promise.reject(mismatch);
    await expect(guard.reserve(callOf(1))).rejects.toBe(mismatch);
    expect([events, released]).toEqual([[], []]);
  });
});

describe('case C-17: a settlement that got no answer, and cannot be queued', () => {
  const unsentLimit = 0;
  const usage = usageOf({ output: 10 });

  test.each(['before', 'after'] as const)(
    '%s it was carried out: to settle again repeats it',
    async (when) => {
      const { guard, sink } = benchOf([usdBudget('1')], { unsentLimit });
      const call = await admit(guard, callOf(100));
      const repair = breakSink(sink, 'settle', when);
      const settled = call.settle({ outcome: 'known', usage });
      await expect(settled).rejects.toSatisfy(SinkUnavailableError.isInstance);
      repair();
      // Whatever is said the second time: the first settlement counts.
      const [again, last] = [call.settle({ outcome: 'unknown' }), call.release()];
      expect(await again).toMatchObject({
        status: when === 'before' ? 'settled' : 'already-resolved',
        costNanoUsd: 100_000,
      });
      expect(await last).toMatchObject({ status: 'already-resolved' });
      expect(await guard.status()).toMatchObject([{ committed: 100_000, held: 0 }]);
      expect(await collect(guard.ledger())).toHaveLength(1);
    },
  );

  test('and is never repeated is charged at its hold when that expires', async () => {
    const { guard, sink, clock } = benchOf([usdBudget('1')], { unsentLimit });
    const call = await admit(guard, callOf(100));
    const repair = breakSink(sink, 'settle');
    await expect(call.settle({ outcome: 'known', usage })).rejects.toThrow('failed to settle');
    repair();
    clock.advance(120_000);
    expect(await guard.status()).toMatchObject([{ committed: 1_000_000, held: 0 }]);
    expect(await call.settle({ outcome: 'unknown' })).toMatchObject({ status: 'late' });
    expect(await guard.status()).toMatchObject([{ committed: 100_000, held: 0 }]);
  });

  test('takes the result of `run` away from nobody', async () => {
    const { guard, sink, events } = benchOf([usdBudget('1')], { unsentLimit });
    breakSink(sink, 'settle');
    expect(await guard.run(callOf(100), () => Promise.resolve('paid for'))).toBe('paid for');
    expect(eventsOf(events, 'sink-unavailable')).toMatchObject([{ operation: 'settle' }]);
    const failure = new Error('its own');
    await expect(guard.run(callOf(100), () => Promise.reject(failure))).rejects.toBe(failure);
  });

  test('is repeated by `run`, with the figures it had', async () => {
    const { guard, sink } = benchOf([usdBudget('1')], { unsentLimit });
    const repair = breakSink(sink, 'settle');
    await guard.run(callOf(100), async (call) => {
      await call.settle({ outcome: 'known', usage }).catch(() => {});
      repair();
    });
    expect(await guard.status()).toMatchObject([{ committed: 100_000, held: 0 }]);
  });

  test('a release likewise', async () => {
    const { guard, sink } = benchOf([usdBudget('1')], { unsentLimit });
    const call = await admit(guard, callOf(100));
    const repair = breakSink(sink, 'release');
    await expect(call.release()).rejects.toSatisfy(SinkUnavailableError.isInstance);
    repair();
    expect(await call.release()).toMatchObject({ status: 'settled', costNanoUsd: 0 });
    expect(await guard.status()).toMatchObject([{ committed: 0, held: 0 }]);
  });
});

describe('a sink that is being loaded', () => {
  const unloaded = (opening: Promise<unknown>): MemoryUsageSink =>
    Object.defineProperty(new MemoryUsageSink(), 'opening', { value: opening });

  test('is waited for however long it takes, by calls and by looks at it', async () => {
    vi.useFakeTimers();
    try {
      let loaded = (): void => {};
      const opening = new Promise<void>((resolve) => {
        loaded = resolve;
      });
      const { guard } = benchOf([usdBudget('1')], { sink: unloaded(opening), timeoutMs: 100 });
      const status = guard.status();
      const call = admit(guard, callOf(1));
      await vi.advanceTimersByTimeAsync(3_600_000);
      loaded();
      expect(await status).toMatchObject([{ committed: 0 }]);
      expect((await call).admittedOutputTokens).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('or cannot be, is away', async () => {
    const sink = unloaded(Promise.reject(new TypeError('no such file')));
    const { guard, events } = benchOf([usdBudget('1')], { sink });
    const failure = 'The usage sink failed to load: no such file.';
    await expect(guard.reserve(callOf(1))).rejects.toThrow(failure);
    await expect(guard.status()).rejects.toThrow(failure);
    expect(eventsOf(events, 'sink-unavailable')).toMatchObject([
      { operation: 'load' },
      { operation: 'read' },
    ]);
  });

  test('the memory sink is, as soon as one is made, and answers at once from then on', async () => {
    const sink = new MemoryUsageSink();
    const first = sink.read([]);
    await sink.opening;
    expect(sink.opening).toBeNull();
    expect(await first).toEqual([]);
    expect(sink.read([])).toEqual([]);
  });
});
