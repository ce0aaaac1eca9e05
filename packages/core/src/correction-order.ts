import { InvalidArgumentError } from './errors.ts';
import { isAmount } from './money.ts';
import { isKnownUsage, type TokenUsage } from './usage.ts';

/** What a call should have been charged: so much, what this usage costs, or nothing at all. */
export type Correction =
  /** Budgets in USD are set to the cost; those in tokens to the usage, where it is given. */
  | { readonly costNanoUsd: number; readonly usage?: TokenUsage }
  /** Priced by the price book as it is now, for the time of the entry. */
  | { readonly usage: TokenUsage }
  | { readonly reverse: true };

/** @throws InvalidArgumentError for what does not say that. */
export function checkCorrection(correction: Correction): void {
  const { reverse, costNanoUsd, usage } = (correction ?? {}) as {
    readonly reverse?: unknown;
    readonly costNanoUsd?: unknown;
    readonly usage?: Partial<TokenUsage>;
  };
  const isChange = costNanoUsd !== undefined || usage !== undefined;
  if (reverse === undefined ? !isChange : reverse !== true || isChange) {
    throw new InvalidArgumentError(
      'A correction says what a call should have been charged. Write { costNanoUsd: 1200000 }, ' +
        '{ usage: { … } } or both, or { reverse: true } for nothing at all.',
    );
  }
  if (costNanoUsd !== undefined && !isAmount(costNanoUsd)) {
    throw new InvalidArgumentError(`\`costNanoUsd\` of a correction is ${costNanoUsd}: no cost.`);
  }
  if (usage !== undefined && !isKnownUsage(usage)) {
    throw new InvalidArgumentError(
      '`usage` of a correction has a whole number of tokens for input, cacheRead, cacheWrite5m, ' +
        'cacheWrite1h, output and reasoning.',
    );
  }
}
