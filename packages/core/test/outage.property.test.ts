import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  type Budget,
  createSpendGuard,
  type GuardEvent,
  MemoryUsageSink,
  type Reservation,
  type SpendCall,
} from '../src/index.ts';
import { FlakySink } from './support/flaky-sink.ts';
import { callOf, usdBudget } from './support/guard.ts';
import { PRICES } from './support/prices.ts';

/** Nano-USD that an output token costs at most. */
const TOKEN = 10_000;

const BUDGETS: Budget[] = [
  usdBudget('1', {
    per: ['user'],
    onSinkError: 'allow',
    emergencyLimit: { usd: '0.002' },
  }),
  usdBudget('9', { name: 'watched', mode: 'shadow', exempt: [{ user: 'ann' }] }),
];

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type Step =
  | {
      readonly type: 'reserve';
      readonly tokens: number;
      readonly least: number;
      readonly waitMs: number;
    }
  | { readonly type: 'end'; readonly place: number; readonly how: number }
  | { readonly type: 'network'; readonly fate: number; readonly delayMs: number }
  | { readonly type: 'time'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('reserve' as const),
      tokens: fc.integer({ min: 1, max: 400 }),
      least: fc.integer({ min: 0, max: 50 }),
      waitMs: fc.constantFrom(0, 0, 1_000, 20_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      place: fc.nat(20),
      how: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('network' as const),
      fate: fc.nat(4),
      delayMs: fc.constantFrom(0, 50, 900, 1_500, 4_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('time' as const),
      ms: fc.constantFrom(1, 60, 700, 2_500, 45_000),
    }),
  },
);

class Scene {
  readonly events: GuardEvent[] = [];
  readonly memory: MemoryUsageSink = new MemoryUsageSink({
    rememberedReservations: 10_000,
    ledgerCapacity: 10_000,
  });
  readonly sink: FlakySink = new FlakySink(this.memory);
  readonly guard = createSpendGuard({
    budgets: BUDGETS,
    sink: this.sink,
    prices: PRICES,
    onEvent: (event) => void this.events.push(event),
  });
  readonly open: SpendCall[] = [];
  readonly pending: Promise<unknown>[] = [];
  /** What calls cost that have ended, by id. */
  readonly costs: Map<string, number> = new Map();

  take(each: Step): Promise<unknown> | undefined {
    if (each.type === 'time') return vi.advanceTimersByTimeAsync(each.ms);
    if (each.type === 'network') this.sink.network(each.fate, each.delayMs);
    else if (each.type === 'reserve') this.pending.push(this.reserve(each));
    else this.end(each);
    return undefined;
  }

  async reserve({ tokens, least, waitMs }: Extract<Step, { type: 'reserve' }>): Promise<void> {
    const request = callOf(tokens, {
      identity: { user: 'ann' },
      ...(least > 0 && { minOutputTokens: least }),
      ...(waitMs > 0 && { waitForHeadroomMs: waitMs }),
    });
    const reservation: Reservation | null = await this.guard.reserve(request).catch((error) => {
      if (error.code !== 'SINK_UNAVAILABLE') throw error;
      return null;
    });
    if (reservation?.admitted) this.open.push(reservation.call);
  }

  end({ place, how }: Extract<Step, { type: 'end' }>): void {
    const [call] = this.open.splice(place % Math.max(1, this.open.length), 1);
    if (call === undefined) return;
    const hold = (call.admittedOutputTokens as number) * TOKEN;
    const cost = how === 0 ? 0 : how === 1 ? hold : Math.floor(hold / 3);
    this.costs.set(call.id, cost);
    const ended =
      how === 0
        ? call.release()
        : how === 1
          ? call.settle({ outcome: 'unknown' })
          : call.settle({ outcome: 'known', costNanoUsd: cost });
    this.pending.push(ended);
  }
}

test('whatever is lost, late or refused, in the end each call is charged once, and nothing is held', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const scene = new Scene();
      for (const each of steps) await scene.take(each);
      // Everybody who waits has given up by then, and the network is sound again.
      scene.sink.network(0, 0);
      await vi.advanceTimersByTimeAsync(60_000);
      while (scene.open.length > 0) scene.end({ type: 'end', place: 0, how: 2 });
      await vi.advanceTimersByTimeAsync(60_000);
      await Promise.all(scene.pending);
      // A hold that nobody knows of has expired.
      await vi.advanceTimersByTimeAsync(130_000);
      expect(scene.events.filter(({ type }) => type === 'settlements-lost')).toEqual([]);
      const spent = [...scene.costs.values()].reduce((sum, cost) => sum + cost, 0);
      const [cap, watched] = await scene.guard.status({ user: 'ann' });
      expect({ committed: cap?.committed, held: cap?.held, shadow: watched?.committed }).toEqual({
        committed: spent,
        held: 0,
        shadow: spent,
      });
      expect(await scene.memory.verify()).toMatchObject({ reservations: 0, differences: [] });
      // Where a reply is lost for ever, nobody can tell.
      const told = scene.events
        .filter(({ type }) => type === 'settled')
        .map((event) => 'id' in event && event.id);
      expect(new Set(told).size).toBe(told.length);
      await scene.guard.close();
    }),
    { numRuns: 300 },
  );
}, 60_000);
