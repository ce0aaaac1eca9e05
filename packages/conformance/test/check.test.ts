import { InvalidArgumentError } from '@hardcap/core';
import { describe, expect, test } from 'vitest';
import { ContractViolation, ensure, expectEqual, expectError, expectPart } from '../src/check.ts';

describe('expectEqual', () => {
  test.each([
    [1, 1],
    [Number.NaN, Number.NaN],
    [0, -0],
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }],
    [{ a: 1, b: undefined }, { a: 1 }],
    [[], []],
  ])('takes %j for %j', (actual, expected) => {
    expectEqual(actual, expected);
  });

  test.each([
    [1, 2, 'answer is 1 instead of 2'],
    [{ a: 1 }, { a: 1, b: 2 }, 'answer.b is undefined instead of 2'],
    [{ a: 1, b: 2 }, { a: 1 }, 'answer.b is 2 instead of undefined'],
    [[1], [1, 2], 'answer has 1 elements instead of 2'],
    [{ a: [{ b: 1 }] }, { a: [{ b: '1' }] }, 'answer.a[0].b is 1 instead of "1"'],
    [{ a: null }, { a: {} }, 'answer.a is null instead of {}'],
    [[], {}, 'answer is of another kind'],
  ])('does not take %j for %j', (actual, expected, message) => {
    expect(() => expectEqual(actual, expected)).toThrow(message);
  });

  test('gives both values to the runner', () => {
    const violation = expect(() => expectEqual({ a: 1 }, { a: 2 }));
    violation.toThrow(ContractViolation);
    violation.toThrow(expect.objectContaining({ actual: { a: 1 }, expected: { a: 2 } }));
  });
});

describe('expectPart', () => {
  test('takes objects with more, and arrays with no more', () => {
    expectPart({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ c: 2 }] });
    expect(() => expectPart({ a: 1 }, { a: 2 })).toThrow('answer.a is 1 instead of 2');
    expect(() => expectPart({ a: [1, 2] }, { a: [1] })).toThrow('2 elements instead of 1');
  });
});

describe('expectError', () => {
  const invalid = () => {
    throw new InvalidArgumentError('no');
  };

  test('takes an error that is thrown, or comes later', async () => {
    await expectError('INVALID_ARGUMENT', invalid);
    await expectError('INVALID_ARGUMENT', async () => invalid());
  });

  test('takes no other error, and no answer', async () => {
    const other = expectError('SINK_UNAVAILABLE', invalid, 'it');
    await expect(other).rejects.toThrow('it should fail with SINK_UNAVAILABLE');
    const answered = expectError('SINK_UNAVAILABLE', () => 7, 'it');
    await expect(answered).rejects.toThrow('was answered with 7');
  });
});

test('ensure says what should hold', () => {
  ensure(true, 'never said');
  expect(() => ensure(false, 'it should')).toThrow('it should');
});
