import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Budget, ConfigError, defineBudgets, rolledOver } from '../src/index.ts';
import { MINUTE, SECOND } from './support/clock.ts';
import { admit, benchOf, callOf, denialFor, eventsOf } from './support/guard.ts';
import { accountOf, SinkBench } from './support/sink.ts';

const BEFORE_DECEMBER = 12 * 60 * MINUTE;
const DECEMBER = 31 * 24 * 60 * MINUTE;

/** $0.001 a month, which is 100 tokens of output, of which up to half is there in the next. */
function monthly(others: Partial<Budget> = {}): Budget {
  return {
    name: 'monthly',
    per: ['org'],
    limit: { usd: '0.001' },
    rollover: { usd: '0.0005' },
    window: { calendar: 'month' },
    warnAt: [0.5],
    ...others,
  };
}

const acme = { org: 'acme' };
const ask = (tokens: number, identity = acme) => callOf(tokens, { identity });
const costing = (costNanoUsd: number) => ({ outcome: 'known', costNanoUsd }) as const;

describe('what a window leaves to the next one', () => {
  test.each([
    ['case C-44: 60 of 100 are spent, and up to 50 are rolled over', 100, 60, 50, 40],
    ['case C-44: no more than the cap', 100, 20, 50, 50],
    ['all of it', 100, 0, 100, 100],
    ['no more than there was', 100, 0, 500, 100],
    ['nothing of what is spent', 100, 100, 50, 0],
    ['and nothing is taken away for what was spent above', 100, 130, 50, 0],
    ['nothing where nothing is rolled over', 100, 60, 0, 0],
  ])('%s', (_, limit, used, most, left) => {
    expect(rolledOver(limit, used, most)).toBe(left);
  });
});

describe('a budget that rolls over', () => {
  test('case C-44: its limit is base and rollover, in status, denials and thresholds', async () => {
    const { guard, clock, events } = benchOf([monthly()]);
    await (await admit(guard, ask(60))).settle(costing(600_000));
    expect(await guard.status(acme)).toMatchObject([{ limit: 1_000_000, rollover: 0 }]);
    clock.advance(BEFORE_DECEMBER);
    expect(await guard.status(acme)).toMatchObject([
      { limit: 1_400_000, rollover: 400_000, committed: 0, remaining: 1_400_000, tier: 'ok' },
    ]);
    const { refusals } = await denialFor(guard, ask(141));
    expect(refusals).toMatchObject([
      { kind: 'too-large', limit: 1_400_000, rollover: 400_000, committed: 0, held: 0 },
    ]);
    await (await admit(guard, ask(140))).settle(costing(699_999));
    expect(await guard.status(acme)).toMatchObject([{ tier: 'ok' }]);
    await (await admit(guard, ask(1))).settle(costing(1));
    expect(await guard.status(acme)).toMatchObject([{ tier: 'approaching' }]);
    const crossed = eventsOf(events, 'threshold-crossed');
    expect(crossed.map(({ committed, limit }) => [committed, limit])).toEqual([
      [600_000, 1_000_000],
      [700_000, 1_400_000],
    ]);
  });

  test('shows none where it does not', async () => {
    const { rollover: _, ...without } = monthly();
    const { guard } = benchOf([without]);
    expect((await guard.status(acme))[0]).not.toHaveProperty('rollover');
    expect((await denialFor(guard, ask(101))).refusals[0]).not.toHaveProperty('rollover');
  });

  test('a top-up stays in its month, and goes on top', async () => {
    const { guard, clock } = benchOf([monthly()]);
    await guard.topUp({ budget: 'monthly', identity: acme }, { usd: '0.01' });
    await (await admit(guard, ask(90))).settle(costing(900_000));
    clock.advance(BEFORE_DECEMBER);
    const status = await guard.topUp({ budget: 'monthly', identity: acme }, { usd: '0.0001' });
    expect(status).toMatchObject({ limit: 1_200_000, rollover: 100_000 });
  });

  test('everything that is left, with `unlimited`; and of the limit of an override', async () => {
    const overrides = [{ match: { org: 'vip' }, limit: { usd: '0.002' } }];
    const exempt = [{ org: 'root' }];
    const { guard, clock } = benchOf([
      monthly({ rollover: { usd: 'unlimited' }, overrides, exempt }),
    ]);
    for (const org of ['acme', 'vip', 'root']) {
      await (await admit(guard, ask(10, { org }))).settle(costing(100_000));
    }
    clock.advance(BEFORE_DECEMBER);
    const of = async (org: string) => (await guard.status({ org }))[0];
    expect(await of('acme')).toMatchObject({ limit: 1_900_000, rollover: 900_000 });
    expect(await of('vip')).toMatchObject({ limit: 3_900_000, rollover: 1_900_000 });
    expect(await of('root')).not.toHaveProperty('rollover');
  });

  test('the next month is not given what this one was', async () => {
    const { guard, clock } = benchOf([monthly()]);
    await (await admit(guard, ask(60))).settle(costing(600_000));
    clock.advance(BEFORE_DECEMBER);
    await (await admit(guard, ask(100))).settle(costing(1_000_000));
    clock.advance(DECEMBER);
    expect(await guard.status(acme)).toMatchObject([{ limit: 1_000_000, rollover: 0 }]);
  });
});

describe('a rollover that cannot be', () => {
  const MESSAGE = /"monthly": rollover: needs a fixed or calendar window, and `attribute: reserve`/;

  test.each([
    [{ window: { rolling: '30d' } }],
    [{ window: 'total' }],
    [{ window: 'total', limit: { concurrent: 4 }, rollover: { concurrent: 2 } }],
    [{ attribute: 'settle' }],
  ] as Partial<Budget>[][])('with %j', (fields) => {
    const define = () => defineBudgets([monthly(fields)]);
    expect(define).toThrow(ConfigError);
    expect(define).toThrow(MESSAGE);
  });

  test('in another unit than the limit, or of nothing', () => {
    const other = () => defineBudgets([monthly({ rollover: { tokens: 5 } })]);
    expect(other).toThrow(/have another unit/);
    const none = () => defineBudgets([monthly({ rollover: { usd: '0' } })]);
    expect(none).toThrow(/"monthly": rollover: 0 USD is no limit/);
  });
});

const [LIMIT, MOST] = [30, 20];
const step = fc.record({
  /** Which of the open calls, for steps that are about one. */
  which: fc.nat(7),
  amount: fc.integer({ min: 1, max: 40 }),
  share: fc.constantFrom(0, 0.5, 1),
  waitMs: fc.constantFrom(0, 0, 0, 20 * SECOND, MINUTE, 2 * MINUTE),
  type: fc.constantFrom('reserve', 'reserve', 'extend', 'extend', 'settle', 'release'),
});

const histories = fc.array(step, { maxLength: 80, size: 'max' });

/** What was charged to each window, from the first to the last, idle ones included. */
async function spentByWindow({ sink }: SinkBench): Promise<number[]> {
  const spent = new Map<number, number>();
  for await (const { charges } of sink.entries()) {
    for (const { window, amount } of charges) {
      const minute = Date.parse(window.slice('1m:'.length)) / MINUTE;
      spent.set(minute, (spent.get(minute) ?? 0) + amount);
    }
  }
  if (spent.size === 0) return [];
  const [first, last] = [Math.min(...spent.keys()), Math.max(...spent.keys())];
  return Array.from({ length: last - first + 1 }, (_, place) => spent.get(first + place) ?? 0);
}

describe('however calls are held, grow and end', () => {
  test('a window spends its limit and what was left at the most, and all of them their limits', async () => {
    const account = accountOf('a', { limit: LIMIT, rollover: MOST, window: { fixed: '1m' } });
    const property = fc.asyncProperty(histories, async (steps) => {
      const bench = new SinkBench();
      bench.reserve('first', [account, 0]);
      bench.settle('first');
      const open: { id: string; amount: number }[] = [];
      for (const [place, { which, amount, share, waitMs, type }] of steps.entries()) {
        bench.clock.advance(waitMs);
        const [call] = open.slice(which % Math.max(1, open.length));
        if (type === 'reserve') {
          const id = `r${place}`;
          if (bench.reserve(id, [account, amount]).admitted) open.push({ id, amount });
        } else if (call !== undefined && type === 'extend') {
          const { status } = bench.extend(call.id, [account, amount]);
          if (status === 'extended') call.amount = amount;
        } else if (call !== undefined) {
          if (type === 'release') bench.sink.release(call.id);
          else bench.settle(call.id, { a: Math.floor(call.amount * share) });
          open.splice(open.indexOf(call), 1);
        }
      }
      bench.clock.advance(10 * MINUTE);
      bench.read(account);
      const spent = await spentByWindow(bench);
      let sum = 0;
      for (const [place, amount] of spent.entries()) {
        // Nobody was there before the first, so it was left nothing.
        const left = place === 0 ? 0 : rolledOver(LIMIT, spent[place - 1] as number, MOST);
        expect(amount).toBeLessThanOrEqual(LIMIT + left);
        sum += amount;
        expect(sum).toBeLessThanOrEqual(LIMIT * (place + 1));
      }
    });
    await fc.assert(property, { numRuns: 1_000 });
  });
});
