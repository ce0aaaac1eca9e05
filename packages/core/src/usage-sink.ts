import type { Awaitable } from './awaitable.ts';
import type { Refusal, Unit } from './denial.ts';
import type { EntryDetails, EntryQuery, SinkEntry } from './sink-entry.ts';
import type { Window, WindowSpan } from './window.ts';

/**
 * The terms of a budget as a sink needs them. They come with every reservation, so that a changed
 * configuration acts at once and keeps the spend.
 */
export interface AccountRule {
  readonly budget: string;
  readonly unit: Unit;
  /** In the account's unit; null counts without a limit. */
  readonly limit: number | null;
  /**
   * The most that is rolled over from the window before, as `rolledOver` has it; absent where nothing
   * is. Only of fixed and calendar windows, and with `attribute: 'reserve'`.
   */
  readonly rollover?: number;
  readonly blocked: boolean;
  /** Decides and counts as any account, and refuses nothing: its refusals come with the answer. */
  readonly shadow?: boolean;
  readonly window: Window;
  /** Which window pays: the one a call was admitted in, or the one it settles in. */
  readonly attribute: 'reserve' | 'settle';
  /** What becomes of a hold that was never settled. */
  readonly onExpiry: 'charge' | 'release';
  /** Shares of the limit in parts per million, ascending. */
  readonly thresholds: readonly number[];
}

/** One budget for one value of its dimensions. */
export interface Account {
  /** Readable and unique, such as `user-daily|user=u1`. */
  readonly key: string;
  readonly rule: AccountRule;
}

/** An amount asked of an account, in the account's unit. */
export interface Claim {
  readonly account: Account;
  readonly amount: number;
}

export type Outcome = 'known' | 'metered' | 'unknown' | 'not-sent';

/** How a reservation ended. */
export type Resolution = 'settled' | 'released' | 'expired';

/** Something that happened inside a sink while it answered; the caller turns it into an event. */
export type SinkNotice =
  | {
      readonly type: 'threshold-crossed';
      readonly account: string;
      readonly budget: string;
      readonly unit: Unit;
      /** Share of the limit, such as 0.8. */
      readonly threshold: number;
      readonly committed: number;
      readonly limit: number;
      readonly window: WindowSpan;
      readonly at: number;
    }
  | {
      readonly type: 'reservation-expired';
      readonly id: string;
      readonly charged: readonly Charge[];
      readonly at: number;
    }
  | { readonly type: 'store-reset'; readonly at: number };

/** What was charged to an account. */
export interface Charge {
  readonly account: string;
  readonly budget: string;
  readonly unit: Unit;
  /** Id of the window that paid. */
  readonly window: string;
  /** Start of the rolling slot that paid; null in other windows. */
  readonly slot: number | null;
  readonly amount: number;
  /** What had been held. */
  readonly held: number;
}

/** How far a settlement took an account above its limit. */
export interface Overshoot {
  readonly account: string;
  readonly budget: string;
  readonly unit: Unit;
  readonly amount: number;
}

interface Noticing {
  /** The sink's clock, in ms since the epoch. */
  readonly at: number;
  readonly notices: readonly SinkNotice[];
}

export interface ReserveRequest {
  /** Made by the client; repeating it with the same claims gives the same answer and one hold. */
  readonly id: string;
  readonly claims: readonly Claim[];
  /** The hold expires so long after the last reserve or extend. An interval, on the sink's clock. */
  readonly ttlMs: number;
  /** Makes the details of the entry of an expiry. A sink may do without where space is dear. */
  readonly details?: () => EntryDetails;
}

export type ReserveAnswer = Noticing &
  (
    | {
        readonly admitted: true;
        readonly expiresAt: number;
        /** Of shadow accounts, where they would have refused. */
        readonly refusals?: readonly Refusal[];
      }
    /** At least one is not of a shadow account. */
    | { readonly admitted: false; readonly refusals: readonly Refusal[] }
  );

export interface ExtendRequest {
  readonly id: string;
  /** New totals of the holds, not increments, so that a repeated request changes nothing. */
  readonly claims: readonly Claim[];
  readonly ttlMs: number;
}

export type ExtendAnswer = Noticing &
  (
    | {
        readonly status: 'extended';
        readonly expiresAt: number;
        /** Of shadow accounts, where they would have refused. */
        readonly refusals?: readonly Refusal[];
      }
    /** Each refusal is about the new total: that is `requested`, and `held` is what others hold. */
    | { readonly status: 'refused'; readonly refusals: readonly Refusal[] }
    | { readonly status: 'already-resolved'; readonly first: Resolution }
    | { readonly status: 'never-held' }
  );

export interface SettleRequest {
  readonly id: string;
  readonly outcome: Outcome;
  /** Per account key the amount to charge, or `hold` for whatever the sink holds. */
  readonly charges: readonly { readonly account: string; readonly amount: number | 'hold' }[];
  readonly details: EntryDetails;
}

export type SettleAnswer = Noticing &
  (
    | {
        /** `late`: the reservation had expired; the actual amounts replace what expiry charged. */
        readonly status: 'settled' | 'late';
        readonly charged: readonly Charge[];
        readonly overshoot: readonly Overshoot[];
      }
    | { readonly status: 'already-resolved'; readonly first: Resolution }
    | { readonly status: 'never-held' }
  );

export type ReleaseAnswer = Noticing &
  (
    | { readonly status: 'released' }
    | { readonly status: 'already-resolved'; readonly first: Resolution }
    | { readonly status: 'never-held' }
  );

/** The figures of one account at the time of reading, in the account's unit. */
export interface AccountReading {
  readonly account: string;
  /** The limit in force, adjustments and what was rolled over included; null when there is none. */
  readonly limit: number | null;
  /** What of it was rolled over; absent where nothing ever is. */
  readonly rollover?: number;
  readonly blocked: boolean;
  readonly committed: number;
  readonly held: number;
  readonly window: WindowSpan;
  /** Calls refused today, in whatever window: the day in UTC, on the sink's clock. */
  readonly denials: number;
}

/** A change of an account by hand. Ledgered, idempotent by id, seen by the next call of every process. */
export interface AdjustRequest {
  readonly id: string;
  /** What is changed, and read for the answer; of a correction, one of its accounts. */
  readonly account: Account;
  readonly change: Adjustment;
  readonly details: EntryDetails;
}

export type Adjustment =
  /** Raises the limit of the current window by an amount. */
  | { readonly type: 'top-up'; readonly amount: number }
  /** Replaces the limit, or raises it, until a time (ms since the epoch; null for good). */
  | { readonly type: 'limit'; readonly limit: number | null; readonly until: number | null }
  | { readonly type: 'limit-add'; readonly amount: number; readonly until: number | null }
  | { readonly type: 'block' }
  | { readonly type: 'unblock' }
  /** Sets the settled spend of the current window to 0; open holds stay. */
  | { readonly type: 'reset' }
  /**
   * Changes what a call was charged, on all these accounts in one step. What is taken back is cut at
   * what the window, or the slot, has; a window that is over, or a slot that has left it, is left out.
   * The charges of the entry are what was applied, without those that came to 0. It is the last word
   * on the call: a late settlement changes nothing after it.
   */
  | {
      readonly type: 'correction';
      readonly reservation: string;
      readonly charges: readonly CorrectionCharge[];
    };

/** What a correction adds to an account, in the window and slot that paid. */
export type CorrectionCharge = Omit<Charge, 'held'>;

export interface AdjustAnswer extends Noticing {
  readonly status: 'adjusted' | 'already-adjusted';
  readonly reading: AccountReading;
}

export interface Difference {
  readonly account: string;
  /** Empty where nobody knows it. */
  readonly window: string;
  /** `record`: the sink has none of an account of which the ledger says that it should be there; 0 and 1. */
  readonly field: 'committed' | 'held' | 'record';
  /** Of a rolling window whose sum is right, this is its first slot that is not. */
  readonly counter: number;
  /** What the ledger, or the open reservations, add up to. */
  readonly expected: number;
}

/** Counters of every open window, recomputed. `differences` is empty when the books are right. */
export interface VerifyReport {
  readonly at: number;
  readonly accounts: number;
  readonly entries: number;
  readonly reservations: number;
  readonly differences: readonly Difference[];
}

/**
 * The owner of all counters and of the ledger. It sees accounts and integers, never tokens or money.
 *
 * Every operation is one atomic step over all accounts of a call, is decided on the sink's clock, and
 * may be repeated with the same id. Operations reject with `SinkUnavailableError` when it is unknown
 * whether they were carried out.
 *
 * What must hold, in full: `@hardcap/conformance` runs it as tests.
 *
 * 1. A denial writes nothing but the denial counter, and extends no expiry.
 * 2. `reserve` is idempotent by id; the same id with other claims is a `ReservationMismatchError`.
 * 3. A reservation resolves once; a second settle or release changes nothing and says what the first did.
 * 4. A settlement above the hold is recorded whole and its overshoot returned; below, the rest is free again.
 * 5. An expired hold is charged, or released where the rule says so; a late settlement replaces the charge.
 * 6. Settling or releasing an id that was never held changes nothing.
 * 7. Each threshold is noticed once per account and window, from the comparison that decides.
 * 8. Counters equal the ledger at every instant.
 * 9. A store that lost its data says so with a `store-reset` notice.
 * 10. Limits come with each reservation; adjustments are seen by the next call of every process; a
 *     correction changes what an entry charged, and no entry is ever changed.
 * 11. Everything is bounded: accounts per call, id length, sweep work per call.
 * 12. A shadow account decides, counts and charges as any other, and refuses nothing, even when it is
 *     blocked: what it would have refused comes with the answer, marked as such.
 * 13. What a window leaves of its limit is rolled over into the next one where the rule says so, as
 *     `rolledOver` has it; the window before is kept, and proved, for as long as it takes.
 */
export interface UsageSink {
  /** What the sink is loading first: calls wait for it, without a deadline. Null: it is there. */
  readonly opening?: Promise<unknown> | null;
  reserve(request: ReserveRequest): Awaitable<ReserveAnswer>;
  extend(request: ExtendRequest): Awaitable<ExtendAnswer>;
  settle(request: SettleRequest): Awaitable<SettleAnswer>;
  /** Ends a reservation that was never used: nothing is charged and nothing ledgered. */
  release(id: string): Awaitable<ReleaseAnswer>;
  read(accounts: readonly Account[]): Awaitable<readonly AccountReading[]>;
  adjust(request: AdjustRequest): Awaitable<AdjustAnswer>;
  /** Ledger entries in the order they were written. */
  entries(query?: EntryQuery): AsyncIterable<SinkEntry>;
  verify(): Awaitable<VerifyReport>;
  /** Restores the counters from the ledger and the open reservations; reports what it had to change. */
  rebuild(): Awaitable<VerifyReport>;
  /**
   * Of a sink that answers before it has written: writes that now. Gives how many answers are not
   * written yet, where that cannot be done; the sink goes on trying.
   */
  flush?(): Awaitable<number>;
  close(): Awaitable<void>;
}

/** The most accounts one call may bind. */
export const MAX_CLAIMS = 32;

/** The longest reservation or adjustment id, in characters. */
export const MAX_ID_LENGTH = 64;
