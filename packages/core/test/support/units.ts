import type { Budget } from '../../src/index.ts';
import { usdBudget } from './guard.ts';

const other = (name: string, limit: Budget['limit'], more: Partial<Budget> = {}): Budget => ({
  ...usdBudget('1', { name, ...more }),
  ...(limit === undefined ? {} : { limit }),
});

export const UNITS = [
  'usd',
  'total',
  'input',
  'output',
  'uncached',
  'requests',
  'parallel',
] as const;

/** A budget in each unit, wide enough for everything. */
export function budgetsInEachUnit(more: Partial<Budget> = {}): Budget[] {
  return [
    usdBudget('1', { name: 'usd', ...more }),
    other('total', { tokens: 10_000 }, more),
    other('input', { tokens: 10_000, count: 'input' }, more),
    other('output', { tokens: 10_000, count: 'output' }, more),
    other('uncached', { tokens: 10_000, count: 'uncached' }, more),
    other('requests', { requests: 10 }, more),
    other('parallel', { concurrent: 10 }, more),
  ];
}
