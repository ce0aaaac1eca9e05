import { compileBudget } from './bound-budgets.ts';
import { defineBudgets } from './budget.ts';
import { ConfigError } from './errors.ts';
import type { Finding, Lint, LintScope, NamedModel, Severity } from './finding.ts';
import type { GuardConfig } from './guard-config.ts';
import { lintBinding } from './lints/binding.ts';
import { lintNames } from './lints/names.ts';
import { lintPrices } from './lints/prices.ts';
import { lintReach } from './lints/reach.ts';
import { lintRollover } from './lints/rollover.ts';
import { lintSecrets } from './lints/secrets.ts';
import { lintWarnings } from './lints/warnings.ts';
import { lintWindows } from './lints/windows.ts';
import type { PriceBook } from './price-book.ts';

/** What {@link checkConfig} is told beside the configuration; the more, the more it finds. */
export interface CheckConfigOptions {
  /** The book that the guard will have. */
  readonly prices?: PriceBook;
  /** The models that are called, as `provider/model`. */
  readonly models?: readonly string[];
  /** The dimensions that identities have, beside those of the configuration. */
  readonly dimensions?: readonly string[];
  /** The least of a call that is of use. @default 1 token of input and 256 of output */
  readonly smallestCall?: { readonly inputTokens: number; readonly outputTokens: number };
  /** Ms since the epoch, for prices. @default Date.now */
  readonly now?: () => number;
}

const LINTS: readonly Lint[] = [
  lintBinding,
  lintNames,
  lintReach,
  lintWindows,
  lintRollover,
  lintWarnings,
  lintSecrets,
  lintPrices,
];
const ORDER: readonly Severity[] = ['error', 'warning', 'info'];
// As the adapters have it, unless they are told another `minOutputTokens`.
const SMALLEST_CALL = { inputTokens: 1, outputTokens: 256 };

/**
 * Looks for what is valid and hardly meant: rules that never match or are never reached, limits below
 * any call, models without a price. Errors come first.
 *
 * @throws ConfigError for a configuration that is not valid.
 */
export function checkConfig(config: GuardConfig, options: CheckConfigOptions = {}): Finding[] {
  const { prices, models, dimensions, smallestCall = SMALLEST_CALL, now = Date.now } = options;
  const own = Object.keys(config.identity ?? {});
  const scope: LintScope = {
    config,
    budgets: defineBudgets(config.budgets).map((budget, index) => ({
      budget,
      rule: compileBudget(budget),
      path: `budgets[${index}]`,
    })),
    prices,
    models: models?.map(namedModel),
    dimensions: dimensions && new Set(['provider', 'model', ...dimensions, ...own]),
    smallestCall,
    now: now(),
  };
  const findings = LINTS.flatMap((lint) => [...lint(scope)]);
  return findings.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

function namedModel(name: string): NamedModel {
  const slash = name.indexOf('/');
  if (slash > 0 && slash < name.length - 1) {
    return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  }
  throw new ConfigError(`models: "${name}" is not a model. Write provider/model: openai/gpt-5.1.`);
}
