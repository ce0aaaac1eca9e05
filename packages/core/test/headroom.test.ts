import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallRequest, Reservation, SpendCall } from '../src/index.ts';
import { admit, benchOf, callOf, denialFor, eventsOf, usdBudget } from './support/guard.ts';

const cost = (costNanoUsd: number) => ({ outcome: 'known', costNanoUsd }) as const;
const patient = (tokens: number, others: Partial<CallRequest> = {}) =>
  callOf(tokens, { waitForHeadroomMs: 10_000, ...others });
/** A cap that carries one call of 100 tokens. */
const cap = () => benchOf([usdBudget('0.001')]);

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Lets everything happen that needs no time. */
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Names in the order in which calls are admitted, or `-name` when they are denied. */
function followed(calls: Record<string, Promise<Reservation>>): {
  order: string[];
  open: Map<string, SpendCall>;
} {
  const order: string[] = [];
  const open = new Map<string, SpendCall>();
  for (const [name, reserved] of Object.entries(calls)) {
    void reserved.then((reservation) => {
      order.push(reservation.admitted ? name : `-${name}`);
      if (reservation.admitted) open.set(name, reservation.call);
    });
  }
  return { order, open };
}

describe('waiting for headroom', () => {
  test('a call that is refused only for what others hold is admitted when they settle', async () => {
    const { guard, events } = cap();
    const first = await admit(guard, callOf(100));
    const { order } = followed({ second: guard.reserve(patient(60)) });
    await vi.advanceTimersByTimeAsync(9_000);
    expect(order).toEqual([]);
    await first.settle(cost(400_000));
    await settle();
    expect(order).toEqual(['second']);
    expect(eventsOf(events, 'denied')).toEqual([]);
    expect(await guard.status()).toMatchObject([{ committed: 400_000, held: 600_000 }]);
  });

  test('a release frees it, too', async () => {
    const { guard } = cap();
    const first = await admit(guard, callOf(100));
    const { order } = followed({ second: guard.reserve(patient(100)) });
    await settle();
    await first.release();
    await settle();
    expect(order).toEqual(['second']);
  });

  test('is denied when its time is up, with one event, and holds nothing', async () => {
    const { guard, events, sink } = cap();
    const first = await admit(guard, callOf(100));
    const { order } = followed({ second: guard.reserve(patient(100)) });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order).toEqual(['-second']);
    expect(eventsOf(events, 'denied')).toMatchObject([{ denial: { retryable: true } }]);
    await first.settle(cost(0));
    await settle();
    expect(await sink.verify()).toMatchObject({ reservations: 0 });
    expect(vi.getTimerCount()).toBe(1);
  });

  test('is denied at once where waiting is in vain', async () => {
    const { guard } = cap();
    await (await admit(guard, callOf(50))).settle(cost(500_000));
    await denialFor(guard, patient(60));
    await (await admit(guard, callOf(50))).settle(cost(500_000));
    await denialFor(guard, patient(1));
  });

  test('and as soon as it is', async () => {
    const { guard } = cap();
    const first = await admit(guard, callOf(100));
    const { order } = followed({ second: guard.reserve(patient(60)) });
    await settle();
    await first.settle(cost(1_000_000));
    await settle();
    expect(order).toEqual(['-second']);
  });

  test('the guard can say so for all calls, and a call that it does not wait', async () => {
    benchOf([usdBudget('0.001')], { waitForHeadroomMs: 0 });
    const { guard } = benchOf([usdBudget('0.001')], { waitForHeadroomMs: 5_000 });
    const first = await admit(guard, callOf(100));
    await denialFor(guard, callOf(100, { waitForHeadroomMs: 0 }));
    const { order } = followed({ second: guard.reserve(callOf(100)) });
    await settle();
    await first.release();
    await settle();
    expect(order).toEqual(['second']);
  });

  test('what another process gives back is found within half a second', async () => {
    const { guard, sink, clock } = cap();
    const other = benchOf([usdBudget('0.001')], { sink, clock }).guard;
    const first = await admit(other, callOf(100));
    const { order } = followed({ second: guard.reserve(patient(100)) });
    await settle();
    await first.settle(cost(0));
    await vi.advanceTimersByTimeAsync(500);
    expect(order).toEqual(['second']);
  });

  test('a call that can be made smaller is, before it waits', async () => {
    const { guard } = cap();
    const first = await admit(guard, callOf(60));
    const smaller = await admit(guard, patient(100, { minOutputTokens: 10 }));
    expect(smaller.admittedOutputTokens).toBe(40);
    await smaller.release();
    await first.release();
  });
});

describe('who gets the last headroom', () => {
  test('the highest priority, and of equals who came first', async () => {
    const { guard } = cap();
    const first = await admit(guard, callOf(100));
    const { order, open } = followed({
      low: guard.reserve(patient(100, { priority: -1 })),
      early: guard.reserve(patient(100)),
      late: guard.reserve(patient(100)),
      high: guard.reserve(patient(100, { priority: 5 })),
    });
    await settle();
    await first.release();
    for (const name of ['high', 'early', 'late', 'low']) {
      await settle();
      expect(order.at(-1)).toBe(name);
      await open.get(name)?.release();
    }
  });

  test('a small call takes nothing from a large one that waits before it', async () => {
    const { guard } = cap();
    const calls = [await admit(guard, callOf(50)), await admit(guard, callOf(50))];
    const { order } = followed({
      large: guard.reserve(patient(100)),
      small: guard.reserve(patient(50)),
    });
    await settle();
    await calls[0]?.release();
    await settle();
    expect(order).toEqual([]);
    await calls[1]?.release();
    await settle();
    expect(order).toEqual(['large']);
  });

  test('nor does a small one that comes later and is ready to wait, until the large one has given up', async () => {
    const { guard, events } = cap();
    const calls = [await admit(guard, callOf(50)), await admit(guard, callOf(30))];
    const { order, open } = followed({
      large: guard.reserve(patient(100, { waitForHeadroomMs: 2_000 })),
    });
    await settle();
    const late = followed({ late: guard.reserve(patient(20)) });
    const high = followed({ high: guard.reserve(patient(10, { priority: 1 })) });
    const hasty = followed({ hasty: guard.reserve(callOf(10)) });
    await settle();
    expect([late.order, high.order, hasty.order]).toEqual([[], ['high'], ['hasty']]);
    for (const { open: taken } of [high, hasty])
      for (const call of taken.values()) await call.release();
    await calls[0]?.release();
    await settle();
    expect([order, late.order]).toEqual([[], []]);
    await calls[1]?.release();
    await settle();
    expect([order, late.order]).toEqual([['large'], []]);
    await open.get('large')?.release();
    await settle();
    expect(late.order).toEqual(['late']);
    expect(eventsOf(events, 'denied')).toEqual([]);
  });

  test('who has waited behind one that gave up has its turn then', async () => {
    const { guard } = cap();
    await admit(guard, callOf(50));
    const { order } = followed({
      large: guard.reserve(patient(100, { waitForHeadroomMs: 1_000 })),
    });
    await settle();
    const late = followed({ late: guard.reserve(patient(50)) });
    await vi.advanceTimersByTimeAsync(999);
    expect(late.order).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect([order, late.order]).toEqual([['-large'], ['late']]);
  });

  test('whose time is up before it was ever asked for is asked for then', async () => {
    const { guard, events } = cap();
    await admit(guard, callOf(50));
    followed({ large: guard.reserve(patient(100)) });
    await settle();
    const brief = { waitForHeadroomMs: 300 };
    const late = followed({
      fits: guard.reserve(patient(50, brief)),
      tooMany: guard.reserve(patient(50, brief)),
    });
    await vi.advanceTimersByTimeAsync(300);
    expect(late.order).toEqual(['fits', '-tooMany']);
    expect(eventsOf(events, 'denied')).toMatchObject([
      { denial: { refusals: [{ requested: 500_000 }] } },
    ]);
  });

  test('one that waits for another account is not held up', async () => {
    const { guard } = benchOf([usdBudget('0.001', { per: ['user'] })]);
    const as = (user: string) => ({ identity: { user } });
    const ann = await admit(guard, callOf(50, as('ann')));
    await admit(guard, callOf(50, as('ann')));
    const bob = await admit(guard, callOf(100, as('bob')));
    const { order } = followed({
      ann: guard.reserve(patient(100, as('ann'))),
      bob: guard.reserve(patient(100, as('bob'))),
    });
    await settle();
    await ann.release();
    await bob.release();
    await settle();
    expect(order).toEqual(['bob']);
  });

  test('case C-01: hundreds that wait never pass the cap, and all get their turn', async () => {
    const { guard } = cap();
    let most = 0;
    const run = () =>
      guard.run(patient(25), async (call) => {
        const [status] = await guard.status();
        most = Math.max(most, (status?.held ?? 0) + (status?.committed ?? 0));
        await call.settle(cost(0));
      });
    const all = Promise.all(Array.from({ length: 300 }, run));
    await vi.advanceTimersByTimeAsync(9_000);
    await all;
    expect(most).toBe(1_000_000);
  });

  test('the sink is not asked all the time', async () => {
    const { guard, sink } = cap();
    await admit(guard, callOf(100));
    const reserve = vi.spyOn(sink, 'reserve');
    const { order } = followed(
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [n, guard.reserve(patient(100))])),
    );
    await vi.advanceTimersByTimeAsync(9_900);
    expect(order).toEqual([]);
    // Once for each call, and then for the first alone, twice a second.
    expect(reserve.mock.calls.length).toBeLessThanOrEqual(100 + 20);
  });

  test('time is up also while another is being asked for', async () => {
    const { guard, sink } = benchOf([usdBudget('0.001')], { timeoutMs: 60_000 });
    await admit(guard, callOf(100));
    const { order } = followed({
      first: guard.reserve(patient(100)),
      second: guard.reserve(patient(100, { waitForHeadroomMs: 1_000 })),
    });
    await settle();
    sink.reserve = () => new Promise(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(order).toEqual(['-second']);
  });

  test('there is an end to how many wait', async () => {
    const { guard } = cap();
    await admit(guard, callOf(100));
    const { order } = followed(
      Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [n, guard.reserve(patient(100))])),
    );
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toHaveLength(1);
  });

  test.each([{ waitForHeadroomMs: -1 }, { waitForHeadroomMs: 0.5 }, { priority: Number.NaN }])(
    'what is no time, or no priority: %j',
    async (wrong) => {
      const { guard } = cap();
      await admit(guard, callOf(100));
      await expect(guard.reserve(patient(100, wrong))).rejects.toThrow('is a whole number of ms');
    },
  );
});
