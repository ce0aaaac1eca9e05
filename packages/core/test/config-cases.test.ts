import { describe, expect, test } from 'vitest';
import { budgetWith, problemOf, problemsOf } from './support/config.ts';

describe("the field's cases", () => {
  test.each([
    ['misspelt', 'limit: { usd: "5" }\nwindow: total\nwarnat: [0.8]', 'has no field "warnat"'],
    ['misplaced', 'limit: { usd: "5", window: total }\nwindow: total', 'exactly one unit'],
    ['of another window', 'limit: { usd: "5" }\nwindow: { fixed: 1d, timeZone: UTC }', 'timeZone'],
  ])('case C-87: a key that is %s is refused', (_, fields, message) => {
    expect(problemOf(budgetWith(fields))).toContain(message);
  });

  test.each(['"0"', '0', 'null', '"-1"', '.nan', 'none', '{}'])(
    'case C-90: a limit of %s is refused, with the spellings of no limit and of none at all',
    (value) => {
      for (const limit of [`{ usd: ${value} }`, `{ tokens: ${value} }`, value]) {
        const problem = problemsOf(budgetWith(`limit: ${limit}\nwindow: total`)).join('\n');
        expect(problem).toMatch(/`unlimited`.*`block: true`|in quotes/);
      }
    },
  );

  test.each([
    ['budget', 'limit: { usd: "-5" }\nwindow: total', 'is negative'],
    ['window', 'limit: { usd: "5" }\nwindow: { fixed: 0s }', 'is no time at all'],
  ])('case C-22: a negative or empty %s is refused before anything runs', (_, fields, message) => {
    expect(problemOf(budgetWith(fields))).toContain(message);
  });

  test('case C-22: a negative price is refused', () => {
    const overrides = { 'acme/large': { input: '-1', output: '2' } };
    expect(problemOf({ budgets: [], prices: { overrides } })).toContain('write a plain decimal');
  });

  test.each([0, 32])('case C-39: anchor day %i is refused', (day) => {
    const fields = `limit: { usd: "5" }\nwindow: { calendar: month, anchorDay: ${day} }`;
    expect(problemOf(budgetWith(fields))).toContain('Write a whole number from 1 to 31');
  });

  test.each(['7days', '1M', '1mo', '30', '1.5h'])('case C-41: "%s" is no duration', (text) => {
    const fields = `limit: { usd: "5" }\nwindow: { rolling: "${text}" }`;
    expect(problemOf(budgetWith(fields))).toContain('is not a duration');
  });
});
