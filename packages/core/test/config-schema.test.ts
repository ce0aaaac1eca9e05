import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../src/config.ts';
import { configJsonSchema } from '../src/config-json-schema.ts';

const FILE = new URL('../schema/hardcap.schema.json', import.meta.url);
const published: Record<string, unknown> = JSON.parse(readFileSync(FILE, 'utf8'));
const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(published);

/** A budget that is sound but for what is given. */
function budgetWith(fields: Readonly<Record<string, unknown>>): unknown {
  const sound = { name: 'a', per: ['user'], limit: { usd: '5.00' }, window: 'total' };
  return { budgets: [{ ...sound, ...fields }] };
}

test('the published schema is the one of this code: `npm run schema` writes it', () => {
  expect(published).toEqual(configJsonSchema());
});

describe('what a guard takes, the schema takes', () => {
  test.each([
    ['every limit', 'usd', '{ usd: "5.00" }'],
    ['tokens', 'tokens', '{ tokens: 200000, count: output }'],
    ['requests without a limit', 'requests', '{ requests: unlimited }'],
    ['calls at the same time', 'concurrent', '{ concurrent: 4 }'],
    ['no limit', 'unlimited', 'unlimited'],
    ['a limit by reference', 'reference', '{ tokens: "${TPM}" }'],
    ['money by reference', 'money', '{ usd: "${CAP:-5}" }'],
  ])('%s', (_, name, limit) => {
    const text = `budgets: [{ name: ${name}, per: [], limit: ${limit}, window: total }]`;
    expect(() => loadConfig(text, { environment: { TPM: '5' } })).not.toThrow();
    expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
  });

  test.each([
    'total',
    '{ fixed: 1m }',
    '{ calendar: day, timeZone: Asia/Tokyo }',
    '{ calendar: week, weekStart: sunday }',
    '{ calendar: month, anchorDay: 15 }',
    '{ rolling: 7d, resolution: 1h }',
  ])('window %s', (window) => {
    const text = `budgets: [{ name: a, per: [], limit: { usd: "5" }, window: ${window} }]`;
    expect(() => loadConfig(text)).not.toThrow();
    expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
  });

  test('every option', () => {
    const config = {
      $schema: './hardcap.schema.json',
      budgets: [
        {
          ...{ name: 'a', per: ['user'], limit: { usd: '5.00' }, window: 'total', warnAt: [0.8] },
          ...{ match: { model: 'claude-*' }, attribute: 'settle', onExpiry: 'release' },
          ...{ onUnknown: 'release', block: false },
        },
        { name: 'closed', per: [], window: 'total', block: '${CLOSED}' },
      ],
      ...{ identity: { org: 'acme' }, unbudgeted: 'allow', secrets: ['session'] },
      ...{ estimate: { fixed: { usd: '0.02' } }, reservationTtlMs: 60_000, maxCallMs: '${MAX}' },
      ...{ unsentLimit: 100, journal: '/var/lib/app/hardcap' },
      prices: {
        overrides: {
          'a/b': {
            ...{ input: '1', output: '2', reasoning: '3', fees: { webSearch: '0.01' } },
            ...{ tiers: [{ aboveInputTokens: 5, input: '1', output: '2' }], contextTokens: 9 },
          },
        },
        ...{ aliases: { 'a/c': 'a/b' }, free: ['ollama/*'], multipliers: { 'a/*': '1.1' } },
        unknownModel: { ceiling: { input: '10', output: '50' } },
      },
    };
    const environment = { CLOSED: 'true', MAX: '5000' };
    expect(() => loadConfig(config, { environment })).not.toThrow();
    expect([validate(config), validate.errors]).toEqual([true, null]);
  });

  test('unknown models that are not counted', () => {
    const config = { budgets: [], prices: { unknownModel: 'uncounted' } };
    expect(loadConfig(config)).toEqual(config);
    expect([validate(config), validate.errors]).toEqual([true, null]);
  });
});

test.each([
  ['nothing', null],
  ['a list', []],
  ['no budgets', {}],
  ['another option', { budgets: [], colour: 'red' }],
  ['an option that is code', { budgets: [], onEvent: 'log' }],
  ['another estimate', { budgets: [], estimate: 'guess' }],
  ['another word for unknown models', { budgets: [], prices: { unknownModel: 'free' } }],
  [
    'a ceiling with half a point',
    { budgets: [], prices: { unknownModel: { ceiling: { input: '1.', output: '2' } } } },
  ],
  ['half a ceiling', { budgets: [], prices: { unknownModel: { ceiling: { input: '1' } } } }],
  ['a number for money held', { budgets: [], estimate: { fixed: { usd: 0.02 } } }],
  ['another word', { budgets: [], unbudgeted: 'maybe' }],
  ['a text for a list', { budgets: [], secrets: 'session' }],
  ['a number for a dimension', { budgets: [], identity: { org: 1 } }],
  ['a span too short', { budgets: [], maxCallMs: 1 }],
  ['a path that is none', { budgets: [], journal: '' }],
  ['a budget without a name', { budgets: [{ per: [], limit: 'unlimited', window: 'total' }] }],
  ['a name that is none', budgetWith({ name: 'a b' })],
  ['a text for dimensions', budgetWith({ per: 'user' })],
  ['nine dimensions', budgetWith({ per: [...'abcdefghi'] })],
  ['a field misspelt', budgetWith({ warnat: [0.8] })],
  ['a number for money', budgetWith({ limit: { usd: 5 } })],
  ['negative money', budgetWith({ limit: { usd: '-5' } })],
  ['two units', budgetWith({ limit: { usd: '5', tokens: 5 } })],
  ['no unit', budgetWith({ limit: {} })],
  ['another unit', budgetWith({ limit: { euro: '5' } })],
  ['no tokens', budgetWith({ limit: { tokens: 0 } })],
  ['a fraction of a request', budgetWith({ limit: { requests: 1.5 } })],
  ['calls without end', budgetWith({ limit: { concurrent: 'unlimited' } })],
  ['another count', budgetWith({ limit: { tokens: 5, count: 'all' } })],
  ['another window', budgetWith({ window: 'week' })],
  ['two windows', budgetWith({ window: { fixed: '1m', rolling: '1m' } })],
  ['a duration that is none', budgetWith({ window: { fixed: '1month' } })],
  ['another calendar', budgetWith({ window: { calendar: 'hour' } })],
  ['an anchor that is none', budgetWith({ window: { calendar: 'month', anchorDay: 32 } })],
  ['a zone of a fixed window', budgetWith({ window: { fixed: '1d', timeZone: 'UTC' } })],
  ['a share in per cent', budgetWith({ warnAt: [80] })],
  ['an empty pattern', budgetWith({ match: { model: '' } })],
  ['a word for yes', budgetWith({ block: 'yes' })],
  ['a number for a price', { budgets: [], prices: { multipliers: { 'a/*': 1.1 } } }],
  ['half a price', { budgets: [], prices: { overrides: { 'a/b': { input: '1' } } } }],
  ['another price', { budgets: [], prices: { discount: '0.9' } }],
])('%s is taken by neither', (_, config) => {
  expect(validate(config)).toBe(false);
  expect(() => loadConfig(config)).toThrow('The configuration is not valid');
});
