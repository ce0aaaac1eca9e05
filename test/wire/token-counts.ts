/** Disjoint: no token is in two of them. */
export interface TokenCounts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Visible: text and tool calls. */
  readonly output: number;
  readonly reasoning: number;
  /** By the piece. */
  readonly webSearches?: number;
}
