import type { BookedCall } from './call-books.ts';
import type { Identity } from './identity.ts';
import type { PriceSnapshot } from './price-book.ts';
import type { CallEnd } from './settlement.ts';
import type { SettlementFigures } from './settlement-figures.ts';
import type { EntryDetails, Json } from './sink-entry.ts';
import type { TokenUsage } from './usage.ts';

/** What the guard writes beside the amounts of an entry. */
export interface CallDetails {
  /** Values of secret dimensions are hashed. */
  readonly identity: Identity;
  readonly provider: string;
  readonly model: string;
  readonly servedModel?: string;
  /** Null where it is not known. */
  readonly usage: TokenUsage | null;
  /** Null where it is not known; then the amounts are what was held. */
  readonly costNanoUsd: number | null;
  readonly heldNanoUsd: number | null;
  /** What the usage was priced with; null where the model has no price. */
  readonly price: PriceSnapshot | null;
  /** The usage is known and a class of it has no price. */
  readonly unpriced?: true;
  /**
   * The usage is what was seen; cost and amounts are for all the output that may have been billed,
   * reasoning out of sight included.
   */
  readonly hiddenReasoning?: true;
  /** It was admitted while the sink was away. */
  readonly withoutSink?: true;
  readonly operationId?: string;
  readonly attempt?: number;
  readonly tags?: Readonly<Record<string, Json>>;
}

type Draft = { -readonly [Key in keyof CallDetails]: CallDetails[Key] };

function draftOf(call: BookedCall): Draft {
  const { request, identity, price, heldNanoUsd } = call;
  const { provider, model, operationId, attempt, tags } = request;
  const details: Draft = {
    identity,
    provider,
    model,
    usage: null,
    costNanoUsd: null,
    heldNanoUsd,
    price: price.snapshot,
  };
  if (operationId !== undefined) details.operationId = operationId;
  if (attempt !== undefined) details.attempt = attempt;
  if (tags !== undefined) details.tags = tags;
  return details;
}

/** What is known of a call before it settles: for the entry that an expiry would write. */
export function openDetails(call: BookedCall): EntryDetails {
  return draftOf(call) as Draft & EntryDetails;
}

/** What is known of a call once it has settled. */
export function settledDetails(
  call: BookedCall,
  { servedModel, billable }: CallEnd,
  figures: SettlementFigures,
): EntryDetails {
  const details = draftOf(call);
  details.usage = figures.usage;
  details.costNanoUsd = figures.costNanoUsd;
  details.price = figures.snapshot;
  if (figures.unpriced) details.unpriced = true;
  if (billable) details.hiddenReasoning = true;
  if (servedModel !== undefined) details.servedModel = servedModel;
  return details as Draft & EntryDetails;
}
