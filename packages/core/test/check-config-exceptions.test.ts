import { describe, expect, test } from 'vitest';
import { budgets, findingsOf, KNOWN } from './support/findings.ts';

const daily = (fields: string, limit = '{ usd: "5" }') =>
  `name: daily, per: [user], limit: ${limit}, window: { fixed: 1h }${fields}`;
/** Caps everybody, and is no mistake. */
const ALL = 'name: all, per: [], limit: { usd: "5000" }, window: { fixed: 1h }';

/** Mistakes: what is planted, the code of its finding, its path, and what is written. */
const PLANTED: [what: string, code: string, path: string, yaml: string][] = [
  [
    'another limit for a dimension that nobody has',
    'unknown-dimension',
    'budgets[0].overrides[0].match.usr',
    budgets(daily(', overrides: [{ match: { usr: vip }, limit: { usd: "9" } }]')),
  ],
  [
    'somebody exempt by a dimension that nobody has',
    'unknown-dimension',
    'budgets[0].exempt[0].role',
    budgets(daily(', exempt: [{ role: admin }]'), ALL),
  ],
  [
    'another limit for a model that is called nowhere',
    'never-matches',
    'budgets[0].overrides[0]',
    budgets(daily(', overrides: [{ match: { model: "opus-*" }, limit: { usd: "9" } }]')),
  ],
  [
    'another limit for those whom the budget does not bind',
    'never-matches',
    'budgets[0].overrides[0].match.org',
    budgets(
      daily(
        ', match: { org: "acme-*" }, overrides: [{ match: { org: globex }, limit: { usd: "9" } }]',
      ),
    ),
  ],
  [
    'overrides of which the first holds for all that the second does',
    'exception-never-used',
    'budgets[0].overrides[1]',
    budgets(
      daily(
        ', overrides: [{ match: { user: "vip*" }, limit: { usd: "9" } }, { match: { user: "vip9*", org: a }, limit: { usd: "8" } }]',
      ),
    ),
  ],
  [
    'another limit for somebody who is exempt',
    'exception-never-used',
    'budgets[0].overrides[0]',
    budgets(
      daily(
        ', exempt: [{ user: "ops-*" }], overrides: [{ match: { user: ops-1 }, limit: { usd: "9" } }]',
      ),
      ALL,
    ),
  ],
  [
    'an override that holds for everybody',
    'exception-for-all',
    'budgets[0].overrides[0]',
    budgets(daily(', overrides: [{ match: { user: "*" }, limit: { usd: "9" } }]')),
  ],
  [
    'everybody exempt',
    'exception-for-all',
    'budgets[0].exempt[0]',
    budgets(daily(', exempt: [{ user: "*" }]'), ALL),
  ],
  [
    'an override that says what the budget says',
    'exception-as-default',
    'budgets[0].overrides[0].limit',
    budgets(daily(', overrides: [{ match: { user: vip }, limit: { usd: "5.00" } }]')),
  ],
  [
    'a limit, and another, under a block',
    'block-and-limit',
    'budgets[0].limit',
    budgets(
      'name: a, per: [user], limit: { usd: "5" }, window: total, block: true, overrides: [{ match: { user: vip }, limit: { usd: "9" } }]',
    ),
  ],
  [
    'one account, and a limit that depends on who asks',
    'limit-by-caller',
    'budgets[0].overrides[0]',
    budgets(
      'name: a, per: [], limit: { usd: "5" }, window: total, overrides: [{ match: { user: vip }, limit: { usd: "9" } }]',
    ),
  ],
  [
    'an override that carries no call',
    'below-smallest-call',
    'budgets[0].overrides[0].limit',
    budgets(daily(', overrides: [{ match: { user: guest }, limit: { usd: "0.001" } }]')),
  ],
  [
    'an override above what another budget lets through',
    'never-reached',
    'budgets[1].overrides[0].limit',
    budgets(
      daily(''),
      'name: each-day, per: [user], limit: { usd: "20" }, window: { calendar: day, timeZone: UTC }, overrides: [{ match: { user: vip }, limit: { usd: "500" } }]',
    ),
  ],
  [
    'somebody exempt whom nothing else limits',
    'exempt-uncapped',
    'budgets[0].exempt[0]',
    budgets(daily(', exempt: [{ user: root }]')),
  ],
  [
    'somebody exempt from both',
    'exempt-uncapped',
    'budgets[1].exempt[0]',
    budgets(
      'name: seen, per: [], limit: { usd: "9000" }, window: { fixed: 1h }, mode: shadow',
      daily(', exempt: [{ user: root }]'),
    ),
  ],
  [
    'a pattern for a secret, which only its hash can match',
    'secret-pattern',
    'budgets[0].overrides[0].match.apiKey',
    budgets(daily(', overrides: [{ match: { apiKey: "sk-1" }, limit: { usd: "9" } }]')),
  ],
  [
    'an emergency limit that nobody may use',
    'outage-terms-unused',
    'budgets[0].emergencyLimit',
    budgets(daily(', emergencyLimit: { usd: "1" }')),
  ],
  [
    'an emergency limit in the shadow',
    'outage-terms-unused',
    'budgets[0].emergencyLimit',
    budgets(daily(', mode: shadow, onSinkError: allow, emergencyLimit: { usd: "1" }'), ALL),
  ],
  [
    'an emergency limit above the limit',
    'emergency-above-limit',
    'budgets[0].emergencyLimit',
    budgets(daily(', onSinkError: allow, emergencyLimit: { usd: "6" }')),
  ],
  [
    'no emergency limit',
    'outage-unlimited',
    'budgets[0].onSinkError',
    budgets(daily(', onSinkError: allow')),
  ],
  [
    'a budget that does without the sink, and one that binds the same calls and does not',
    'outage-denied',
    'budgets[0].onSinkError',
    budgets(daily(', onSinkError: allow'), ALL),
  ],
  ['everything in the shadow', 'all-in-shadow', 'budgets', budgets(daily(', mode: shadow'))],
];

describe('a planted mistake with exceptions is found, and nothing else', () => {
  test.each(PLANTED)('%s', (_, code, path, yaml) => {
    const known = { ...KNOWN, dimensions: [...(KNOWN.dimensions ?? []), 'apiKey'] };
    const found = findingsOf(yaml, known);
    expect(found.map((finding) => [finding.code, finding.path])).toEqual([[code, path]]);
    expect(found[0]?.message).not.toMatch(/undefined|NaN|\.$/);
    expect(found[0]?.advice).not.toMatch(/undefined|NaN|\.$/);
  });
});

describe('what is not a mistake is not found', () => {
  test.each([
    [
      'the narrower exception first, be it as large as the default',
      budgets(
        daily(
          ', overrides: [{ match: { user: vip9 }, limit: { usd: "5" } }, { match: { user: "vip*" }, limit: { usd: "9" } }]',
        ),
      ),
    ],
    [
      'an override that the other budget has, too',
      budgets(
        daily(', overrides: [{ match: { user: "vip*" }, limit: { usd: "50" } }]'),
        'name: each-day, per: [user], limit: { usd: "20" }, window: { calendar: day, timeZone: UTC }, overrides: [{ match: { user: vip1 }, limit: { usd: "500" } }]',
      ),
    ],
    [
      'a day above its hours, where those are in the shadow or exempt some',
      budgets(
        daily(', mode: shadow'),
        daily(', exempt: [{ user: vip }]').replace('daily', 'hourly'),
        'name: each-day, per: [user], limit: { usd: "200" }, window: { calendar: day, timeZone: UTC }',
      ),
    ],
    [
      'somebody exempt under a cap for all, and by what callers are rather than who',
      budgets(daily(', exempt: [{ user: root }, { org: "internal-*" }]'), ALL),
    ],
    [
      'an exception by a dimension that the budget is not kept per',
      budgets(daily(', overrides: [{ match: { org: pro }, limit: { usd: "9" } }]')),
    ],
    [
      'a gate that is open while the sink is away, next to one for others that is closed',
      budgets(
        daily(', onSinkError: allow, emergencyLimit: { usd: "1" }'),
        'name: tenant, per: [org], limit: { usd: "50" }, window: { fixed: 1h }',
      ),
    ],
  ])('%s', (_, yaml) => {
    expect(findingsOf(yaml)).toEqual([]);
  });
});
