import {
  type CheckConfigOptions,
  checkConfig,
  type Finding,
  loadConfig,
} from '../../src/config.ts';
import { PRICES } from './prices.ts';

/** As much as can be told: what the guard will have, and who calls what. */
export const KNOWN: CheckConfigOptions = {
  prices: PRICES,
  models: ['acme/small', 'acme/large', 'acme/gratis'],
  dimensions: ['org', 'user', 'run'],
};

export function findingsOf(yaml: string, options: CheckConfigOptions = KNOWN): Finding[] {
  return checkConfig(loadConfig(yaml, { environment: {} }), options);
}

export function budgets(...lines: string[]): string {
  return `budgets:\n${lines.map((line) => `  - { ${line} }`).join('\n')}\n`;
}
