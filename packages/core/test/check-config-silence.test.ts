import { describe, expect, test } from 'vitest';
import { budgets, findingsOf } from './support/findings.ts';

const SOUND = budgets(
  'name: user-daily, per: [user], limit: { usd: "5.00" }, window: { calendar: day, timeZone: UTC }, warnAt: [0.5, 0.8]',
  'name: user-hourly, per: [user], limit: { usd: "1.00" }, window: { rolling: 1h }',
  'name: org-monthly, per: [org], limit: { usd: "100" }, window: { calendar: month, timeZone: UTC }',
  'name: tpm, per: [user], limit: { tokens: 200000 }, window: { fixed: 1m }',
  'name: large, per: [user], limit: { usd: "2" }, window: { calendar: day, timeZone: UTC }, match: { model: "lar*" }',
  'name: parallel, per: [user], limit: { concurrent: 4 }, window: total',
  'name: counted, per: [org], limit: unlimited, window: total',
);

test('a sound configuration has no findings', () => {
  expect(findingsOf(SOUND)).toEqual([]);
});

describe('what is not a mistake is not found', () => {
  test.each([
    [
      'hours that add up to the day',
      budgets(
        'name: hourly, per: [user], limit: { usd: "1" }, window: { fixed: 1h }',
        'name: daily, per: [user], limit: { usd: "24" }, window: { calendar: day, timeZone: UTC }',
      ),
    ],
    [
      'hours that add up to the day with what the hour before has left',
      budgets(
        'name: hourly, per: [user], limit: { usd: "1" }, rollover: { usd: "0.5" }, window: { fixed: 1h }',
        'name: daily, per: [user], limit: { usd: "24.5" }, window: { calendar: day, timeZone: UTC }',
      ),
    ],
    [
      'a rollover of all that is left, and one for those who have more',
      budgets(
        'name: a, per: [user], limit: { usd: "1" }, rollover: { usd: unlimited }, window: { fixed: 1h }',
        'name: b, per: [org], limit: { usd: "1" }, rollover: { usd: "2" }, window: { fixed: 1h }, overrides: [{ match: { org: acme }, limit: { usd: "5" } }]',
      ),
    ],
    [
      'a day of 25 hours, where the clocks change',
      budgets(
        'name: hourly, per: [user], limit: { usd: "1" }, window: { fixed: 1h }',
        'name: daily, per: [user], limit: { usd: "25" }, window: { calendar: day, timeZone: Europe/Paris }',
      ),
    ],
    [
      'an hourly limit for each user under a daily one for all',
      budgets(
        'name: hourly, per: [user], limit: { usd: "1" }, window: { fixed: 1h }',
        'name: daily, per: [org], limit: { usd: "500" }, window: { calendar: day, timeZone: UTC }',
      ),
    ],
    [
      'an hourly limit for one model under a daily one for all',
      budgets(
        'name: hourly, per: [user], limit: { usd: "1" }, window: { fixed: 1h }, match: { model: large }',
        'name: daily, per: [user], limit: { usd: "500" }, window: { calendar: day, timeZone: UTC }',
      ),
    ],
    [
      'output beside all tokens',
      budgets(
        'name: output, per: [user], limit: { tokens: 500, count: output }, window: { fixed: 1h }',
        'name: all, per: [user], limit: { tokens: 900 }, window: { fixed: 1h }',
      ),
    ],
    [
      'the limits of a dimension that every call has',
      `unbudgeted: allow\nidentity: { app: mine }\n${budgets('name: a, per: [app], limit: { usd: "5" }, window: total')}`,
    ],
    [
      'a small limit where nothing is held',
      `estimate: none\n${budgets('name: a, per: [], limit: { usd: "0.0001" }, window: total')}`,
    ],
  ])('%s', (_, yaml) => {
    expect(findingsOf(yaml)).toEqual([]);
  });

  test('what nobody was asked about', () => {
    const yaml = budgets(
      'name: a, per: [team], limit: { requests: 5 }, window: total, match: { model: "opus-*" }',
    );
    expect(findingsOf(yaml, {})).toEqual([]);
  });
});
