import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Budget, BudgetExceededError, type SpendCall } from '../src/index.ts';
import { admit, benchOf, callOf, type GuardBench, usdBudget } from './support/guard.ts';

const BUDGETS: Budget[] = [usdBudget('1', { per: ['user'] }), usdBudget('1', { name: 'all' })];
const SELECTOR = { budget: 'cap', identity: { user: 'ann' } };
const as = (user: string) => callOf(100, { identity: { user } });
/** Half of the time to live of a hold, in ms. */
const BOUND = 60_000;

// What is loaded on demand takes a time that no injected clock can pass.
beforeAll(() => import('../src/on-demand.ts'));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

async function pass({ clock }: GuardBench, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    clock.advance(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
  }
}

function expectBlocked(call: SpendCall): void {
  expect(call.signal.aborted).toBe(true);
  expect(call.stopReason).toBeInstanceOf(BudgetExceededError);
  expect(call.signal.reason).toBe(call.stopReason);
  const { denial } = call.stopReason as BudgetExceededError;
  expect(denial.refusals).toMatchObject([{ account: 'cap|user=ann', kind: 'blocked' }]);
  expect(call.meter({ text: 'more' })).toBe(false);
}

describe('a block reaches calls that run', () => {
  test('at once where the same guard made them, and only those of the account', async () => {
    const { guard } = benchOf(BUDGETS);
    const [ann, bob] = [await admit(guard, as('ann')), await admit(guard, as('bob'))];
    await guard.block(SELECTOR);
    await vi.advanceTimersByTimeAsync(0);
    expectBlocked(ann);
    expect(bob.signal.aborted).toBe(false);
    await ann.settle({ outcome: 'metered' });
    expect((await guard.verify()).differences).toEqual([]);
  });

  test('of another process, within half the time to live of their holds', async () => {
    const bench = benchOf(BUDGETS);
    const other = benchOf(BUDGETS, { sink: bench.sink, clock: bench.clock });
    const calls: SpendCall[] = [];
    // Of every age at the time of the block.
    for (let age = 0; age < 8; age += 1) {
      calls.push(await admit(bench.guard, as('ann')));
      await pass(bench, 7_000);
    }
    await other.guard.block(SELECTOR);
    await pass(bench, BOUND);
    for (const call of calls) expectBlocked(call);
  });

  test('of another process, as soon as they need more than they hold', async () => {
    const bench = benchOf(BUDGETS, { estimate: 'none' });
    const call = await admit(bench.guard, as('ann'));
    const other = benchOf(BUDGETS, { sink: bench.sink, clock: bench.clock });
    await other.guard.block(SELECTOR);
    expect(await call.meter({ text: 'many words follow each other '.repeat(100) })).toBe(false);
    expectBlocked(call);
  });

  test('and leaves alone what has ended, and accounts in the shadow', async () => {
    const bench = benchOf([usdBudget('1', { name: 'watched', mode: 'shadow' })]);
    const [open, ended] = [
      await admit(bench.guard, callOf(1)),
      await admit(bench.guard, callOf(1)),
    ];
    await ended.settle({ outcome: 'unknown' });
    await bench.guard.block({ budget: 'watched', identity: {} });
    await pass(bench, BOUND);
    expect([open.signal.aborted, ended.signal.aborted]).toEqual([false, false]);
  });

  test('also calls that are being extended at that moment, or reserved', async () => {
    for (const budgets of [
      BUDGETS,
      BUDGETS.map((each): Budget => ({ ...each, mode: 'enforce' })),
    ]) {
      const { guard, sink } = benchOf(budgets, { estimate: 'none' });
      const open = await admit(guard, as('ann'));
      const late = <Answer>(answer: Answer): Answer =>
        new Promise((done) => setTimeout(() => done(answer), 500)) as Answer;
      const [extend, reserve] = [sink.extend.bind(sink), sink.reserve.bind(sink)];
      sink.extend = (request) => late(extend(request));
      sink.reserve = (request) => late(reserve(request));
      const metered = open.meter({ text: 'many words follow each other '.repeat(100) });
      const reserving = admit(guard, as('ann'));
      await vi.advanceTimersByTimeAsync(100);
      await guard.block(SELECTOR);
      await vi.advanceTimersByTimeAsync(2_000);
      await metered;
      for (const call of [open, await reserving]) expectBlocked(call);
    }
  });

  test('the next call passes once it is lifted', async () => {
    const { guard } = benchOf(BUDGETS);
    await guard.block(SELECTOR);
    await guard.unblock(SELECTOR);
    const call = await admit(guard, as('ann'));
    await vi.advanceTimersByTimeAsync(0);
    expect(call.signal.aborted).toBe(false);
  });
});
