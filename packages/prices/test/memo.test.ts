import { InvalidArgumentError } from '@hardcap/core';
import { expect, test } from 'vitest';
import { createPriceBook } from '../src/index.ts';
import { QuoteMemo } from '../src/quote-memo.ts';
import { NOON, refusal } from './books.ts';

test('a miss is remembered, and is a new error for each call', () => {
  const book = createPriceBook();
  const errors = [1, 2].map(() => {
    try {
      return book.quote({ provider: 'openai', model: 'nope', at: NOON });
    } catch (error) {
      return error;
    }
  });
  expect(errors[0]).not.toBe(errors[1]);
  expect(errors[0]).toEqual(errors[1]);
});

test('one model of two providers is two entries', () => {
  const book = createPriceBook();
  const model = 'o4-mini';
  const [openai, azure] = ['openai', 'azure'].map((provider) =>
    book.quote({ provider, model, at: NOON }),
  );
  expect(openai?.snapshot.rates.cacheRead).toBe(275_000);
  expect(azure?.snapshot.rates.cacheRead).toBe(280_000);
  expect(book.quote({ provider: 'openai', model, at: NOON })).toBe(openai);
});

test('models without end do not fill the memory', () => {
  const memo = new QuoteMemo();
  const entry = { from: 0, until: 1, refusal: '' };
  for (let index = 0; index < 25_000; index++) memo.set('openai', `model-${index}`, entry);
  const kept = Array.from({ length: 25_000 }, (_, index) => memo.get('openai', `model-${index}`));
  expect(kept.filter(Boolean).length).toBeLessThanOrEqual(10_000);
  expect(memo.get('openai', 'model-24999')).toBe(entry);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d is no time', (at) => {
  const ask = () => createPriceBook().quote({ provider: 'openai', model: 'gpt-5.1', at });
  expect(ask).toThrow(InvalidArgumentError);
  expect(ask).toThrow(`at: ${at} is not a time in milliseconds since the epoch.`);
});

test('changing the options later changes nothing', () => {
  const overrides = { 'x/y': { input: '1', output: '1' } };
  const book = createPriceBook({ overrides });
  overrides['x/y'].input = '2';
  expect(book.quote({ provider: 'x', model: 'y', at: NOON }).snapshot.rates.input).toBe(1e6);
  expect(refusal(() => book.quote({ provider: 'x', model: 'z', at: NOON }))).toBeDefined();
});
