import type { TokenRates } from '@hardcap/core';

/** What a source says of one model, in integer pico-USD per token; `fees` per piece. */
export interface KnownRates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite5m?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly audioInput?: number | undefined;
  readonly audioOutput?: number | undefined;
  readonly fees?: Readonly<Record<string, number>> | undefined;
}

/** Anthropic bills a cache write at 1.25 times and a one-hour write at twice the input, wherever sold. */
export function isClaude(model: string): boolean {
  return model.includes('claude');
}

/**
 * Rates of every class that a call can use. A class that the source leaves out takes the dearest rate
 * it can be billed at: the cache classes and reasoning those of plain input and output, and Claude's
 * cache writes Anthropic's factors. Audio has no such bound and stays unpriced.
 */
export function completeRates(known: KnownRates, claude: boolean): TokenRates {
  const { input, output, audioInput, audioOutput, fees } = known;
  const cacheWrite5m = known.cacheWrite5m ?? (claude ? Math.ceil((input * 5) / 4) : input);
  const oneHour = claude ? Math.max(input * 2, cacheWrite5m) : cacheWrite5m;
  return {
    input,
    cacheRead: known.cacheRead ?? input,
    cacheWrite5m,
    cacheWrite1h: known.cacheWrite1h ?? oneHour,
    output,
    reasoning: known.reasoning ?? output,
    ...(audioInput === undefined ? {} : { audioInput }),
    ...(audioOutput === undefined ? {} : { audioOutput }),
    ...(fees === undefined || Object.keys(fees).length === 0 ? {} : { fees }),
  };
}
