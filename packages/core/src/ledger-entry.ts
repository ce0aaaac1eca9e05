import type { CallDetails } from './call-details.ts';
import type { Identity } from './identity.ts';
import type { EntryQuery, SinkEntry } from './sink-entry.ts';
import type { Adjustment, Outcome, Overshoot } from './usage-sink.ts';

/** One line of the ledger: what the sink keeps, and what the guard wrote beside it. */
export type LedgerEntry = Omit<SinkEntry, 'details'> &
  Partial<CallDetails> & {
    readonly kind: SinkEntry['kind'];
    readonly reservation?: string;
    readonly outcome?: Outcome;
    readonly overshoot?: readonly Overshoot[];
    /** Of an adjustment, its account, the change, and what was said of it. */
    readonly account?: string;
    readonly budget?: string;
    readonly change?: Adjustment;
    readonly reason?: string;
    readonly by?: string;
  };

export interface LedgerQuery extends EntryQuery {
  /** Entries whose identity has all of these values. */
  readonly identity?: Identity;
  readonly provider?: string;
  /** The model that was asked for, or the one that answered. */
  readonly model?: string;
  readonly outcome?: Outcome;
  readonly kind?: SinkEntry['kind'];
}

/**
 * The public form of a sink's entry. The cost of a hold that was charged is what was charged; the
 * charges of a correction are differences, and say nothing of its cost.
 */
export function ledgerEntry({ details, ...entry }: SinkEntry): LedgerEntry {
  const call = details as Partial<CallDetails>;
  if (call.costNanoUsd !== null && call.costNanoUsd !== undefined) return { ...call, ...entry };
  const isWhole = entry.kind === 'settlement' || entry.kind === 'expiry';
  const charges = isWhole ? entry.charges : [];
  const money = charges.filter(({ unit }) => unit === 'usd').map(({ amount }) => amount);
  const costNanoUsd = money.length === 0 ? null : Math.max(...money);
  return { ...call, ...entry, costNanoUsd };
}

/** The part of a query that a sink does not know about. */
export function matchesLedgerQuery(entry: LedgerEntry, query: LedgerQuery): boolean {
  const { identity = {}, provider, model, outcome, kind } = query;
  if (kind !== undefined && entry.kind !== kind) return false;
  if (outcome !== undefined && entry.outcome !== outcome) return false;
  if (provider !== undefined && entry.provider !== provider) return false;
  if (model !== undefined && entry.model !== model && entry.servedModel !== model) return false;
  return Object.entries(identity).every(([key, value]) => entry.identity?.[key] === value);
}
