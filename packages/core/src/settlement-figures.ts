import type { BoundAccount } from './bound-budgets.ts';
import { chargedAmount } from './call-amounts.ts';
import type { CallPrice } from './call-price.ts';
import { isAmount } from './money.ts';
import type { PriceSnapshot } from './price-book.ts';
import type { CallEnd } from './settlement.ts';
import { isKnownUsage, NO_USAGE, type TokenUsage } from './usage.ts';

/** What a settlement says in figures; null is unknown, never 0. */
export interface SettlementFigures {
  readonly usage: TokenUsage | null;
  readonly costNanoUsd: number | null;
  /** The usage is known and a class of it has no price. */
  readonly unpriced: boolean;
  readonly snapshot: PriceSnapshot | null;
}

/** Usage that is no usage, and costs that are no costs, are unknown. */
export function figuresOf(end: CallEnd, price: CallPrice): SettlementFigures {
  if (end.outcome === 'not-sent') {
    return { usage: NO_USAGE, costNanoUsd: 0, unpriced: false, snapshot: price.snapshot };
  }
  const billed = price.servedBy(end.servedModel, end.serviceTier);
  const { snapshot } = billed;
  const usage = isKnownUsage(end.usage) ? copyOf(end.usage) : null;
  const priced = usage === null ? undefined : billed.costOf(usage);
  const cost = isAmount(end.costNanoUsd) ? end.costNanoUsd : priced;
  const costNanoUsd = isAmount(cost) ? cost : null;
  const unpriced = usage !== null && costNanoUsd === null && snapshot !== null;
  return { usage, costNanoUsd, unpriced, snapshot };
}

/** Who settles may go on adding to what it settled with. By its fields, since it may be of any class. */
function copyOf(usage: TokenUsage): TokenUsage {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const { audioInput, audioOutput, fees } = usage;
  const classes = { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning };
  const copy: { -readonly [Class in keyof TokenUsage]: TokenUsage[Class] } = classes;
  if (audioInput !== undefined) copy.audioInput = audioInput;
  if (audioOutput !== undefined) copy.audioOutput = audioOutput;
  if (fees !== undefined) copy.fees = { ...fees };
  return copy;
}

/** What an account is charged; `hold` for what it holds. */
export function settledAmount(
  { rule }: BoundAccount,
  { outcome, billable }: CallEnd,
  { usage, costNanoUsd }: SettlementFigures,
): number | 'hold' {
  if (outcome === 'not-sent') return 0;
  if (outcome === 'unknown' && rule.onUnknown === 'release') return 0;
  const amount = chargedAmount(rule, billable ?? usage, costNanoUsd);
  return isAmount(amount) ? amount : 'hold';
}
