import type { TokenCounts } from './token-counts.ts';
import type { WireRequest } from './wire-request.ts';

/** `cut`: the server destroyed the socket. */
export type ExchangeEnd = 'finished' | 'client-closed' | 'cut';

/** One request, and how its answer went. */
export interface Exchange extends WireRequest {
  readonly receivedAtMs: number;
  /** null as long as it is open, like every figure of the end. */
  readonly closedAtMs: number | null;
  /** As soon as the answer is handed to the system, or the socket is gone. */
  readonly closed: Promise<ExchangeEnd>;
  /** null where no answer has begun. */
  readonly status: number | null;
  /** Written chunks in which the client can read generated tokens; grows no more once closed. */
  readonly chunksSent: number;
  /** Visible and hidden ones, up to now. */
  readonly tokensGenerated: number;
  /** What the provider bills as things stand; null where it has refused the call. */
  readonly billed: TokenCounts | null;
  /** Throws where the model has no price. */
  readonly billedNanoUsd: number;
  /**
   * With `pace: 'manual'`: generates the next chunk, and sends it if any of it is visible. After
   * the last one, finishes the answer. Resolves when that is done, or the exchange is closed.
   */
  sendChunk(): Promise<void>;
  /** Lets the rest go without waiting; resolves when the exchange is closed. */
  finish(): Promise<void>;
}
