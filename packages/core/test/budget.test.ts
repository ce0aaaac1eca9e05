import { describe, expect, test } from 'vitest';
import { type Budget, ConfigError, defineBudgets } from '../src/index.ts';

const DAILY = { name: 'daily', per: ['user'], limit: { usd: '5' }, window: { calendar: 'day' } };

function problemOf(budgets: unknown): string {
  try {
    defineBudgets(budgets);
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('The budgets were taken.');
}

/** What is wrong with a budget named `daily` that is otherwise sound. */
function problemWith(fields: Readonly<Record<string, unknown>>): string {
  const message = problemOf([DAILY, { ...DAILY, name: 'odd', ...fields }]);
  expect(message).toContain('Budget "odd": ');
  expect(message).not.toContain('"daily"');
  return message;
}

describe('budgets that are sound', () => {
  const budgets: Budget[] = [
    {
      name: 'user-daily',
      per: ['user'],
      limit: { usd: '5.00' },
      window: { calendar: 'day', timeZone: 'America/New_York' },
      warnAt: [0.5, 0.8],
    },
    { name: 'org-monthly', per: ['org'], limit: { usd: '300' }, window: { calendar: 'month' } },
    { name: 'tpm', per: ['user'], limit: { tokens: 200_000 }, window: { fixed: '1m' } },
    { name: 'out', per: ['user'], limit: { tokens: 9, count: 'output' }, window: { fixed: '1m' } },
    { name: 'run', per: ['run'], limit: { usd: '1.00' }, window: 'total', onUnknown: 'release' },
    {
      name: 'opus-weekly',
      per: ['org'],
      limit: { usd: '50' },
      window: { rolling: '7d', resolution: '1h' },
      match: { model: 'claude-opus-*' },
      attribute: 'settle',
      onExpiry: 'release',
    },
    { name: 'parallel', per: ['user'], limit: { concurrent: 4 }, window: 'total' },
    { name: 'counted', per: [], limit: { requests: 'unlimited' }, window: 'total' },
    { name: 'closed', per: ['org'], window: 'total', block: true },
  ];

  test('come back as they are', () => {
    expect(defineBudgets(budgets)).toEqual(budgets);
  });

  test('survive JSON, and are taken again', () => {
    const defined = defineBudgets(budgets);
    const reread: unknown = JSON.parse(JSON.stringify(defined));
    expect(reread).toEqual(defined);
    expect(defineBudgets(reread)).toEqual(defined);
  });

  test('`unlimited` and amounts as numbers get their normal form, which is taken again', () => {
    const [open, priced] = defineBudgets([
      { ...DAILY, limit: 'unlimited' },
      { ...DAILY, name: 'priced', limit: { usd: 12.5 } },
    ]);
    expect(open?.limit).toEqual({ usd: 'unlimited' });
    expect(priced?.limit).toEqual({ usd: '12.5' });
    expect(defineBudgets([open, priced])).toEqual([open, priced]);
  });

  test('there may be none', () => {
    expect(defineBudgets([])).toEqual([]);
  });
});

describe('case C-22, C-90: a limit that limits nothing is never taken', () => {
  const ADVICE =
    'Write `unlimited` to count without a limit, or `block: true` to refuse every call.';

  test.each([
    [0, '0 is not a limit'],
    [-1, '-1 is not a limit'],
    [Number.NaN, 'NaN is not a limit'],
    [null, 'null is not a limit'],
    ['none', '"none" is not a limit'],
    ['', '"" is not a limit'],
    [true, 'true is not a limit'],
    [[5], '[5] is not a limit'],
    [{}, 'a limit has exactly one unit'],
    [{ usd: '5', tokens: 5 }, 'a limit has exactly one unit'],
    [{ usd: '0' }, '0 USD is no limit one can spend from'],
    [{ usd: 0 }, '0 USD is no limit one can spend from'],
    [{ usd: '0.0000000009' }, '0.0000000009 USD is no limit one can spend from'],
    [{ usd: '-5' }, '-5 USD is negative'],
    [{ usd: Number.NaN }, '"NaN" is not an amount in USD'],
    [{ usd: Number.POSITIVE_INFINITY }, '"Infinity" is not an amount in USD'],
    [{ usd: 'none' }, '"none" is not an amount in USD'],
    [{ usd: null }, 'null is not an amount in USD'],
    [{ tokens: 0 }, '0 is not a number of tokens'],
    [{ tokens: -1 }, '-1 is not a number of tokens'],
    [{ tokens: Number.NaN }, 'NaN is not a number of tokens'],
    [{ tokens: null }, 'null is not a number of tokens'],
    [{ tokens: '200k' }, '"200k" is not a number of tokens'],
    [{ requests: 0 }, '0 is not a number of requests'],
    [{ requests: 1.5 }, '1.5 is not a number of requests'],
    [{ concurrent: 0 }, '0 is not a number of concurrent'],
  ])('%j', (limit, problem) => {
    const message = problemWith({ limit });
    expect(message).toContain(`limit: ${problem}`);
    expect(message).toContain(ADVICE);
  });

  test('one that is missing', () => {
    expect(problemWith({ limit: undefined })).toContain(
      'limit: is missing. Write { usd: "5.00" }, `unlimited`, or `block: true` on the budget.',
    );
  });

  test('one beyond what is counted exactly', () => {
    expect(problemWith({ limit: { usd: '9000000.01' } })).toContain(
      '9000000.01 USD is above 9000000, where amounts are no longer exact. Write less',
    );
    expect(problemWith({ limit: { usd: '99999999' } })).toContain('The largest cap is 9000000 USD');
    expect(problemWith({ limit: { tokens: 9_000_000_000_000_002 } })).toContain(
      '9000000000000002 tokens is above 9000000000000000, where amounts are no longer exact',
    );
    expect(defineBudgets([{ ...DAILY, limit: { usd: '9000000' } }])).toHaveLength(1);
  });
});

describe('case C-06: the unit of a limit', () => {
  test('is one of four', () => {
    expect(problemWith({ limit: { eur: '5' } })).toMatch(/"eur" is not a unit. Write one of.*usd/);
  });

  test('`count` belongs to tokens and is one of four', () => {
    expect(problemWith({ limit: { requests: 5, count: 'input' } })).toContain(
      '`count` belongs to a limit in tokens, not to one in requests',
    );
    expect(problemWith({ limit: { tokens: 5, count: 'inputs' } })).toContain(
      '`count` is one of total, input, output, uncached; "inputs" is none',
    );
  });
});

describe('calls at the same time', () => {
  const limit = { concurrent: 4 };

  test('have no window but the total', () => {
    expect(problemWith({ limit, window: { fixed: '1m' } })).toContain(
      'window: calls at the same time are counted as they run: write `window: total`',
    );
  });

  test('are a number, and are never charged', () => {
    const unlimited = { limit: { concurrent: 'unlimited' }, window: 'total' };
    expect(problemWith(unlimited)).toContain('Remove the budget instead');
    expect(problemWith({ limit, window: 'total', onExpiry: 'charge' })).toContain(
      'always `release`',
    );
  });
});

describe('windows', () => {
  test.each([
    [{ fixed: '1mo' }, 'window.fixed: "1mo" is not a duration', '{ calendar: month }'],
    [{ rolling: '7days' }, 'window.rolling: "7days" is not a duration', 'Write "7d"'],
    [{ calendar: 'day', timeZone: 'Mars/Base' }, '"Mars/Base" is not a known time zone', 'IANA'],
    [{ calendar: 'month', anchorDay: 32 }, '32 is not a day of a month', 'from 1 to 31'],
    [{ fixed: '0s' }, '"0s" is no time at all', 'Write a length such as "1m"'],
    [undefined, 'window: nothing is not a window', 'Write `{ fixed: 1m }`'],
  ])('%j', (window, problem, advice) => {
    const message = problemWith({ window });
    expect(message).toContain(problem);
    expect(message).toContain(advice);
    expect(message).not.toContain('window: window');
  });
});
