import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  admit,
  benchOf,
  callOf,
  denialFor,
  eventsOf,
  usageOf,
  usdBudget,
} from './support/guard.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('events', () => {
  test('tell the whole life of a call, in order', async () => {
    const { guard, events, clock } = benchOf([usdBudget('0.001', { warnAt: [0.5] })]);
    const call = await admit(guard, callOf(60, { identity: { user: 'ann' } }));
    clock.advance(5);
    await call.settle({ outcome: 'known', usage: usageOf({ output: 120 }) });
    const identity = { user: 'ann', provider: 'acme', model: 'small' };
    const about = { id: call.id, identity, provider: 'acme', model: 'small' };
    const at = clock.now();
    const account = { account: 'cap', budget: 'cap', unit: 'usd' };
    const window = { id: 'total', startsAt: null, endsAt: null };
    const crossed = {
      type: 'threshold-crossed',
      ...account,
      committed: 1_200_000,
      limit: 1_000_000,
      window,
      at,
    };
    expect(events).toEqual([
      { type: 'reserved', ...about, admittedOutputTokens: 60, heldNanoUsd: 600_000, at: at - 5 },
      {
        type: 'settled',
        ...about,
        at,
        outcome: 'known',
        costNanoUsd: 1_200_000,
        charges: [{ ...account, window: 'total', slot: null, amount: 1_200_000, held: 600_000 }],
      },
      { type: 'overshoot', ...about, at, overshoot: [{ ...account, amount: 200_000 }] },
      { ...crossed, threshold: 0.5 },
      { ...crossed, threshold: 1 },
    ]);
  });

  test('tell of a denial with the id that the call would have had', async () => {
    const { guard, events } = benchOf([usdBudget('0.001')]);
    const denial = await denialFor(guard, callOf(101));
    expect(events).toMatchObject([{ type: 'denied', denial, model: 'small' }]);
    expect(eventsOf(events, 'denied')[0]?.id).toMatch(/^[\w.]{8}1$/);
  });

  test('tell once of a call that was lowered to fit', async () => {
    const { guard, events } = benchOf([usdBudget('0.001')]);
    await admit(guard, callOf(500, { minOutputTokens: 1 }));
    expect(events).toMatchObject([
      { type: 'reserved', admittedOutputTokens: 100, heldNanoUsd: 1_000_000 },
    ]);
  });

  test('say nothing of money where no budget is in USD', async () => {
    const { guard, events } = benchOf([usdBudget('1', { limit: { requests: 5 } })]);
    await admit(guard, callOf(60, { model: 'unpriced' }));
    expect(events).toMatchObject([
      { type: 'reserved', heldNanoUsd: null, admittedOutputTokens: 60 },
    ]);
  });

  test('tell of an expiry that any other call finds', async () => {
    const { guard, events, clock } = benchOf([usdBudget('1')]);
    const lost = await admit(guard, callOf(60));
    clock.advance(120_000);
    await admit(guard, callOf(1));
    expect(events.map(({ type }) => type)).toEqual(['reserved', 'reservation-expired', 'reserved']);
    expect(events[1]).toMatchObject({ id: lost.id, charged: [{ amount: 600_000 }] });
    clock.advance(120_000);
    await lost.settle({ outcome: 'unknown' });
    expect(events.slice(3).map(({ type }) => type)).toEqual(['settled', 'reservation-expired']);
  });

  test('tell nothing of a settlement that changed nothing', async () => {
    const { guard, events } = benchOf([usdBudget('1')]);
    const call = await admit(guard, callOf(60));
    await call.settle({ outcome: 'unknown' });
    await call.settle({ outcome: 'unknown' });
    expect(events.map(({ type }) => type)).toEqual(['reserved', 'settled']);
  });
});

describe('a listener that throws', () => {
  test.each([
    [
      'at once',
      () => {
        throw new Error('listener');
      },
    ],
    ['later', () => Promise.reject(new Error('listener'))],
  ])('%s is logged, and harms no call', async (_, onEvent) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { guard } = benchOf([usdBudget('0.001')], { onEvent });
    const call = await admit(guard, callOf(60));
    const usage = usageOf({ output: 100 });
    expect(await call.settle({ outcome: 'known', usage })).toMatchObject({ status: 'settled' });
    await denialFor(guard, callOf(1));
    await vi.waitFor(() => expect(logged).toHaveBeenCalledTimes(4));
    expect(logged.mock.calls[0]).toEqual(['hardcap: onEvent threw', new Error('listener')]);
  });

  test('no listener is needed', async () => {
    const { guard } = benchOf([usdBudget('0.001')], { onEvent: undefined as never });
    await (await admit(guard, callOf(60))).settle({
      outcome: 'known',
      usage: usageOf({ output: 200 }),
    });
    await denialFor(guard, callOf(1));
  });
});
