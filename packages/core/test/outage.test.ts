import { copyFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { defineBudgets, ReservationMismatchError, SinkUnavailableError } from '../src/index.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  eventsOf,
  usdBudget,
} from './support/guard.ts';
import { journalPath } from './support/journal-files.ts';
import { ANN, cost, open, outageScene } from './support/outage-scene.ts';

describe('a sink that is away, and a budget that allows that', () => {
  test('admits the call, says so, and charges it when the sink is back', async () => {
    const { guard, sink, events, figures, clock } = outageScene([open('1')]);
    sink.lost = 'request';
    const call = await admit(guard, callOf(100, ANN));
    expect(eventsOf(events, 'admitted-without-sink')).toEqual([
      {
        type: 'admitted-without-sink',
        id: call.id,
        identity: { user: 'ann', provider: 'acme', model: 'small' },
        provider: 'acme',
        model: 'small',
        at: clock.now(),
      },
    ]);
    expect(eventsOf(events, 'sink-unavailable')).toMatchObject([{ operation: 'reserve' }]);
    expect((await call.settle(cost(700_000))).status).toBe('queued');
    expect(await figures()).toEqual([0, 0]);
    sink.lost = null;
    expect(await guard.flush()).toEqual({ unsent: 0 });
    expect(await figures()).toEqual([700_000, 0]);
    const [entry] = await collect(guard.ledger());
    expect(entry).toMatchObject({ id: call.id, costNanoUsd: 700_000, withoutSink: true });
    expect((await guard.verify()).differences).toEqual([]);
  });

  test('charges it also where the account would refuse it by now', async () => {
    const { guard, sink, figures } = outageScene([open('0.001')]);
    sink.lost = 'request';
    const calls = [await admit(guard, callOf(100, ANN)), await admit(guard, callOf(100, ANN))];
    sink.lost = null;
    await guard.block({ budget: 'cap', identity: { user: 'ann' } });
    for (const call of calls) await call.settle(cost(1_000_000));
    expect(await figures()).toEqual([2_000_000, 0]);
  });

  test('any budget of the call that denies wins', async () => {
    const { guard, sink, events, memory } = outageScene([
      open('1'),
      usdBudget('1', { name: 'org' }),
    ]);
    sink.lost = 'request';
    await expect(guard.reserve(callOf(1, ANN))).rejects.toSatisfy(SinkUnavailableError.isInstance);
    expect(eventsOf(events, 'admitted-without-sink')).toEqual([]);
    sink.lost = 'reply';
    await expect(guard.reserve(callOf(1, ANN))).rejects.toThrow('failed to reserve');
    sink.lost = null;
    await vi.waitFor(async () => expect((await memory.verify()).reservations).toBe(0));
  });

  test('one in the shadow, or that exempts the caller, has no say', async () => {
    const others = [
      usdBudget('1', { name: 'watched', mode: 'shadow' }),
      usdBudget('1', { name: 'org', exempt: [{ user: 'ann' }] }),
    ];
    const { guard, sink } = outageScene([open('1'), ...others]);
    sink.lost = 'request';
    await admit(guard, callOf(1, ANN));
  });

  test('an error that is no outage lets nothing pass', async () => {
    const { guard, memory } = outageScene([open('1')]);
    memory.reserve = () => {
      throw new ReservationMismatchError('1');
    };
    const reserved = guard.reserve(callOf(1, ANN));
    await expect(reserved).rejects.toSatisfy(ReservationMismatchError.isInstance);
  });

  test('a reply that was lost leaves one hold and one charge', async () => {
    const { guard, sink, figures, memory } = outageScene([open('1')]);
    sink.lost = 'reply';
    const call = await admit(guard, callOf(100, ANN));
    sink.lost = null;
    expect(await figures()).toEqual([0, 1_000_000]);
    await call.settle(cost(700_000));
    expect(await figures()).toEqual([700_000, 0]);
    expect((await memory.verify()).entries).toBe(1);
  });

  test('where that hold has expired meanwhile, the settlement replaces its charge', async () => {
    const { guard, sink, figures, clock } = outageScene([open('1')]);
    sink.lost = 'reply';
    const call = await admit(guard, callOf(100, ANN));
    clock.advance(120_000);
    sink.lost = null;
    expect(await figures()).toEqual([1_000_000, 0]);
    expect((await call.settle(cost(700_000))).status).toBe('late');
    expect(await figures()).toEqual([700_000, 0]);
  });

  test('a call that is never sent charges nothing', async () => {
    const { guard, sink, figures } = outageScene([open('1')]);
    sink.lost = 'request';
    const call = await admit(guard, callOf(100, ANN));
    sink.lost = null;
    expect((await call.release()).status).toBe('settled');
    expect(await figures()).toEqual([0, 0]);
  });
});

describe('a process that dies while the sink is away', () => {
  const budgets = [open('1'), open('1', { name: 'org', per: [], exempt: [{ user: 'ann' }] })];

  test('leaves in its journal what its calls cost, for the next to charge', async () => {
    const journal = journalPath();
    const scene = outageScene(budgets, { journal });
    scene.sink.lost = 'request';
    const call = await admit(scene.guard, callOf(100, ANN));
    expect((await call.settle({ outcome: 'unknown' })).status).toBe('queued');
    const copy = journalPath();
    copyFileSync(journal, copy);
    const next = benchOf(budgets, { sink: scene.memory, clock: scene.clock, journal: copy });
    await next.guard.flush();
    expect(await scene.memory.verify()).toMatchObject({ entries: 1, differences: [] });
    expect(await next.guard.status(ANN.identity)).toMatchObject([
      { account: 'cap|user=ann', committed: 1_000_000, held: 0 },
      { account: 'org|exempt', committed: 1_000_000, held: 0, exempt: true },
    ]);
    scene.sink.lost = null;
    await scene.guard.flush();
    expect(await scene.memory.verify()).toMatchObject({ entries: 1, differences: [] });
    await next.guard.close();
    await scene.guard.close();
  });
});

describe('case C-48: who was denied stays denied while the store is away', () => {
  test('by the account that denied, with the figures that it had', async () => {
    const { guard, sink } = outageScene([open('0.001')]);
    await (await admit(guard, callOf(100, ANN))).settle(cost(1_000_000));
    const before = await denialFor(guard, callOf(1, ANN));
    sink.lost = 'request';
    expect(await denialFor(guard, callOf(1, ANN))).toEqual(before);
    await admit(guard, callOf(1, { identity: { user: 'bob' } }));
  });

  test('until its window ends', async () => {
    const { guard, sink, clock } = outageScene([open('0.001', { window: { fixed: '1h' } })]);
    await (await admit(guard, callOf(100, ANN))).settle(cost(1_000_000));
    await denialFor(guard, callOf(1, ANN));
    sink.lost = 'request';
    clock.advance(3_600_000 - 1);
    await denialFor(guard, callOf(1, ANN));
    clock.advance(1);
    await admit(guard, callOf(1, ANN));
  });

  test('or until it was admitted again', async () => {
    const { guard, sink } = outageScene([open('0.001')]);
    await (await admit(guard, callOf(100, ANN))).settle(cost(1_000_000));
    await denialFor(guard, callOf(1, ANN));
    await guard.topUp({ budget: 'cap', identity: { user: 'ann' } }, { usd: '1' });
    await admit(guard, callOf(1, ANN));
    sink.lost = 'request';
    await admit(guard, callOf(1, ANN));
  });

  test('what was too large keeps out what is as large, and nothing smaller', async () => {
    const { guard, sink } = outageScene([open('0.001')]);
    await denialFor(guard, callOf(200, ANN));
    sink.lost = 'request';
    await denialFor(guard, callOf(200, ANN));
    await admit(guard, callOf(50, ANN));
  });
});

test('what cannot be meant is refused', () => {
  const define = (fields: object) => () => defineBudgets([{ ...usdBudget('1'), ...fields }]);
  expect(define({ onSinkError: 'open' })).toThrow('onSinkError: write deny or allow');
  expect(define({ emergencyLimit: { tokens: 5 } })).toThrow('another unit');
  expect(define({ emergencyLimit: 0 })).toThrow('emergencyLimit: 0 is not a limit');
  defineBudgets([{ ...usdBudget('1'), limit: { tokens: 5, count: 'output' } }]);
});
