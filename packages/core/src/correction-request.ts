import type { BudgetRule } from './bound-budgets.ts';
import { chargedAmount } from './call-amounts.ts';
import type { CallBinder } from './call-binder.ts';
import { CallPrice } from './call-price.ts';
import type { ChargedCall } from './charged-call.ts';
import type { Correction } from './correction-order.ts';
import { InvalidArgumentError, UnpricedModelError } from './errors.ts';
import { exceptedAccounts } from './excepted-accounts.ts';
import { grantRule } from './grant-terms.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import type { PriceSnapshot } from './price-book.ts';
import { figuresOf } from './settlement-figures.ts';
import type { EntryDetails } from './sink-entry.ts';
import { usageDifference } from './token-classes.ts';
import { NO_USAGE, type TokenUsage } from './usage.ts';
import type { Account, AdjustRequest, CorrectionCharge } from './usage-sink.ts';

/** What a call should have been charged, in figures; null leaves it as it is. */
interface Target {
  readonly usage: TokenUsage | null;
  readonly costNanoUsd: number | null;
  readonly price: PriceSnapshot | null;
}

/**
 * What to ask of the sink so that a call is charged what it should have been.
 *
 * @param said beside the figures, for the entry.
 */
export async function correctionRequest(
  binder: CallBinder,
  call: ChargedCall,
  correction: Correction,
  said: Readonly<Record<string, string>>,
): Promise<AdjustRequest> {
  const { reservation, corrections, entry } = call;
  const target = targetOf(binder, call, correction);
  const charges = call.places.flatMap(({ place, total, left }): CorrectionCharge[] => {
    const due = 'reverse' in correction ? 0 : amountDue(binder, place, target);
    // What a reset gave back cannot be given back again; if it was, since both met, it is taken back.
    const amount = due === null ? 0 : Math.max(due - total, -left);
    return amount === 0 ? [] : [{ ...place, amount }];
  });
  const change = { type: 'correction', reservation, charges } as const;
  const details = { ...factsOf(entry), ...figuresFor(call, target), ...said };
  const id = `${reservation}:fix${corrections.length + 1}`;
  return { id, account: await accountIn(binder, call), change, details };
}

/** @throws UnpricedModelError when money counts, and nobody knows what the usage costs. */
function targetOf(
  { options: { prices } }: CallBinder,
  { entry, places }: ChargedCall,
  correction: Correction,
): Target {
  if ('reverse' in correction) return { usage: NO_USAGE, costNanoUsd: 0, price: null };
  if ('costNanoUsd' in correction) return { usage: null, price: null, ...correction };
  const { usage } = correction;
  const { provider = '', model = '', servedModel, at } = entry;
  const isMoney = places.some(({ place }) => place.unit === 'usd');
  const price = new CallPrice(prices, { provider, model, inputTokens: 0 }, at, isMoney);
  const served = servedModel === undefined ? {} : { servedModel };
  const figures = figuresOf({ outcome: 'known', usage, ...served }, price);
  if (isMoney && figures.costNanoUsd === null) {
    throw new UnpricedModelError(provider, model, 'a class of the usage has no price');
  }
  return { usage, costNanoUsd: figures.costNanoUsd, price: figures.snapshot };
}

/** What an account should have been charged; null where nothing was said of it. */
function amountDue(
  binder: CallBinder,
  place: Omit<CorrectionCharge, 'amount'>,
  { usage, costNanoUsd }: Target,
): number | null {
  const { budget, unit } = place;
  if (unit === 'usd') return costNanoUsd;
  if (unit !== 'tokens' || usage === null) return null;
  const rule = ruleOf(binder, place);
  if (rule === undefined) {
    throw new InvalidArgumentError(
      `There is no budget "${budget}" in tokens any more, so nobody knows which tokens it counted.`,
    );
  }
  return chargedAmount(rule, usage, costNanoUsd) as number;
}

const FACTS = [
  'identity',
  'provider',
  'model',
  'servedModel',
  'operationId',
  'attempt',
  'tags',
] as const satisfies readonly (keyof LedgerEntry)[];

/** What is known of a call whatever it cost. */
function factsOf(entry: LedgerEntry): EntryDetails {
  const known = FACTS.filter((fact) => entry[fact] !== undefined);
  return Object.fromEntries(known.map((fact) => [fact, entry[fact]]));
}

function figuresFor(call: ChargedCall, { usage, costNanoUsd, price }: Target): EntryDetails {
  const isCostKnown = costNanoUsd !== null;
  return {
    usage: usage ?? call.usage,
    costNanoUsd,
    costChangeNanoUsd: isCostKnown ? costNanoUsd - call.costNanoUsd : null,
    ...(usage === null ? {} : { usageChange: usageDifference(usage, call.usage ?? NO_USAGE) }),
    ...(price === null ? {} : { price }),
    ...(call.isAtHold ? { chargedAtHold: false } : {}),
  };
}

/** What an account of the call is kept by today; undefined where there is no such budget any more. */
function ruleOf(
  { rules }: CallBinder,
  { budget, account, unit }: Omit<CorrectionCharge, 'amount'>,
): BudgetRule | undefined {
  const rule = rules.find((other) => other.budget === budget && other.unit === unit);
  return rule ?? grantRule(account, unit);
}

/** An account of the call that there still is. */
async function accountIn(binder: CallBinder, { places, entry }: ChargedCall): Promise<Account> {
  // A grant says who pays, and nothing of what accounts are kept by.
  const { grant: _, ...identity } = entry.identity ?? {};
  for (const { place } of places) {
    const rule = ruleOf(binder, place);
    if (rule === undefined) continue;
    const account = { key: place.account, rule };
    const [excepted = account] = await exceptedAccounts(binder, [account], identity);
    return excepted;
  }
  throw new InvalidArgumentError(
    `The call of entry "${entry.id}" was charged to no budget that there still is.`,
  );
}
