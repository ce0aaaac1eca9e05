import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  type Budget,
  createSpendGuard,
  type Grant,
  MemoryUsageSink,
  type SpendCall,
  type SpendGuard,
} from '../src/index.ts';
import { FlakySink } from './support/flaky-sink.ts';
import { callOf, usdBudget } from './support/guard.ts';
import { PRICES } from './support/prices.ts';

/** Nano-USD that an output token costs at most. */
const TOKEN = 10_000;
const CAP = 5_000_000;
const AGENT = { run: 'r1' };
const BUDGETS: Budget[] = [
  usdBudget('0.005', { name: 'run', per: ['run'] }),
  usdBudget('0.008', { name: 'all', onExpiry: 'release' }),
];

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type Step = readonly [what: number, place: number, size: number];

/** Two processes; the network of one is slow, and loses what it carries. */
class Family {
  readonly memory: MemoryUsageSink = new MemoryUsageSink({
    ledgerCapacity: 10_000,
    rememberedReservations: 10_000,
  });
  readonly slow: FlakySink = new FlakySink(this.memory);
  readonly guards: readonly SpendGuard[] = [this.slow, this.memory].map((sink) =>
    createSpendGuard({ budgets: BUDGETS, sink, prices: PRICES, waitForHeadroomMs: 1_000 }),
  );
  readonly grants: Grant[] = [];
  readonly calls: SpendCall[] = [];
  readonly pending: Promise<unknown>[] = [];
  spent = 0;

  take([what, place, size]: Step): Promise<unknown> | undefined {
    const grant = this.grants[place % Math.max(1, this.grants.length)];
    if (what <= 1) this.pending.push(this.make(place, grant, size));
    else if (what <= 4) this.pending.push(this.call(place, grant, size));
    else if (what <= 6) this.end(place, size);
    else if (what === 7) this.pending.push(answered(grant?.close()));
    else if (what === 8) this.slow.network(size % 5, size * 15);
    else return vi.advanceTimersByTimeAsync(size * 100);
    return undefined;
  }

  async make(place: number, above: Grant | undefined, size: number): Promise<void> {
    const maker = this.guards[place % 2] as SpendGuard;
    const from = above !== undefined && place % 3 === 0 ? { ...AGENT, ...above.identity } : AGENT;
    const asked = { from, limit: { usd: `0.000${1 + (size % 9)}` }, depth: place % 2 };
    const grant = await answered(maker.grant(asked));
    if (grant === undefined) return;
    for (const guard of this.guards) if (guard !== maker) await guard.grant(grant.token);
    this.grants.push(grant);
  }

  async call(place: number, grant: Grant | undefined, size: number): Promise<void> {
    const guard = this.guards[size % 2] as SpendGuard;
    const identity = { ...AGENT, ...(place % 4 === 0 ? {} : grant?.identity) };
    const reservation = await answered(guard.reserve(callOf(1 + size, { identity })));
    if (reservation?.admitted) this.calls.push(reservation.call);
  }

  end(place: number, size: number): void {
    const [call] = this.calls.splice(place % Math.max(1, this.calls.length), 1);
    if (call === undefined) return;
    const most = (call.admittedOutputTokens as number) * TOKEN;
    const costNanoUsd = size % 3 === 0 ? most : Math.floor(most / 2);
    this.spent += costNanoUsd;
    this.pending.push(call.settle({ outcome: 'known', costNanoUsd }));
  }
}

/** What comes of it; nothing where that was refused, or the sink did not answer. */
async function answered<Answer>(asked: Promise<Answer> | undefined): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    const { code } = error as { code?: string };
    if (['BUDGET_EXCEEDED', 'INVALID_ARGUMENT', 'SINK_UNAVAILABLE'].includes(`${code}`)) {
      return undefined;
    }
    throw error;
  }
}

test('however grants are made, divided, used and closed, parents pay what was spent, and never more than they have', async () => {
  const step = fc.tuple(fc.nat(10), fc.nat(50), fc.nat(90));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
      const family = new Family();
      const [, guard] = family.guards as [SpendGuard, SpendGuard];
      const figures = async () => {
        const status = await guard.status(AGENT);
        return status.map(({ committed, held }) => ({ committed, held }));
      };
      for (const each of steps) {
        await family.take(each);
        for (const { committed, held } of await figures()) {
          expect(committed + held).toBeLessThanOrEqual(CAP);
        }
      }
      family.slow.network(0, 0);
      await vi.advanceTimersByTimeAsync(20_000);
      while (family.calls.length > 0) family.end(0, 1);
      for (const grant of [...family.grants].reverse()) family.pending.push(grant.close());
      // What others hold of a grant comes back with the beats of those who made it.
      await vi.advanceTimersByTimeAsync(260_000);
      await Promise.all(family.pending);
      expect(await figures()).toEqual([
        { committed: family.spent, held: 0 },
        { committed: family.spent, held: 0 },
      ]);
      expect(await family.memory.verify()).toMatchObject({ reservations: 0, differences: [] });
      for (const each of family.guards) await each.close();
    }),
    { numRuns: 200 },
  );
}, 60_000);
