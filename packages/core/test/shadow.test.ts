import { describe, expect, test } from 'vitest';
import { type Budget, defineBudgets } from '../src/index.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  denialFor,
  eventsOf,
  usdBudget,
} from './support/guard.ts';

const watched = (usd: string, others: Partial<Budget> = {}): Budget =>
  usdBudget(usd, { name: 'watched', mode: 'shadow', ...others });
const cost = (costNanoUsd: number) => ({ outcome: 'known', costNanoUsd }) as const;
/** Longer than any small hold. */
const TEXT = 'many words follow each other '.repeat(100);

describe('a budget in shadow mode', () => {
  test('refuses nothing, and says what it would have refused', async () => {
    const { guard, events, clock } = benchOf([watched('0.001', { per: ['user'] })]);
    const request = callOf(200, { identity: { user: 'ann' } });
    const call = await admit(guard, request);
    expect(eventsOf(events, 'would-deny')).toEqual([
      {
        type: 'would-deny',
        id: call.id,
        identity: { user: 'ann', provider: 'acme', model: 'small' },
        provider: 'acme',
        model: 'small',
        at: clock.now(),
        denial: {
          retryable: false,
          retryAfterMs: null,
          refusals: [
            expect.objectContaining({ budget: 'watched', kind: 'too-large', shadow: true }),
          ],
        },
      },
    ]);
    expect(eventsOf(events, 'denied')).toEqual([]);
  });

  test('holds, charges, ledgers and warns as any other', async () => {
    const { guard, sink, events } = benchOf([watched('0.001')]);
    await (await admit(guard, callOf(200))).settle(cost(2_000_000));
    const status = { limit: 1_000_000, committed: 2_000_000, tier: 'exceeded', shadow: true };
    expect(await guard.status()).toMatchObject([{ ...status, denials: 1 }]);
    expect(eventsOf(events, 'threshold-crossed')).toHaveLength(1);
    const [entry] = await collect(sink.entries());
    expect(entry?.charges).toMatchObject([{ account: 'watched', amount: 2_000_000 }]);
    expect((await guard.verify()).differences).toEqual([]);
    await admit(guard, callOf(100));
  });

  test('says nothing of what fits', async () => {
    const { guard, events } = benchOf([watched('0.001')]);
    await admit(guard, callOf(100));
    expect(eventsOf(events, 'would-deny')).toEqual([]);
  });

  test('is in no denial by another budget, and reports beside it', async () => {
    const { guard, events } = benchOf([watched('0.001'), usdBudget('0.0015')]);
    const denial = await denialFor(guard, callOf(200));
    expect(denial.refusals.map(({ budget }) => budget)).toEqual(['cap']);
    expect(eventsOf(events, 'would-deny')).toHaveLength(1);
    expect(eventsOf(events, 'would-deny')[0]?.denial.refusals).toMatchObject([
      { budget: 'watched' },
    ]);
  });

  test('makes no call smaller, where another budget does', async () => {
    const { guard } = benchOf([watched('0.0001'), usdBudget('0.0015')]);
    const call = await admit(guard, callOf(200, { minOutputTokens: 10 }));
    expect(call.admittedOutputTokens).toBe(150);
    const alone = benchOf([watched('0.0001')]).guard;
    const whole = await admit(alone, callOf(200, { minOutputTokens: 10 }));
    expect(whole.admittedOutputTokens).toBe(200);
  });

  test('cuts no stream, and says once that it would have', async () => {
    const { guard, events } = benchOf([watched('0.001')], { estimate: 'none' });
    const call = await admit(guard, callOf(100));
    for (let chunk = 0; chunk < 5; chunk += 1) expect(await call.meter({ text: TEXT })).toBe(true);
    expect(eventsOf(events, 'would-deny')).toMatchObject([
      { id: call.id, provider: 'acme', denial: { refusals: [{ kind: 'too-large' }] } },
    ]);
  });

  test('refuses nothing either when it is blocked', async () => {
    const { guard, events } = benchOf([watched('1', { block: true })]);
    await admit(guard, callOf(1));
    expect(eventsOf(events, 'would-deny')[0]?.denial.refusals[0]?.kind).toBe('blocked');
  });

  test('applies to its exceptions', async () => {
    const overrides = [{ match: { user: 'vip' }, limit: { usd: '0.002' } }];
    const { guard, events } = benchOf([watched('0.001', { overrides })]);
    await admit(guard, callOf(201, { identity: { user: 'vip' } }));
    expect(eventsOf(events, 'would-deny')[0]?.denial.refusals).toMatchObject([
      { limitFrom: 'override user=vip', limit: 2_000_000 },
    ]);
  });

  test('enforced later, what was spent in the shadow counts', async () => {
    const { guard, sink, clock } = benchOf([watched('0.001')]);
    await (await admit(guard, callOf(100))).settle(cost(1_000_000));
    const { mode: _, ...enforced } = watched('0.001');
    expect(await denialFor(benchOf([enforced], { sink, clock }).guard, callOf(1))).toMatchObject({
      refusals: [{ kind: 'spent', committed: 1_000_000 }],
    });
  });
});

test('a mode that there is not', () => {
  expect(() => defineBudgets([{ ...watched('1'), mode: 'dry' }])).toThrow(
    'mode: write enforce or shadow',
  );
});
