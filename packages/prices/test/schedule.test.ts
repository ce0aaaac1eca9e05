import { describe, expect, test } from 'vitest';
import { createPriceBook } from '../src/index.ts';
import { type PriceRow, priceAt, rowTimeOf } from '../src/price-schedule.ts';
import { completeRates } from '../src/token-rates.ts';
import { perMtok, quote } from './books.ts';

const at = (text: string) => Date.parse(text);

describe('prices by the time of day', () => {
  test.each([
    ['2026-11-30T00:59:59.999Z', 0.22],
    ['2026-11-30T01:00:00.000Z', 0.44],
    ['2026-11-30T03:59:59.999Z', 0.44],
    ['2026-11-30T04:00:00.000Z', 0.22],
    ['2026-11-30T06:00:00.000Z', 0.44],
    ['2026-11-30T10:00:00.000Z', 0.22],
    // Before its price rise of 2026-08-17.
    ['2026-08-16T12:00:00.000Z', 0.14],
  ])('deepseek-v4-flash at %s: $%d', (time, input) => {
    expect(perMtok(quote('deepseek', 'deepseek-v4-flash', at(time)).snapshot.rates.input)).toBe(
      input,
    );
  });

  test('a call that starts at the low price holds the high one, which it may reach', () => {
    const { snapshot, dearest } = quote('deepseek', 'deepseek-v4-pro', at('2026-11-30T12:00:00Z'));
    expect([perMtok(snapshot.rates.output), perMtok(dearest.rates.output)]).toEqual([1.98, 3.96]);
    expect(perMtok(dearest.rates.cacheRead)).toBe(0.044);
  });
});

describe('prices that start on a date', () => {
  const rates = (time: string) => {
    const { snapshot, dearest } = quote('google', 'gemini-3.6-flash', at(time));
    return [perMtok(snapshot.rates.input), perMtok(dearest.rates.input)];
  };

  test.each([
    ['2026-12-30T23:59:59.999Z', [0.75, 0.75]],
    ['2026-12-31T00:00:00.000Z', [0.75, 1.5]],
    ['2026-12-31T23:59:59.999Z', [0.75, 1.5]],
    ['2027-01-01T00:00:00.000Z', [1.5, 1.5]],
  ])('gemini-3.6-flash at %s: $%j', (time, expected) => {
    expect(rates(time)).toEqual(expected);
  });

  test('a price that is about to fall holds the higher one until it has', () => {
    const { snapshot, dearest } = quote('openai', 'gpt-5.6-sol', at('2026-08-20T18:00:00Z'));
    expect([perMtok(snapshot.rates.input), perMtok(dearest.rates.input)]).toEqual([5, 5]);
    expect(perMtok(quote('openai', 'gpt-5.6-sol').dearest.rates.input)).toBe(4);
  });

  test('tiers that go away stay in the dearest while they can be reached', () => {
    const before = quote('anthropic', 'claude-opus-4-6', at('2026-03-12T12:00:00Z'));
    expect(before.snapshot.tiers).toHaveLength(1);
    expect(before.dearest.tiers?.[0]?.rates.input).toBe(10e6);
    expect(quote('anthropic', 'claude-opus-4-6').dearest.tiers).toBeUndefined();
  });
});

describe('an answer is remembered for as long as it holds', () => {
  test.each([
    ['deepseek', 'deepseek-v4-flash', '2026-11-30T00:00:00Z', 26 * 3_600_000, 60_000],
    ['google', 'gemini-3.8-flash', '2026-12-29T22:00:00Z', 74 * 3_600_000, 600_000],
    ['openai', 'gpt-5.6-luna', '2026-07-28T22:00:00Z', 74 * 3_600_000, 600_000],
    ['anthropic', 'claude-sonnet-4-6', '2026-03-11T00:00:00Z', 74 * 3_600_000, 600_000],
  ])(
    '%s %s: a warm book answers as a new one does, whatever came before',
    (provider, model, start, span, step) => {
      const warm = createPriceBook();
      const times = Array.from({ length: span / step }, (_, index) => at(start) + index * step);
      // Forwards, backwards, and from end to end.
      const zigzag = times.map(
        (time, index) => (index % 2 ? times[times.length - index] : time) ?? time,
      );
      for (const time of [...times, ...times.toReversed(), ...zigzag]) {
        const request = { provider, model, at: time };
        expect(warm.quote(request)).toEqual(createPriceBook().quote(request));
      }
    },
  );

  test('and not any longer: to the millisecond', () => {
    const book = createPriceBook();
    const ask = (time: number) =>
      perMtok(
        book.quote({ provider: 'google', model: 'gemini-3.7-flash', at: time }).snapshot.rates
          .input,
      );
    const change = at('2027-01-01T00:00:00Z');
    expect([change - 1, change, change - 1, change].map(ask)).toEqual([0.75, 1.5, 0.75, 1.5]);
  });

  test('as the same object, which costs nothing', () => {
    const book = createPriceBook();
    const ask = (time: string) =>
      book.quote({ provider: 'deepseek', model: 'deepseek-v4-pro', at: at(time) });
    expect(ask('2026-11-30T10:00:00Z')).toBe(ask('2026-11-30T23:59:59.999Z'));
    expect(ask('2026-12-01T00:59:00Z')).not.toBe(ask('2026-12-01T01:00:00Z'));
  });
});

test('times are read with their offset from UTC', () => {
  const constraint = { start_time: '01:30:00+08:00', end_time: '04:00:00-02:30' };
  expect(rowTimeOf({ type: 'time_of_date', ...constraint })).toEqual({
    from: 17.5 * 3_600_000,
    until: 6.5 * 3_600_000,
  });
  expect(rowTimeOf({ type: 'start_date', start_date: '2027-01-01' })).toEqual({
    startsAt: at('2027-01-01T00:00:00Z'),
  });
});

test('a schedule may go over midnight', () => {
  const card = (input: number) => ({ card: { rates: completeRates({ input, output: 1 }, false) } });
  const rows: PriceRow[] = [
    { time: undefined, answer: card(1) },
    { time: { from: 22 * 3_600_000, until: 2 * 3_600_000 }, answer: card(2) },
  ];
  const inputAt = (time: string) => {
    const span = priceAt(rows, at(time));
    return 'current' in span ? span.current.rates.input : undefined;
  };
  expect(inputAt('2026-11-30T21:59:59Z')).toBe(1);
  expect(inputAt('2026-11-30T22:00:00Z')).toBe(2);
  expect(inputAt('2026-12-01T01:59:59Z')).toBe(2);
  expect(inputAt('2026-12-01T02:00:00Z')).toBe(1);
});
