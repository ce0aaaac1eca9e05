/** Token counts of one call in disjoint classes: no token is in two of them. */
export interface TokenUsage {
  /** Input read neither from nor into a cache. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Visible output. */
  readonly output: number;
  /** Hidden or thinking output, not counted in `output`. */
  readonly reasoning: number;
  readonly audioInput?: number;
  readonly audioOutput?: number;
  /** What is billed by the piece, by name: `{ webSearch: 2 }`. */
  readonly fees?: Readonly<Record<string, number>>;
}

export const NO_USAGE: TokenUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

/** True for a whole number of tokens; NaN, negatives and fractions are none. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * True when every class is a whole number of tokens. Anything else (NaN, negative, fractional,
 * missing) is unknown usage, never zero; an explicit 0 is data.
 */
export function isKnownUsage(usage: Partial<TokenUsage> | undefined | null): usage is TokenUsage {
  if (usage === undefined || usage === null) return false;
  // Written out, since this stands on the path of every call.
  return (
    isCount(usage.input) &&
    isCount(usage.cacheRead) &&
    isCount(usage.cacheWrite5m) &&
    isCount(usage.cacheWrite1h) &&
    isCount(usage.output) &&
    isCount(usage.reasoning) &&
    (usage.audioInput === undefined || isCount(usage.audioInput)) &&
    (usage.audioOutput === undefined || isCount(usage.audioOutput)) &&
    (usage.fees === undefined || Object.values(usage.fees).every(isCount))
  );
}

/** All input tokens, cached ones and audio included. */
export function inputTokensOf(usage: TokenUsage): number {
  return (
    usage.input +
    usage.cacheRead +
    usage.cacheWrite5m +
    usage.cacheWrite1h +
    (usage.audioInput ?? 0)
  );
}

/** All output tokens, hidden reasoning and audio included. */
export function outputTokensOf(usage: TokenUsage): number {
  return usage.output + usage.reasoning + (usage.audioOutput ?? 0);
}
