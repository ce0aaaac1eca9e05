import { describe, expect, test } from 'vitest';
import {
  type Account,
  BudgetExceededError,
  type CallRequest,
  type SpendCall,
} from '../src/index.ts';
import { admit, benchOf, callOf, type GuardBench, usageOf, usdBudget } from './support/guard.ts';

/** A stream that holds what it uses as it goes: 1,000 nano-USD for input, 10,000 for output. */
const STREAM = callOf(100_000, { estimate: 'none' });

async function stream(
  usd: string,
  request: CallRequest = STREAM,
): Promise<GuardBench & { call: SpendCall }> {
  const bench = benchOf([usdBudget(usd)]);
  return { ...bench, call: await admit(bench.guard, request) };
}

async function heldOn({ guard }: GuardBench): Promise<number | undefined> {
  return (await guard.status())[0]?.held;
}

describe('a chunk within the hold', () => {
  test('goes on at once, without a word to the sink', async () => {
    const { call, sink } = await stream('1', callOf(1_000));
    sink.extend = () => {
      throw new Error('asked');
    };
    for (let chunk = 0; chunk < 1_000; chunk += 1) expect(call.meter({ tokens: 1 })).toBe(true);
  });

  test('counts for certain only what it must have, where the provider enforces the limit', async () => {
    const { call, sink } = await stream('1', callOf(100));
    sink.extend = () => {
      throw new Error('asked');
    };
    // An estimate far above the limit, of text that a tokenizer may pack ten times as densely.
    expect(call.meter({ text: 'x1Y2'.repeat(200) })).toBe(true);
    expect(call.signal.aborted).toBe(false);
  });
});

describe('a chunk that crosses it', () => {
  test('extends the hold by a slice ahead of need', async () => {
    const bench = await stream('1', { ...STREAM, inputTokens: 1_000 });
    expect(await heldOn(bench)).toBe(0);
    const first = bench.call.meter({ tokens: 10 });
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBe(true);
    expect(await heldOn(bench)).toBe(1_000_000 + (10 + 256) * 10_000);
    expect(bench.call.meter({ tokens: 256 })).toBe(true);
    expect(await bench.call.meter({ tokens: 1 })).toBe(true);
    expect(await heldOn(bench)).toBe(1_000_000 + (267 + 256) * 10_000);
  });

  test('waits for the extension that is under way, which covers it too', async () => {
    const bench = await stream('1');
    const [first, second] = [bench.call.meter({ tokens: 10 }), bench.call.meter({ tokens: 2_000 })];
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect(await heldOn(bench)).toBeGreaterThanOrEqual(2_010 * 10_000);
    expect(bench.call.meter({ tokens: 1 })).toBe(true);
  });

  test('extends every account that counts output, and no other', async () => {
    const budgets = [
      usdBudget('1'),
      usdBudget('1', { name: 'tokens', limit: { tokens: 1_000 } }),
      usdBudget('1', { name: 'input', limit: { tokens: 1_000, count: 'input' } }),
      usdBudget('1', { name: 'requests', limit: { requests: 5 } }),
    ];
    const { guard } = benchOf(budgets);
    const call = await admit(guard, { ...STREAM, inputTokens: 100 });
    await call.meter({ tokens: 4 });
    expect((await guard.status()).map(({ held }) => held)).toEqual([2_700_000, 360, 100, 1]);
  });

  test('goes to the last unit that the budgets have, then stops', async () => {
    const bench = await stream('0.001');
    for (let token = 1; token <= 100; token += 1)
      expect(await bench.call.meter({ tokens: 1 })).toBe(true);
    expect(await heldOn(bench)).toBe(1_000_000);
    expect(bench.call.signal.aborted).toBe(false);
    expect(await bench.call.meter({ tokens: 1 })).toBe(false);
    expect(bench.call.signal.aborted).toBe(true);
  });

  test('extends as far as others left something', async () => {
    const bench = await stream('0.001');
    await admit(bench.guard, callOf(60));
    for (let token = 1; token <= 40; token += 1)
      expect(await bench.call.meter({ tokens: 1 })).toBe(true);
    expect(await bench.call.meter({ tokens: 1 })).toBe(false);
    expect(bench.call.stopReason).toMatchObject({
      denial: { refusals: [{ held: 600_000, kind: 'held' }] },
    });
  });
});

describe('a refused extension', () => {
  test('aborts with the error that names the budget, for whoever reads the signal now or later', async () => {
    const { call } = await stream('0.001');
    const { signal } = call;
    const reasons: unknown[] = [];
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    expect(await call.meter({ tokens: 101 })).toBe(false);
    expect(reasons).toEqual([call.stopReason]);
    expect(BudgetExceededError.isInstance(call.stopReason)).toBe(true);
    // Nobody else is in the way: the call is too large on its own, and waiting cannot help.
    expect(call.stopReason).toMatchObject({
      status: 402,
      retryable: false,
      denial: {
        refusals: [
          {
            budget: 'cap',
            kind: 'too-large',
            limit: 1_000_000,
            committed: 0,
            held: 0,
            requested: 1_010_000,
          },
        ],
      },
    });

    const late = (await stream('0.001')).call;
    await late.meter({ tokens: 101 });
    expect(late.signal.aborted).toBe(true);
    expect(late.signal.reason).toBe(late.stopReason);
  });

  test('stays refused: chunks that still come are counted, and paid for', async () => {
    const bench = await stream('0.001');
    await bench.call.meter({ tokens: 101 });
    expect(bench.call.meter({ tokens: 9 })).toBe(false);
    const result = await bench.call.settle({ outcome: 'metered' });
    expect(result).toMatchObject({ costNanoUsd: 1_100_000, overshoot: [{ amount: 100_000 }] });
    expect(bench.call.meter({ tokens: 1 })).toBe(false);
  });

  test('of an account that was blocked meanwhile stops the stream at once', async () => {
    const bench = benchOf([usdBudget('1')]);
    const accounts: Account[] = [];
    const { reserve } = bench.sink;
    bench.sink.reserve = (request) => {
      accounts.push(...request.claims.map(({ account }) => account));
      return reserve.call(bench.sink, request);
    };
    const call = await admit(bench.guard, STREAM);
    expect(await call.meter({ tokens: 1 })).toBe(true);
    const change = { type: 'block' } as const;
    await bench.sink.adjust({ id: 'block', account: accounts[0] as Account, change, details: {} });
    expect(call.meter({ tokens: 256 })).toBe(true);
    expect(await call.meter({ tokens: 1 })).toBe(false);
    expect(call.stopReason).toMatchObject({ denial: { refusals: [{ kind: 'blocked' }] } });
  });
});

describe('a reservation that is gone', () => {
  test('stops the stream, and says so', async () => {
    const bench = await stream('1');
    bench.clock.advance(120_000);
    expect(await bench.call.meter({ tokens: 1 })).toBe(false);
    expect(bench.call.stopReason).toMatchObject({
      code: 'RESERVATION_MISMATCH',
      message: expect.stringContaining(`"${bench.call.id}" has already ended (expired)`),
    });
    expect(await bench.call.settle({ outcome: 'metered' })).toMatchObject({
      status: 'late',
      costNanoUsd: 10_000,
    });
  });
});

describe('a sink that breaks while a stream runs', () => {
  test('stops the stream with its error', async () => {
    const { call, sink, events } = await stream('1');
    sink.extend = () => Promise.reject(new Error('gone'));
    expect(await call.meter({ tokens: 1 })).toBe(false);
    expect(call.signal.reason).toMatchObject({ code: 'SINK_UNAVAILABLE' });
    expect(events.at(-1)).toMatchObject({ type: 'sink-unavailable', operation: 'extend' });
  });
});

describe('a call that has ended', () => {
  test('asks for nothing more, and is not stopped', async () => {
    const bench = await stream('1');
    await bench.call.settle({ outcome: 'known', usage: usageOf({ output: 5 }) });
    expect(bench.call.meter({ tokens: 1_000_000 })).toBe(true);
    expect(bench.call.signal.aborted).toBe(false);
  });

  test('nor by an extension that was under way when it ended', async () => {
    const bench = await stream('0.001');
    const { extend } = bench.sink;
    bench.sink.extend = async (request) => {
      await Promise.resolve();
      return extend.call(bench.sink, request);
    };
    const chunk = bench.call.meter({ tokens: 101 });
    await bench.call.settle({ outcome: 'known', usage: usageOf({ output: 50 }) });
    expect(await chunk).toBe(true);
    expect(bench.call.signal.aborted).toBe(false);
  });
});
