import { describe, expect, test } from 'vitest';
import { type GuardConfig, loadConfig } from '../src/config.ts';
import { createSpendGuard, defineBudgets } from '../src/index.ts';
import { budgetWith, problemOf, problemsOf } from './support/config.ts';
import { PRICES } from './support/prices.ts';

const YAML = `
# Who may spend what.
identity: { org: acme }
unbudgeted: allow
estimate: { fixed: { usd: "0.02" } }
secrets: [session]
reservationTtlMs: 60000
budgets:
  - { name: user-daily,  per: [user], limit: { usd: "5.00" },    window: { calendar: day, timeZone: America/New_York }, warnAt: [0.8] }
  - { name: tpm,         per: [user], limit: { tokens: 200000 }, window: { fixed: 1m } }
  - { name: opus-weekly, per: [org],  limit: { usd: "50" },      window: { rolling: 7d }, match: { model: "claude-opus-*" } }
  - { name: counted,     per: [],     limit: unlimited,          window: total }
prices:
  free: [ollama/*]
  aliases: { azure/mine: openai/gpt-5.1 }
  overrides:
    acme/large: { input: "1.25", output: "10", tiers: [{ aboveInputTokens: 200000, input: "2.50", output: "15" }] }
`;

const CONFIG: GuardConfig = {
  identity: { org: 'acme' },
  unbudgeted: 'allow',
  estimate: { fixed: { usd: '0.02' } },
  secrets: ['session'],
  reservationTtlMs: 60_000,
  budgets: [
    {
      name: 'user-daily',
      per: ['user'],
      limit: { usd: '5.00' },
      window: { calendar: 'day', timeZone: 'America/New_York' },
      warnAt: [0.8],
    },
    { name: 'tpm', per: ['user'], limit: { tokens: 200_000 }, window: { fixed: '1m' } },
    {
      name: 'opus-weekly',
      per: ['org'],
      limit: { usd: '50' },
      window: { rolling: '7d' },
      match: { model: 'claude-opus-*' },
    },
    { name: 'counted', per: [], limit: { usd: 'unlimited' }, window: 'total' },
  ],
  prices: {
    free: ['ollama/*'],
    aliases: { 'azure/mine': 'openai/gpt-5.1' },
    overrides: {
      'acme/large': {
        input: '1.25',
        output: '10',
        tiers: [{ aboveInputTokens: 200_000, input: '2.50', output: '15' }],
      },
    },
  },
};

describe('a configuration that is sound', () => {
  test('is the same from YAML, from JSON and from an object', () => {
    expect(loadConfig(YAML)).toEqual(CONFIG);
    expect(loadConfig(JSON.stringify(CONFIG))).toEqual(CONFIG);
    expect(loadConfig(JSON.stringify(CONFIG, null, '\t'))).toEqual(CONFIG);
    expect(loadConfig(YAML.replaceAll('\n', '\r\n'))).toEqual(CONFIG);
    expect(loadConfig(`\ufeff${YAML}`)).toEqual(CONFIG);
    expect(loadConfig(CONFIG)).toEqual(CONFIG);
  });

  test('makes a guard', async () => {
    const guard = createSpendGuard({ ...loadConfig(YAML), prices: PRICES });
    const [first] = await guard.status({ user: 'ann' });
    expect(first).toMatchObject({ account: 'user-daily|user=ann', limit: 5_000_000_000 });
    await guard.close();
  });

  test('may name its schema, which is no part of it', () => {
    const named = { $schema: './hardcap.schema.json', budgets: [] };
    expect(loadConfig(JSON.stringify(named))).toEqual({ budgets: [] });
  });

  test('may share what is said once', () => {
    const text = `budgets:
  - { name: a, per: [user], limit: { usd: "5" }, window: &day { calendar: day } }
  - { name: b, per: [org], limit: { usd: "9" }, window: *day }`;
    expect(loadConfig(text).budgets.map(({ window }) => window)).toEqual([
      { calendar: 'day' },
      { calendar: 'day' },
    ]);
  });

  test('leaves the object that it was given as it was', () => {
    const given = { budgets: [{ ...CONFIG.budgets[3], limit: { usd: '${CAP}' } }] };
    const before = structuredClone(given);
    const { budgets } = loadConfig(given, { environment: { CAP: '7' } });
    expect(budgets[0]?.limit).toEqual({ usd: '7' });
    expect(given).toEqual(before);
  });
});

describe('references to the environment', () => {
  const reference = (value: string, environment: Readonly<Record<string, string>> = {}) =>
    loadConfig({ budgets: [], identity: { org: value } }, { environment }).identity?.['org'];

  test.each([
    ['${ORG}', 'acme'],
    ['${ORG:-other}', 'acme'],
    ['${NONE:-other}', 'other'],
    ['${EMPTY:-other}', 'other'],
    ['${NONE:-}x', 'x'],
    ['${NONE:-a:-b}', 'a:-b'],
    ['team-${ORG}/${NONE:-1}', 'team-acme/1'],
    ['$${ORG}', '${ORG}'],
    ['$ORG', '$ORG'],
    ['${TRICK}', '${ORG}'],
  ])('%s is %s', (value, expected) => {
    const environment = { ORG: 'acme', EMPTY: '', TRICK: '${ORG}' };
    expect(reference(value, environment)).toBe(expected);
  });

  test('are numbers where numbers are wanted, and text elsewhere, in JSON as in YAML', () => {
    const environment = { CAP: '5.00', TPM: '2000', SHARE: '0.8', STOP: 'true', ORG: '123' };
    const yaml = `
identity: { org: "\${ORG}" }
maxCallMs: \${TPM}
budgets:
  - { name: a, per: [], limit: { usd: "\${CAP}" }, window: total, warnAt: ["\${SHARE}"] }
  - name: b
    per: []
    limit: { tokens: "\${TPM}" }
    window: total
    block: \${STOP}
  - { name: c, per: [], limit: { tokens: "\${NONE:-unlimited}" }, window: total }`;
    expect(loadConfig(yaml, { environment })).toEqual({
      identity: { org: '123' },
      maxCallMs: 2_000,
      budgets: [
        { name: 'a', per: [], limit: { usd: '5.00' }, window: 'total', warnAt: [0.8] },
        { name: 'b', per: [], limit: { tokens: 2_000 }, window: 'total', block: true },
        { name: 'c', per: [], limit: { tokens: 'unlimited' }, window: 'total' },
      ],
    });
  });

  test('are of the process where nothing else is said', () => {
    process.env['HARDCAP_TEST_ORG'] = 'acme';
    try {
      const { identity } = loadConfig({ budgets: [], identity: { org: '${HARDCAP_TEST_ORG}' } });
      expect(identity).toEqual({ org: 'acme' });
    } finally {
      delete process.env['HARDCAP_TEST_ORG'];
    }
  });

  test('cannot bring in structure', () => {
    const environment = { CAP: '5 }, window: total, block: false } #' };
    const text = budgetWith('limit: { usd: "${CAP}" }\nwindow: total');
    expect(problemOf(text, { environment })).toContain('is not an amount in USD');
  });

  test.each([
    ['${NONE}', 'the environment variable NONE is not set. Set it, or write ${NONE:-default}.'],
    ['${EMPTY}', 'the environment variable EMPTY is empty. Set it, or write ${EMPTY:-default}.'],
    ['${toString}', 'the environment variable toString is not set.'],
    ['${NO-NAME}', '${NO-NAME} is not a reference to the environment: write ${NAME}'],
    ['${', '${ is not a reference to the environment'],
    ['a ${NAME', '${NAME is not a reference to the environment'],
  ])('%s is refused, by name and line', (value, message) => {
    const text = `identity:\n  org: '${value}'\nbudgets: []`;
    const problem = problemOf(text, { environment: { EMPTY: '' } });
    expect(problem).toMatch(/^line 2, column 8 identity\.org: /);
    expect(problem).toContain(message);
  });

  test('say that they need quotes where YAML takes their brace for its own', () => {
    expect(problemOf('budgets:\n  - { name: ${NAME} }')).toContain('Write the reference in quotes');
  });
});

describe('a configuration that is not', () => {
  test('is refused as a whole: every problem at once, in order, with its place', () => {
    const text = `budgets:
  - name: a
    per: [user]
    limit: { usd: 5.00 }
    window: { fixed: 1month }
  - name: b
    per: user
    limits: { usd: "5.00" }
    window: total
  - { name: c, per: [], limit: { usd: "\${CAP}" }, window: total }
colour: red`;
    const options = { file: 'hardcap.yaml' };
    expect(problemsOf(text, options).map((line) => line.slice(0, 62))).toEqual([
      'hardcap.yaml:4:19 budgets[0].limit.usd: 5.00 is a number, and ',
      'hardcap.yaml:5:22 budgets[0].window.fixed: Budget "a": window.',
      'hardcap.yaml:7:10 budgets[1].per: Budget "b": per: write the d',
      'hardcap.yaml:8:13 budgets[1].limits: Budget "b": has no field ',
      'hardcap.yaml:10:39 budgets[2].limit.usd: the environment varia',
      'hardcap.yaml:11:9 colour: there is no colour in a configuratio',
    ]);
  });

  test('says of budgets what defineBudgets says', () => {
    const budgets = [{ name: 'odd', per: ['user', 'user'], limit: { usd: '0' }, window: 'week' }];
    let said = '';
    try {
      defineBudgets(budgets);
    } catch (error) {
      said = (error as Error).message;
    }
    const problems = problemsOf({ budgets });
    expect(problems.length).toBeGreaterThan(1);
    for (const problem of problems) {
      expect(said).toContain(problem.slice(problem.indexOf('Budget "odd"')));
    }
  });

  test.each([
    ['nothing', '', 'write an object'],
    ['a list', '- name: a', 'write an object'],
    ['no budgets', 'unbudgeted: allow', 'budgets: write a list of budgets.'],
    ['half a list', 'budgets: [', 'line 1, column 11: '],
    ['a key twice', 'budgets: []\nbudgets: []', 'line 2, column 1: Map keys must be unique.'],
    ['two documents', 'budgets: []\n---\nbudgets: []', 'multiple documents'],
    ['a tag', 'budgets: !env NAME', 'Unresolved tag: !env.'],
    ['an option that is code', 'budgets: []\nonEvent: log', 'there is no onEvent'],
    ['another estimate', 'budgets: []\nestimate: guess', 'estimate: write "ceiling"'],
    ['a negative span', 'budgets: []\nmaxCallMs: -1', 'maxCallMs: write a whole number'],
    ['a price as a number', 'budgets: []\nprices: { multipliers: { "a/*": 1.1 } }', 'in quotes'],
    ['an unknown price', 'budgets: []\nprices: { over: {} }', 'there is no over in prices'],
  ])('%s', (_, text, message) => {
    expect(problemsOf(text).join('\n')).toContain(message);
  });

  test('an alias that multiplies, a text without end and a circle', () => {
    const levels = ['a: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level += 1) {
      const last = `*a${level - 1}`;
      levels.push(`b${level}: &a${level} [${Array(9).fill(last).join(', ')}]`);
    }
    expect(problemOf(levels.join('\n'))).toContain('Excessive alias count');
    expect(problemOf(`# ${' '.repeat(1_000_000)}`)).toContain('at most 1000000 are read');
    const circle: Record<string, unknown> = {};
    circle['budgets'] = [circle];
    expect(problemsOf(circle).join()).toContain('nested more than 32 deep');
  });
});
