import type { CallDetails } from './call-details.ts';
import { grantOf } from './grant-reservation.ts';
import type { Identity } from './identity.ts';
import type { EntryQuery, SinkEntry } from './sink-entry.ts';
import type { TokenUsage } from './usage.ts';
import type { Adjustment, Outcome, Overshoot } from './usage-sink.ts';

/** What is known of one line of the ledger beside what the sink keeps. */
interface LedgerFigures {
  /**
   * What the line adds to what was spent: the cost of a call, or the difference that a correction
   * makes. The cost of a day is the sum of these. Null where no cost is known.
   */
  readonly costChangeNanoUsd: number | null;
  /**
   * Of charges that the sink wrote apart from the line that says what their call cost, and by which it
   * is counted: what they add to what was spent on their budgets alone. Nano-USD; null where no cost is
   * known.
   */
  readonly apartNanoUsd?: number | null;
  /**
   * True where neither usage nor cost is known: what the call was charged is what it held. False where
   * a correction put an end to that.
   */
  readonly chargedAtHold?: boolean;
  readonly reservation?: string;
  /** Of a grant, where it is no call that was charged: what it spent is in the lines of its calls. */
  readonly grant?: string;
  readonly outcome?: Outcome;
  readonly overshoot?: readonly Overshoot[];
}

/** What a line says of an adjustment. */
interface AdjustmentFigures {
  readonly account?: string;
  readonly budget?: string;
  readonly change?: Adjustment;
  readonly reason?: string;
  readonly by?: string;
  /** Of a correction by hand: the id that it was given. */
  readonly correctionId?: string;
  /** Of a correction by hand: tokens that it adds, or takes back. */
  readonly usageChange?: TokenUsage;
}

/** One line of the ledger: what the sink keeps, and what the guard wrote beside it. */
export type LedgerEntry = Omit<SinkEntry, 'details' | 'isApart'> &
  Partial<CallDetails> &
  LedgerFigures &
  AdjustmentFigures & { readonly kind: SinkEntry['kind'] };

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
export function ledgerEntry({ isApart, ...entry }: SinkEntry): LedgerEntry {
  const line = wholeEntry(entry);
  if (!isApart) return line;
  return { ...line, costNanoUsd: null, costChangeNanoUsd: 0, apartNanoUsd: line.costChangeNanoUsd };
}

function wholeEntry({ details, ...entry }: SinkEntry): LedgerEntry {
  const call = details as Partial<CallDetails & AdjustmentFigures & LedgerFigures>;
  const known = call.costNanoUsd ?? null;
  const isKnown = known !== null || (call.usage ?? null) !== null;
  const grant = entry.kind === 'adjustment' ? undefined : grantOf(entry.reservation);
  if (grant !== undefined)
    return { ...call, ...entry, grant, costNanoUsd: 0, costChangeNanoUsd: 0 };
  const money = entry.charges.filter(({ unit }) => unit === 'usd').map(({ amount }) => amount);
  if (entry.kind === 'settlement' || entry.kind === 'expiry') {
    const cost = known ?? (money.length === 0 ? null : Math.max(...money));
    const atHold = isKnown ? {} : { chargedAtHold: true };
    return { ...call, ...entry, costNanoUsd: cost, costChangeNanoUsd: cost, ...atHold };
  }
  // Each difference is the same cost less what expiry charged, which was the most of all accounts.
  const late = money.length === 0 ? known : Math.min(...money);
  const isLate = entry.kind === 'correction';
  const change = isLate ? late : (call.costChangeNanoUsd ?? null);
  const atHold = isLate && isKnown ? { chargedAtHold: false } : {};
  return { ...call, ...entry, costNanoUsd: known, costChangeNanoUsd: change, ...atHold };
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
