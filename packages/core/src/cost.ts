import { ceilToNano, PICO_PER_NANO } from './money.ts';
import type { RateCard, TokenRates } from './price-book.ts';
import { inputTokensOf, type TokenUsage } from './usage.ts';

/** The rates that apply to a call with so many input tokens: a tier reprices the whole call. */
export function ratesFor(card: RateCard, inputTokens: number): TokenRates {
  let rates = card.rates;
  for (const tier of card.tiers ?? []) {
    if (inputTokens > tier.aboveInputTokens) rates = tier.rates;
  }
  return rates;
}

/**
 * Nano-USD of a usage: each class times its rate, summed in pico-USD, rounded up once.
 * Undefined when the usage has tokens or fees of a class that has no price.
 */
export function costOf(card: RateCard, usage: TokenUsage): number | undefined {
  const rates = ratesFor(card, inputTokensOf(usage));
  const pico =
    usage.input * rates.input +
    usage.cacheRead * rates.cacheRead +
    usage.cacheWrite5m * rates.cacheWrite5m +
    usage.cacheWrite1h * rates.cacheWrite1h +
    usage.output * rates.output +
    usage.reasoning * rates.reasoning;
  const hasExtras = Boolean(usage.audioInput || usage.audioOutput || usage.fees);
  if (!hasExtras && Number.isSafeInteger(pico)) return ceilToNano(pico);
  return exactCost(rates, usage);
}

/** The same by big integers: for sums beyond 2^53 pico-USD ($9,007) and for the rarer classes. */
function exactCost(rates: TokenRates, usage: TokenUsage): number | undefined {
  const terms: [count: number, rate: number | undefined][] = [
    [usage.input, rates.input],
    [usage.cacheRead, rates.cacheRead],
    [usage.cacheWrite5m, rates.cacheWrite5m],
    [usage.cacheWrite1h, rates.cacheWrite1h],
    [usage.output, rates.output],
    [usage.reasoning, rates.reasoning],
    [usage.audioInput ?? 0, rates.audioInput],
    [usage.audioOutput ?? 0, rates.audioOutput],
    ...Object.entries(usage.fees ?? {}).map(([name, count]): [number, number | undefined] => [
      count,
      rates.fees?.[name],
    ]),
  ];
  return sumOf(terms);
}

/** Nano-USD of counts times rates, rounded up; undefined where one that counts has no rate. */
function sumOf(terms: readonly (readonly [count: number, rate: number | undefined])[]) {
  let pico = 0n;
  for (const [count, rate] of terms) {
    if (count === 0) continue;
    if (rate === undefined) return undefined;
    pico += BigInt(count) * BigInt(rate);
  }
  return Number((pico + BigInt(PICO_PER_NANO - 1)) / BigInt(PICO_PER_NANO));
}

/** What a call may use that raises the rate of its input. */
export interface InputTraits {
  /** One-hour cache writes were asked for. */
  readonly longCacheWrites?: boolean;
  /** The input has audio. */
  readonly audio?: boolean;
}

/** Pico-USD per token of input and output at the dearest a call can reach. */
export interface DearestRates {
  readonly input: number;
  readonly output: number;
}

/**
 * The dearest input and output rate of a call with so many input tokens. Any input may be billed as
 * a cache write, and any output as hidden reasoning or, by a model that has it, as audio: the largest
 * rate counts. Where a bound crosses a long-context tier, so may the call: the larger of both sides
 * counts.
 */
export function dearestRates(
  card: RateCard,
  inputTokens: number,
  traits: InputTraits = {},
): DearestRates {
  let dearest = dearestOf(card.rates, traits);
  for (const tier of card.tiers ?? []) {
    if (inputTokens <= tier.aboveInputTokens) continue;
    const { input, output } = dearestOf(tier.rates, traits);
    dearest = {
      input: Math.max(input, dearest.input),
      output: Math.max(output, dearest.output),
    };
  }
  return dearest;
}

function dearestOf(rates: TokenRates, traits: InputTraits): DearestRates {
  let input = Math.max(rates.input, rates.cacheRead, rates.cacheWrite5m);
  if (traits.longCacheWrites) input = Math.max(input, rates.cacheWrite1h);
  if (traits.audio) input = Math.max(input, rates.audioInput ?? 0);
  return { input, output: Math.max(rates.output, rates.reasoning, rates.audioOutput ?? 0) };
}

/** Nano-USD of so many input and output tokens at the dearest rates, rounded up. */
export function ceilingCost(rates: DearestRates, input: number, output: number): number {
  const pico = input * rates.input + output * rates.output;
  if (Number.isSafeInteger(pico)) return ceilToNano(pico);
  return sumOf([
    [input, rates.input],
    [output, rates.output],
  ]) as number;
}

/**
 * The most output tokens that `nano` can pay for next to so many input tokens, at the dearest rates;
 * negative when the input alone is too dear, infinite when output costs nothing. The inverse of
 * {@link ceilingCost}.
 */
export function outputWithin(rates: DearestRates, input: number, nano: number): number {
  const picoBudget = nano * PICO_PER_NANO;
  const picoInput = input * rates.input;
  if (picoInput > picoBudget) return -1;
  if (rates.output === 0) return Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(picoBudget)) return Math.floor((picoBudget - picoInput) / rates.output);
  const left = BigInt(nano) * BigInt(PICO_PER_NANO) - BigInt(input) * BigInt(rates.input);
  return left < 0n ? -1 : Math.min(Number(left / BigInt(rates.output)), Number.MAX_SAFE_INTEGER);
}
