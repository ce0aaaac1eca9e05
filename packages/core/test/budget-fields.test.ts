import { describe, expect, test } from 'vitest';
import { ConfigError, createSpendGuard, defineBudgets } from '../src/index.ts';
import { PRICES } from './support/prices.ts';

const DAILY = { name: 'daily', per: ['user'], limit: { usd: '5' }, window: 'total' };

function messageOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('It was taken.');
}

describe('case C-87: what is misspelt is not passed over', () => {
  test('a field that no budget has', () => {
    expect(messageOf(() => defineBudgets([{ ...DAILY, limits: '5', fallBack: 1 }]))).toMatch(
      /Budget "daily": has no field "limits", "fallBack". It has name, per, limit/,
    );
  });

  test('an option that the guard does not have', () => {
    const options = { budgets: [], unbudgetted: 'allow' };
    expect(messageOf(() => createSpendGuard(options as never))).toMatch(
      /has no field "unbudgetted". It has budgets, sink, prices.*unbudgeted/,
    );
  });
});

describe('fields of a budget', () => {
  test.each([
    [{ name: 'a|b' }, 'Budget "a|b": name: a name has up to 64 letters, digits'],
    [{ name: '' }, 'starts with a letter or digit'],
    [{ name: undefined }, 'Budget number 1: name: a name is a string such as "user-daily"'],
    [
      { per: undefined },
      'per: write the dimensions that have accounts of their own, such as [user]',
    ],
    [{ per: 'user' }, '[] is one for all'],
    [{ per: ['user', 'user'] }, 'per: names a dimension twice: user, user'],
    [{ per: ['constructor'] }, 'per.0: this dimension cannot be told from a property'],
    [{ per: ['us er'] }, 'per.0: a name has up to 64 letters'],
    [{ per: [...'abcdefghi'] }, 'at most 8 dimensions'],
    [{ match: { model: '' } }, 'match.model: an empty pattern matches nothing: write "*"'],
    [{ match: { model: 5 } }, 'match.model: a pattern is a string such as "claude-opus-*"'],
    [{ match: 'claude-*' }, 'match: write { model: "claude-opus-*" }'],
    [{ warnAt: [80] }, 'warnAt.0: a share is above 0 and at most 1: write 0.8 for 80 %'],
    [{ warnAt: [0] }, 'a share is above 0'],
    [{ warnAt: [Number.NaN] }, 'a share is above 0'],
    [{ warnAt: 0.8 }, 'warnAt: write a list of shares, such as [0.8]'],
    [{ attribute: 'start' }, 'attribute: write reserve or settle'],
    [{ onExpiry: 'keep' }, 'onExpiry: write charge or release'],
    [{ onUnknown: 'keep' }, 'onUnknown: write charge or release'],
    [{ block: 'yes' }, 'block: write true or false'],
  ])('%j', (fields, problem) => {
    expect(messageOf(() => defineBudgets([{ ...DAILY, ...fields }]))).toContain(problem);
  });

  test('two budgets cannot have one name', () => {
    const message = messageOf(() => defineBudgets([DAILY, { ...DAILY, per: ['org'] }]));
    expect(message).toContain(
      'two budgets are named "daily". A name belongs to one budget: rename one',
    );
  });

  test('every problem is named, each with its budget', () => {
    const message = messageOf(() =>
      defineBudgets([
        { ...DAILY, limit: 0 },
        { ...DAILY, name: 'other', window: { fixed: '1mo' } },
      ]),
    );
    expect(message).toMatch(/Budget "daily": limit:.*Budget "other": window\.fixed:/);
  });

  test('budgets are a list of objects', () => {
    expect(messageOf(() => defineBudgets({ daily: DAILY }))).toContain('write a list of budgets');
    expect(messageOf(() => defineBudgets(undefined))).toContain('write a list of budgets');
    expect(messageOf(() => defineBudgets([null]))).toContain(
      'Budget number 1: write an object with name, per',
    );
  });
});

describe('options of the guard', () => {
  test.each([
    [{ sink: {} }, 'sink: write a UsageSink, such as new MemoryUsageSink()'],
    [{ prices: {} }, "prices: write createPriceBook() of '@hardcap/prices'"],
    [{ onEvent: 'log' }, 'onEvent: write a function'],
    [{ now: 5 }, 'now: write a function'],
    [{ unbudgeted: 'yes' }, 'unbudgeted: write deny or allow'],
    [{ estimate: 'all' }, 'estimate: write "ceiling", "none" or { fixed: { usd: "0.02" } }'],
    [{ estimate: { fixed: { usd: '-1' } } }, 'estimate: write "ceiling"'],
    [{ secrets: 'apiKey' }, 'secrets: write a list of dimensions'],
    [{ identity: { user: 5 } }, 'identity.user: write strings by dimension'],
    [{ reservationTtlMs: 99 }, 'reservationTtlMs: write a whole number of milliseconds from 100'],
    [{ reservationTtlMs: Number.NaN }, 'reservationTtlMs: write a whole number'],
    [
      { maxCallMs: 86_400_001 },
      'maxCallMs: write a whole number of milliseconds from 100 to 86400000',
    ],
    [{ budgets: undefined }, 'write a list of budgets'],
  ])('%j', (options, problem) => {
    const make = () => createSpendGuard({ budgets: [], prices: PRICES, ...options } as never);
    expect(messageOf(make)).toContain(problem);
  });

  test('are an object', () => {
    expect(messageOf(() => createSpendGuard(null as never))).toContain(
      'write an object with budgets',
    );
  });

  test('a budget in USD needs prices, and the message says whose', () => {
    const message = messageOf(() => createSpendGuard({ budgets: defineBudgets([DAILY]) }));
    expect(message).toContain('Budget "daily" is in USD');
    expect(message).toContain("`prices: createPriceBook()` from '@hardcap/prices'");
  });

  test('a budget in other units needs none', () => {
    const budgets = defineBudgets([{ ...DAILY, limit: { tokens: 5 } }]);
    expect(() => createSpendGuard({ budgets })).not.toThrow();
  });
});
