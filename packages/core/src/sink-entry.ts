import type { Adjustment, Charge, Outcome, Overshoot } from './usage-sink.ts';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** What a sink keeps with an entry without looking into it: a JSON-serialisable object. */
export type EntryDetails = Readonly<Record<string, unknown>>;

interface EntryBase {
  /** Unique; derived from the id of the reservation or adjustment. */
  readonly id: string;
  /** When it was written, on the sink's clock, in ms since the epoch. */
  readonly at: number;
  /** Accounts and amounts. The sum over all entries of a window is its committed spend. */
  readonly charges: readonly Charge[];
  readonly details: EntryDetails;
  /**
   * The sink wrote these charges of a call apart from the entry that says how it ended and what it
   * cost: they count, and the call is not another one.
   */
  readonly isApart?: boolean;
}

/** One line of the append-only ledger, as a sink keeps it. */
export type SinkEntry =
  | (EntryBase & {
      readonly kind: 'settlement';
      readonly reservation: string;
      readonly outcome: Outcome;
      readonly overshoot: readonly Overshoot[];
    })
  /** A hold that was never settled. */
  | (EntryBase & { readonly kind: 'expiry'; readonly reservation: string })
  /** A late settlement: its amounts are the differences to what expiry had charged. */
  | (EntryBase & {
      readonly kind: 'correction';
      readonly reservation: string;
      readonly outcome: Outcome;
      readonly overshoot: readonly Overshoot[];
    })
  | (EntryBase & {
      readonly kind: 'adjustment';
      readonly account: string;
      readonly budget: string;
      readonly change: Adjustment;
    });

export interface EntryQuery {
  /** Ms since the epoch, inclusive. */
  readonly from?: number;
  /** Ms since the epoch, exclusive. */
  readonly to?: number;
  readonly account?: string;
  readonly budget?: string;
}

/** True when the query asks for this entry. */
export function matchesQuery(entry: SinkEntry, query: EntryQuery): boolean {
  if (query.from !== undefined && entry.at < query.from) return false;
  if (query.to !== undefined && entry.at >= query.to) return false;
  const { account, budget } = query;
  if (account === undefined && budget === undefined) return true;
  const isAskedFor = (place: { readonly account: string; readonly budget: string }): boolean =>
    (account ?? place.account) === place.account && (budget ?? place.budget) === place.budget;
  return entry.charges.some(isAskedFor) || (entry.kind === 'adjustment' && isAskedFor(entry));
}
