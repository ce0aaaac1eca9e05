import type { TokenUsage } from './usage.ts';
import type { Outcome, Overshoot } from './usage-sink.ts';

/**
 * What ends a call.
 *
 * - `known`: the provider reported usage, a cost, or both; a reported cost beats our arithmetic.
 * - `metered`: aborted or cut without a report; without `usage`, what the call itself metered, and
 *   what it may have reasoned out of sight.
 * - `unknown`: the call may have run, and nobody knows what it used; charged at its hold, or, where the
 *   call holds nothing, at what it metered.
 * - `not-sent`: refused before work; charged 0.
 */
export type Settlement =
  | {
      readonly outcome: 'known';
      readonly usage?: Partial<TokenUsage>;
      /** Integer nano-USD, rounded up. */
      readonly costNanoUsd?: number;
      /** The model that answered, where the provider names it: it prices the usage. */
      readonly servedModel?: string;
      /**
       * The tier of service it was answered at, where the provider names it. Where the price book has no
       * price for that, the call is charged at the tier it asked for.
       */
      readonly serviceTier?: string;
    }
  | {
      readonly outcome: 'metered';
      readonly usage?: Partial<TokenUsage>;
      readonly costNanoUsd?: number;
    }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not-sent' };

/** A settlement in one shape, with what the call metered itself where that is the best there is. */
export interface CallEnd {
  readonly outcome: Outcome;
  readonly usage?: Partial<TokenUsage>;
  /** What is charged instead of `usage`, where the provider may have billed more than was seen. */
  readonly billable?: TokenUsage | undefined;
  readonly costNanoUsd?: number | undefined;
  readonly servedModel?: string;
  readonly serviceTier?: string;
}

export interface SettleResult {
  /**
   * `late`: the reservation had expired and was charged; this replaced it. `never-held`: the sink
   * does not know the reservation, and nothing was charged. `queued`: the sink gave no answer; the
   * guard has taken the settlement over, and tells the sink again until it does.
   */
  readonly status: 'settled' | 'already-resolved' | 'late' | 'never-held' | 'queued';
  /** Null where it is not known: without a price, or without usage at the end of an expired call. */
  readonly costNanoUsd: number | null;
  readonly overshoot: readonly Overshoot[];
}
