import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatUsd, usd } from '../src/index.ts';
import { ceilToNano, formatAmount, isAmount, MAX_AMOUNT } from '../src/money.ts';

describe('usd reads a decimal by its digits', () => {
  test.each([
    ['0', 0],
    ['1', 1_000_000_000],
    ['12.50', 12_500_000_000],
    ['0.18', 180_000_000],
    ['5.', 5_000_000_000],
    [' 5.00 ', 5_000_000_000],
    ['000.1', 100_000_000],
    ['0.000000001', 1],
    ['9000000', MAX_AMOUNT],
    // As a product of floats these are 1_100_000_000.0000002 and 57_999_999.99999999.
    ['1.1', 1_100_000_000],
    ['0.058', 58_000_000],
  ])('"%s" is %i nano-USD', (text, nano) => {
    expect(usd(text)).toBe(nano);
  });

  test('a cap rounds down: what is finer than a nano-USD is dropped', () => {
    expect(usd('0.0000000019')).toBe(1);
    expect(usd('0.9999999999999')).toBe(999_999_999);
  });

  test.each([
    '',
    ' ',
    '.5',
    '-1',
    '+1',
    '1e3',
    '1,50',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '1.2.3',
  ])('"%s" is no amount', (text) => {
    expect(() => usd(text)).toThrow(RangeError);
    expect(() => usd(text)).toThrow(/plain decimal such as "12.50"/);
  });

  test('what a double cannot hold is refused, not rounded', () => {
    expect(() => usd('9007199.254740993')).toThrow(/cannot be kept exactly.*9000000 USD/);
    expect(usd('9007199.254740991')).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('formatUsd', () => {
  test.each([
    [0, '$0.00'],
    [1, '$0.000000001'],
    [123_000, '$0.000123'],
    [180_000_000, '$0.18'],
    [1_200_000_000, '$1.20'],
    [-50_000_000, '-$0.05'],
    [1_234_567_890_123, '$1234.567890123'],
  ])('%i nano-USD is %s', (nano, text) => {
    expect(formatUsd(nano)).toBe(text);
  });

  test('is the inverse of usd for every amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_AMOUNT }), (nano) => {
        expect(usd(formatUsd(nano).slice(1))).toBe(nano);
      }),
    );
  });

  test('other units are named', () => {
    expect(formatAmount(180_000_000, 'usd')).toBe('$0.18');
    expect(formatAmount(1_200, 'tokens')).toBe('1200 tokens');
    expect(formatAmount(3, 'requests')).toBe('3 requests');
    expect(formatAmount(4, 'concurrent')).toBe('4 calls');
  });
});

describe('amounts', () => {
  test.each([0, 1, MAX_AMOUNT])('%d is one', (value) => {
    expect(isAmount(value)).toBe(true);
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, MAX_AMOUNT + 1, '1', null, undefined])(
    '%s is none',
    (value) => {
      expect(isAmount(value)).toBe(false);
    },
  );

  test('pico-USD round up, and only when there is something to round', () => {
    expect([0, 1, 999, 1_000, 1_001].map(ceilToNano)).toEqual([0, 1, 1, 1, 2]);
  });
});

describe('case C-65, C-66: sums are exact', () => {
  test('0.4 three times is 1.2', () => {
    expect(usd('0.4') * 3).toBe(usd('1.2'));
    expect(0.4 + 0.4 + 0.4).not.toBe(1.2);
  });

  test('0.1 added ten million times meets the cap to the last unit', () => {
    const tenth = usd('0.1');
    let sum = 0;
    for (let added = 0; added < 10_000_000; added += 1) sum += tenth;
    expect(sum).toBe(usd('1000000'));
  });
});
