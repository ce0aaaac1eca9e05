import { describe, expect, test } from 'vitest';
import { type CheckConfigOptions, checkConfig } from '../src/config.ts';
import { budgets, findingsOf, KNOWN } from './support/findings.ts';
import { bookOf, PRICES, quoteOf, ratesOf } from './support/prices.ts';

/** Mistakes: what is planted, the code of its finding, its path, and what is written. */
const PLANTED: [what: string, code: string, path: string, yaml: string][] = [
  [
    'a model that is called nowhere',
    'never-matches',
    'budgets[0].match',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, match: { model: "opus-*" }'),
  ],
  [
    'provider and model in one',
    'never-matches',
    'budgets[0].match',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, match: { model: acme/small }'),
  ],
  [
    'a dimension that nobody has',
    'unknown-dimension',
    'budgets[0].per',
    budgets('name: a, per: [team], limit: { usd: "5" }, window: total'),
  ],
  [
    'a match on a dimension that nobody has',
    'unknown-dimension',
    'budgets[0].match.team',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, match: { team: red }'),
  ],
  [
    'a pattern that says nothing',
    'match-anything',
    'budgets[0].match.model',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, match: { model: "*" }'),
  ],
  [
    'names that look the same',
    'similar-names',
    'budgets[1].name',
    budgets(
      'name: user-daily, per: [user], limit: { usd: "5" }, window: total',
      'name: userDaily, per: [user], limit: { requests: 5 }, window: total',
    ),
  ],
  [
    'a budget twice',
    'duplicate-budget',
    'budgets[1]',
    budgets(
      'name: a, per: [org, user], limit: { usd: "5" }, window: { fixed: 1h }',
      'name: b, per: [user, org], window: { fixed: 1h }, limit: { usd: "5" }, warnAt: [0.5]',
    ),
  ],
  [
    'a daily limit above what the hours let through',
    'never-reached',
    'budgets[1].limit',
    budgets(
      'name: hourly, per: [user], limit: { usd: "1" }, window: { fixed: 1h }',
      'name: daily, per: [user], limit: { usd: "24.01" }, window: { calendar: day, timeZone: UTC }',
    ),
  ],
  [
    'a monthly limit above what the days let through',
    'never-reached',
    'budgets[1].limit',
    budgets(
      'name: daily, per: [user], limit: { usd: "1" }, window: { calendar: day, timeZone: Asia/Tokyo }',
      'name: monthly, per: [user], limit: { usd: "32" }, window: { calendar: month, timeZone: Asia/Tokyo }',
    ),
  ],
  [
    'a share above the whole',
    'never-reached',
    'budgets[0].limit',
    budgets(
      'name: each, per: [org, user], limit: { usd: "9" }, window: { rolling: 7d }',
      'name: all, per: [org], limit: { usd: "5" }, window: { rolling: 7d }',
    ),
  ],
  [
    'a limit above one that never resets',
    'never-reached',
    'budgets[0].limit',
    budgets(
      'name: hourly, per: [run], limit: { tokens: 900, count: output }, window: { fixed: 1h }',
      'name: ever, per: [run], limit: { tokens: 500 }, window: total',
    ),
  ],
  [
    'a limit below the smallest call',
    'below-smallest-call',
    'budgets[0].limit',
    budgets('name: a, per: [], limit: { usd: "0.002" }, window: total'),
  ],
  [
    'a limit below the smallest call of the model that it is for',
    'below-smallest-call',
    'budgets[0].limit',
    budgets('name: a, per: [], limit: { usd: "0.01" }, window: total, match: { model: large }'),
  ],
  [
    'a limit below what every call holds',
    'below-smallest-call',
    'budgets[0].limit',
    `estimate: { fixed: { usd: "0.50" } }\n${budgets('name: a, per: [], limit: { usd: "0.20" }, window: total')}`,
  ],
  [
    'fewer tokens than the smallest call',
    'below-smallest-call',
    'budgets[0].limit',
    budgets('name: a, per: [], limit: { tokens: 100 }, window: { fixed: 1m }'),
  ],
  [
    'shares out of order',
    'warn-order',
    'budgets[0].warnAt',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, warnAt: [0.8, 0.5]'),
  ],
  [
    'a share twice',
    'warn-twice',
    'budgets[0].warnAt',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, warnAt: [0.8, 0.8]'),
  ],
  [
    'the limit as a share',
    'warn-at-limit',
    'budgets[0].warnAt',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, warnAt: [0.8, 1]'),
  ],
  [
    'a warning about calls at the same time',
    'warn-never',
    'budgets[0].warnAt',
    budgets('name: a, per: [], limit: { concurrent: 5 }, window: total, warnAt: [0.8]'),
  ],
  [
    'a slot of a third of the window',
    'coarse-resolution',
    'budgets[0].window.resolution',
    budgets('name: a, per: [], limit: { usd: "5" }, window: { rolling: 24h, resolution: 8h }'),
  ],
  [
    'a day without a zone',
    'no-time-zone',
    'budgets[0].window',
    budgets('name: a, per: [], limit: { usd: "5" }, window: { calendar: day }'),
  ],
  [
    'a month that is none',
    'fixed-not-calendar',
    'budgets[0].window.fixed',
    budgets('name: a, per: [], limit: { usd: "5" }, window: { fixed: 30d }'),
  ],
  [
    'a rollover without a limit',
    'rollover-never',
    'budgets[1].rollover',
    budgets(
      'name: a, per: [], limit: { usd: "5" }, window: total',
      'name: b, per: [], limit: { usd: unlimited }, rollover: { usd: "5" }, window: { fixed: 1h }',
    ),
  ],
  [
    'a rollover of more than a window has',
    'rollover-above-limit',
    'budgets[0].rollover',
    budgets('name: a, per: [], limit: { usd: "5" }, rollover: { usd: "6" }, window: { fixed: 1h }'),
  ],
  [
    'a daily limit above what the hours let through with what the hour before has left',
    'never-reached',
    'budgets[1].limit',
    budgets(
      'name: hourly, per: [user], limit: { usd: "1" }, rollover: { usd: "0.5" }, window: { fixed: 1h }',
      'name: daily, per: [user], limit: { usd: "24.51" }, window: { calendar: day, timeZone: UTC }',
    ),
  ],
  [
    'a block with a limit',
    'block-and-limit',
    'budgets[0].limit',
    budgets('name: a, per: [], limit: { usd: "5" }, window: total, block: true'),
  ],
  [
    'limits that are none',
    'nothing-capped',
    'budgets',
    budgets('name: a, per: [], limit: { requests: unlimited }, window: total'),
  ],
  [
    'calls of nobody, without a cap',
    'uncapped-anonymous',
    'unbudgeted',
    `unbudgeted: allow\n${budgets('name: a, per: [user], limit: { usd: "5" }, window: total')}`,
  ],
  ['no budgets at all', 'refuses-everything', 'budgets', 'budgets: []'],
];

describe('a planted mistake is found, and nothing else', () => {
  test.each(PLANTED)('%s', (_, code, path, yaml) => {
    const found = findingsOf(yaml);
    expect(found.map((finding) => [finding.code, finding.path])).toEqual([[code, path]]);
    expect(found[0]?.message).not.toMatch(/undefined|NaN|\.$/);
    expect(found[0]?.advice).not.toMatch(/undefined|NaN|\.$/);
  });

  test('a secret that everybody can read', () => {
    const yaml = `identity: { session-token: abc }\n${budgets(
      'name: a, per: [authKey], limit: { usd: "5" }, window: total',
      'name: b, per: [authKey], limit: { requests: 5 }, window: total',
    )}`;
    const found = findingsOf(yaml, { ...KNOWN, dimensions: ['authKey'] });
    expect(found.map(({ code, path }) => [code, path])).toEqual([
      ['readable-secret', 'budgets[0].per'],
      ['readable-secret', 'identity.session-token'],
    ]);
    const hashed = findingsOf(`secrets: [authKey, session-token]\n${yaml}`, {
      ...KNOWN,
      dimensions: ['authKey'],
    });
    expect(hashed).toEqual([]);
  });

  test('a pattern for a secret, which only its hash can match', () => {
    const of = (pattern: string) =>
      findingsOf(
        budgets(
          `name: a, per: [], limit: { usd: "5" }, window: total, match: { apiKey: "${pattern}" }`,
        ),
        { ...KNOWN, dimensions: ['apiKey'] },
      ).map(({ code }) => code);
    expect(of('sk-*')).toEqual(['secret-pattern']);
    expect(of('0123456789abcdef')).toEqual([]);
    expect(of('*')).toEqual([]);
  });

  test('a model without a price', () => {
    const yaml = budgets('name: a, per: [], limit: { usd: "5" }, window: total');
    const found = findingsOf(yaml, { ...KNOWN, models: ['acme/small', 'acme/odd'] });
    expect(found).toMatchObject([{ code: 'unpriced-model', path: 'budgets[0]', budget: 'a' }]);
    expect(found[0]?.message).toContain('acme/odd');
    expect(found[0]?.advice).toContain('overrides');
  });

  test('money without prices', () => {
    const yaml = budgets('name: a, per: [], limit: { usd: "5" }, window: total');
    expect(findingsOf(yaml, {})).toMatchObject([
      { code: 'usd-without-prices', severity: 'error', path: 'budgets[0].limit.usd' },
    ]);
  });

  test('more budgets of one call than a call can have', () => {
    const line = (index: number, match: string) =>
      `name: b${index}, per: [], limit: { requests: ${index + 1} }, window: { fixed: ${index + 1}s }${match}`;
    const many = (match: (index: number) => string) =>
      findingsOf(budgets(...Array.from({ length: 33 }, (_, index) => line(index, match(index)))))
        .map(({ code }) => code)
        .filter((code) => code === 'too-many-budgets');
    expect(many(() => '')).toEqual(['too-many-budgets']);
    const models = (index: number) => `, match: { model: ${index % 2 ? 'small' : 'large'} }`;
    expect(many(models)).toEqual([]);
  });
});

test('case C-07: a budget that no call consults is found before the start', () => {
  const consulted = 'name: a, per: [user], limit: { usd: "5" }, window: total';
  for (const other of ['per: [team]', 'per: [user], match: { model: "opus-*" }']) {
    const yaml = budgets(consulted, `name: b, ${other}, limit: { usd: "1" }, window: total`);
    expect(findingsOf(yaml).map(({ budget, severity }) => [budget, severity])).toEqual([
      ['b', 'warning'],
    ]);
  }
});

describe('case C-58: prices that are more than 90 days old', () => {
  const DAY_MS = 86_400_000;
  const yaml = budgets('name: a, per: [user], limit: { usd: "5" }, window: total');
  const found = (days: number, others: CheckConfigOptions = {}) => {
    const prices = { ...PRICES, asOf: 50 * DAY_MS };
    return findingsOf(yaml, { ...KNOWN, prices, now: () => (50 + days) * DAY_MS, ...others });
  };

  test('are told', () => {
    expect(found(90.9)).toEqual([]);
    expect(found(91)).toMatchObject([{ code: 'old-prices', budget: 'a', severity: 'warning' }]);
    const { models: _, ...unsaid } = KNOWN;
    expect(findingsOf(yaml, { ...unsaid, now: () => 0 })).toEqual([]);
  });

  test('do not matter where none of them is used', () => {
    const basis = 'configured';
    const prices = { asOf: 0, ...bookOf({ small: quoteOf(ratesOf(1, 1), { basis }) }) };
    expect(found(91, { prices, models: ['acme/small'] })).toEqual([]);
    const tokens = budgets('name: a, per: [user], limit: { tokens: 5000 }, window: total');
    expect(findingsOf(tokens, { ...KNOWN, prices: { ...PRICES, asOf: 0 } })).toEqual([]);
  });
});

test('case C-89: a rule that can never match is told, with what there is instead', () => {
  const yaml = budgets('name: a, per: [usr], limit: { usd: "5" }, window: total');
  const [finding] = findingsOf(yaml);
  expect(finding?.code).toBe('unknown-dimension');
  expect(finding?.message).toContain('"usr"');
  expect(finding?.advice).toContain('org, user, run');
});

test('errors come before warnings, and warnings before what may be meant', () => {
  const yaml = budgets(
    'name: a, per: [], limit: { usd: "0.001" }, window: { calendar: day }, match: { model: "*" }',
    'name: b, per: [usr], limit: { usd: "5" }, window: total',
  );
  const severities = findingsOf(yaml).map(({ severity }) => severity);
  expect(severities).toEqual(['error', 'warning', 'info', 'info']);
});

test('a configuration that is not valid, and a model that is none, are refused', () => {
  const config = { budgets: [{ name: 'a', per: [], window: 'total' as const }] };
  expect(() => checkConfig(config)).toThrow('Budget "a": limit: is missing');
  expect(() => checkConfig({ budgets: [] }, { models: ['gpt'] })).toThrow('"gpt" is not a model');
});
