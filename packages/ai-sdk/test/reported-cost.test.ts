import { describe, expect, it } from 'vitest';
import { nanoUsdUp, reportedCost } from '../src/reported-cost.ts';

describe('nanoUsdUp', () => {
  it.each([
    ['0.0091175', 9_117_500],
    ['0', 0],
    ['1', 1_000_000_000],
    ['0.0000000001', 1],
    ['0.0000000010000001', 2],
    [0.1, 100_000_000],
    [1.5e-7, 150],
    [1.23e-10, 1],
    ['12.', 12_000_000_000],
  ])('%s USD is %i nano-USD', (amount, nano) => {
    expect(nanoUsdUp(amount)).toBe(nano);
  });

  it.each([Number.NaN, -1, '-0.1', 'free', '', Number.POSITIVE_INFINITY, '1e999', 1e30, null, {}])(
    '%s is no amount',
    (amount) => {
      expect(nanoUsdUp(amount)).toBe(undefined);
    },
  );
});

describe('the cost that a provider reports', () => {
  it.each<readonly [string, unknown, unknown, number | undefined]>([
    ['AI Gateway', {}, { gateway: { cost: '0.0091175' } }, 9_117_500],
    ['AI Gateway, own key', {}, { gateway: { cost: '0', marketCost: '0.5' } }, 500_000_000],
    ['AI Gateway, nothing', {}, { gateway: { cost: '0' } }, 0],
    ['OpenRouter', {}, { openrouter: { usage: { cost: 0.00014 } } }, 140_000],
    [
      'OpenRouter, own key',
      { raw: { is_byok: true } },
      { openrouter: { usage: { cost: 0.01, costDetails: { upstreamInferenceCost: 0.2 } } } },
      210_000_000,
    ],
    [
      'OpenRouter, upstream named without an own key',
      {},
      { openrouter: { usage: { cost: 0.2, costDetails: { upstreamInferenceCost: 0.2 } } } },
      200_000_000,
    ],
    ['xAI', {}, { xai: { costInUsdTicks: 12_345 } }, 1_235],
    ['others', { raw: { cost: 0.5 } }, { openai: {} }, undefined],
    ['nothing at all', undefined, undefined, undefined],
    ['nonsense', {}, { gateway: { cost: 'NaN' }, xai: { costInUsdTicks: -1 } }, undefined],
  ])('%s', (_, usage, metadata, cost) => {
    expect(reportedCost(usage, metadata)).toBe(cost);
  });
});
