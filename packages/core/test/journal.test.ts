import { copyFileSync, existsSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  MemoryUsageSink,
  ReservationMismatchError,
  SinkUnavailableError,
  type SpendGuardOptions,
  type UsageSink,
} from '../src/index.ts';
import { type AwayScene, awayScene, COST, HOLD, settlement } from './support/away-scene.ts';
import { HOUR, SECOND } from './support/clock.ts';
import { admit, benchOf, callOf, collect, eventsOf, usdBudget } from './support/guard.ts';
import { idsIn, journalPath, linesOf } from './support/journal-files.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function sceneOf(options: Partial<SpendGuardOptions> = {}): AwayScene & { journal: string } {
  const journal = journalPath();
  return { ...awayScene({ ...options, journal }), journal };
}

/** What the journal has of a process that died now, given to a new guard over the same sink. */
async function restart(scene: AwayScene & { journal: string }) {
  const journal = journalPath();
  copyFileSync(scene.journal, journal);
  const bench = benchOf([usdBudget('1')], { clock: scene.clock, sink: scene.sink, journal });
  return { ...bench, journal };
}

describe('a journal', () => {
  test('has a settlement before the sink is told, and its mark soon after the answer', async () => {
    const { guard, sink, journal } = sceneOf();
    const [call, released] = [await admit(guard, callOf(100)), await admit(guard, callOf(100))];
    const seen: string[][] = [];
    for (const operation of ['settle', 'release'] as const) {
      const works = sink[operation].bind(sink) as (request: never) => never;
      sink[operation] = ((request: never) => {
        seen.push(idsIn(journal).sent);
        return works(request);
      }) as never;
    }
    await call.settle(settlement);
    await released.release();
    expect(seen).toEqual([[call.id], [call.id, released.id]]);
    expect(idsIn(journal).answered).toEqual([]);
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(idsIn(journal).answered).toEqual([call.id, released.id]);
    await guard.close();
  });

  test('has a line for each settlement, and one mark for many', async () => {
    const { guard, journal } = sceneOf();
    for (let number = 0; number < 128; number += 1) {
      await (await admit(guard, callOf(1))).settle(settlement);
    }
    expect(linesOf(journal)).toHaveLength(1 + 128 + 2);
    expect(new Set(idsIn(journal).answered).size).toBe(128);
    await guard.close();
  });

  test('is for its owner alone', async () => {
    const { guard, journal } = sceneOf();
    await guard.flush();
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    await guard.close();
  });

  test('has nothing open after a close', async () => {
    const scene = sceneOf();
    await (await admit(scene.guard, callOf(100))).settle(settlement);
    await scene.guard.close();
    expect(idsIn(scene.journal).answered).toHaveLength(1);
    expect(existsSync(`${scene.journal}.lock`)).toBe(false);
    const { guard, events } = await restart(scene);
    await guard.flush();
    expect(events).toEqual([]);
    await guard.close();
  });

  test.each(['request', 'reply'] as const)(
    'case C-82: keeps what got no answer (%s lost) until there is a valid one',
    async (lost) => {
      const { guard, sink, journal } = sceneOf();
      const call = await admit(guard, callOf(100));
      sink.lost = lost;
      expect(await call.settle(settlement)).toMatchObject({ status: 'queued' });
      await vi.advanceTimersByTimeAsync(HOUR);
      expect(idsIn(journal)).toEqual({ sent: [call.id], answered: [] });
      const { settle } = sink;
      sink.lost = null;
      sink.settle = () => Promise.resolve({ status: 'fine' } as never);
      await vi.advanceTimersByTimeAsync(HOUR);
      expect(idsIn(journal)).toEqual({ sent: [call.id], answered: [] });
      sink.settle = settle;
      await guard.flush();
      await vi.advanceTimersByTimeAsync(SECOND);
      expect(idsIn(journal)).toEqual({ sent: [call.id], answered: [call.id] });
      expect(await collect(guard.ledger())).toHaveLength(1);
      await guard.close();
    },
  );

  test('case C-82: keeps what the sink refused, for a start after which it may not', async () => {
    const scene = sceneOf();
    const { guard, sink } = scene;
    const call = await admit(guard, callOf(100));
    const mismatch = new ReservationMismatchError(call.id);
    const { settle } = sink;
    sink.settle = () => Promise.reject(mismatch);
    await expect(call.settle(settlement)).rejects.toBe(mismatch);
    const still = await restart(scene);
    await still.guard.flush();
    expect(eventsOf(still.events, 'settlements-lost')).toMatchObject([
      { reason: 'refused', error: mismatch, settlements: [{ id: call.id }] },
    ]);
    await still.guard.close();
    sink.settle = settle;
    const next = await restart({ ...scene, journal: still.journal });
    await next.guard.flush();
    expect(await scene.figures()).toEqual([COST, 0]);
    await Promise.all([next.guard.close(), guard.close()]);
  });

  test('says nothing is lost where it keeps it', async () => {
    const { guard, sink, events, journal } = sceneOf({ unsentLimit: 1 });
    const calls = [await admit(guard, callOf(100)), await admit(guard, callOf(100))] as const;
    sink.lost = 'request';
    await calls[0].settle(settlement);
    await expect(calls[1].settle(settlement)).rejects.toSatisfy(SinkUnavailableError.isInstance);
    const closed = guard.close();
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await closed;
    expect(eventsOf(events, 'settlements-lost')).toEqual([]);
    expect(idsIn(journal).sent).toEqual(calls.map(({ id }) => id));
  });
});

describe('a start with a journal', () => {
  test.each([
    ['was never told', 'request', 0],
    ['was told and had no time to answer', 'reply', 0],
    ['was never told, and has charged the hold meanwhile', 'request', HOUR],
  ] as const)('settles what a sink %s, at what it cost', async (_, lost, passed) => {
    const scene = sceneOf({ unsentLimit: 0 });
    const call = await admit(scene.guard, callOf(100, { identity: { user: 'ann' } }));
    scene.sink.lost = lost;
    await call.settle(settlement).catch(() => {});
    scene.sink.lost = null;
    scene.clock.advance(passed);
    if (passed > 0) expect(await scene.figures()).toEqual([HOLD, 0]);

    const { guard, events, journal } = await restart(scene);
    expect(await guard.flush()).toEqual({ unsent: 0 });
    expect(await scene.figures()).toEqual([COST, 0]);
    const status = lost === 'reply' ? 'already-resolved' : passed > 0 ? 'late' : 'settled';
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'journal-replayed', path: journal, settlements: 1 },
      { type: 'settlement-sent', id: call.id, operation: 'settle', status },
    ]);
    if (lost === 'request') {
      expect(events[2]).toMatchObject({
        type: 'settled',
        id: call.id,
        identity: { user: 'ann' },
        costNanoUsd: COST,
      });
    }
    await guard.close();
    expect(idsIn(journal).answered).toEqual([call.id]);
    await scene.guard.close();
  });

  test('does not wait for a sink that is still away: calls go on, and it is told later', async () => {
    const scene = sceneOf({ unsentLimit: 0 });
    const { sink } = scene;
    const call = await admit(scene.guard, callOf(100));
    const { settle } = sink;
    sink.settle = () => Promise.reject(new Error('connection lost'));
    await call.settle(settlement).catch(() => {});
    const { guard } = await restart(scene);
    const next = await admit(guard, callOf(100));
    expect(await next.settle(settlement)).toMatchObject({ status: 'queued' });
    expect(await scene.figures()).toEqual([0, 2 * HOLD]);
    sink.settle = settle;
    await vi.advanceTimersByTimeAsync(11 * SECOND);
    expect(await scene.figures()).toEqual([2 * COST, 0]);
    await Promise.all([guard.close(), scene.guard.close()]);
  });

  test('takes back all that is open, however little the queue may hold', async () => {
    const scene = sceneOf({ unsentLimit: 0 });
    const calls = await Promise.all(
      Array.from({ length: 50 }, () => admit(scene.guard, callOf(100))),
    );
    scene.sink.lost = 'request';
    for (const call of calls) await call.settle(settlement).catch(() => {});
    scene.sink.lost = null;
    const journal = journalPath();
    copyFileSync(scene.journal, journal);
    const { guard } = benchOf([usdBudget('1')], { sink: scene.sink, journal, unsentLimit: 2 });
    expect(await guard.flush()).toEqual({ unsent: 0 });
    expect(await scene.figures()).toEqual([50 * COST, 0]);
    await Promise.all([guard.close(), scene.guard.close()]);
  });
});

test('a journal that has grown is written anew, with what is open', async () => {
  const { journal, ...scene } = sceneOf();
  const { guard, sink } = scene;
  const open = await admit(guard, callOf(1));
  const { settle } = sink;
  sink.isPrompt = true;
  sink.settle = (request) =>
    request.id === open.id ? Promise.reject(new Error('lost')) : settle.call(sink, request);
  expect(await open.settle(settlement)).toMatchObject({ status: 'queued' });
  const tags = { padding: 'x'.repeat(50_000) };
  let largest = 0;
  for (let number = 0; number < 200; number += 1) {
    await (await admit(guard, callOf(1, { tags }))).settle({ outcome: 'not-sent' });
    largest = Math.max(largest, statSync(journal).size);
  }
  expect(largest).toBeGreaterThan(4_000_000);
  expect(largest).toBeLessThan(8_000_000);
  expect(statSync(journal).size).toBeLessThan(largest);
  expect(idsIn(journal).sent[0]).toBe(open.id);
  sink.settle = settle;
  await guard.close();
  expect(await scene.figures()).toEqual([COST, 0]);
  expect(idsIn(journal).answered).toContain(open.id);
  expect(existsSync(`${journal}.new`)).toBe(false);
});

test('without files there is no journal, and no call: the error says what to do', async () => {
  const { getBuiltinModule } = process;
  const journal = journalPath();
  Object.assign(process, { getBuiltinModule: undefined });
  const sink: UsageSink = new MemoryUsageSink();
  const { guard } = benchOf([usdBudget('1')], { sink, journal });
  const refused = expect(guard.reserve(callOf(1))).rejects.toThrow(/no files.*needs Node/);
  await refused;
  Object.assign(process, { getBuiltinModule });
  await expect(guard.flush()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await guard.close();
});
