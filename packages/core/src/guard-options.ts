import * as z from 'zod';
import type { Budget } from './budget.ts';
import { ESTIMATES, type Estimate, isEstimate } from './call-request.ts';
import { ConfigError } from './errors.ts';
import type { GuardEvent } from './event.ts';
import type { Identity } from './identity.ts';
import type { LimitSource } from './limit-source.ts';
import type { PriceBook } from './price-book.ts';
import { strictObject } from './strict-object.ts';
import type { UsageSink } from './usage-sink.ts';

/** Options of {@link createSpendGuard}. */
export interface SpendGuardOptions {
  readonly budgets: readonly Budget[];
  /** The owner of the counters. @default a new MemoryUsageSink */
  readonly sink?: UsageSink;
  /** Needed as soon as a budget is in USD; `createPriceBook()` of `@hardcap/prices` makes one. */
  readonly prices?: PriceBook;
  /** Dimensions of every call, where the call or its context says nothing else. */
  readonly identity?: Identity;
  /** What becomes of a call that no budget binds. @default 'deny' */
  readonly unbudgeted?: 'deny' | 'allow';
  /** How much a call holds, where the call says nothing else. @default 'ceiling' */
  readonly estimate?: Estimate;
  /** Further dimensions whose values are hashed wherever they could show; `apiKey` always is. */
  readonly secrets?: readonly string[];
  /** A hold expires so long after it was last kept alive, in ms. @default 120_000 */
  readonly reservationTtlMs?: number;
  /** A call that runs longer is no longer kept alive, and expires, in ms. @default 3_600_000 */
  readonly maxCallMs?: number;
  /**
   * A call that is refused only for what open calls hold waits so long for one of them to settle, where
   * it says nothing else, in ms. @default 0
   */
  readonly waitForHeadroomMs?: number;
  /** A sink that takes longer to answer a call is away, in ms. @default 1_000 */
  readonly timeoutMs?: number;
  /** How many settlements are kept for a sink that does not answer. @default 10_000 */
  readonly unsentLimit?: number;
  /**
   * A file to which every settlement is written before the sink is told, and from which the next start
   * tells what was never answered. Node only; one guard each, and the same path at the next start.
   */
  readonly journal?: string;
  /**
   * Where limits come from that are kept elsewhere, by the name of their budget. Who has never been seen is
   * bound by the answer with the first call.
   */
  readonly limits?: Readonly<Record<string, LimitSource>>;
  /** Called with everything that happens. What it throws is logged and harms no call. */
  readonly onEvent?: (event: GuardEvent) => void;
  /** Ms since the epoch; starts calls and windows of the memory sink. @default Date.now */
  readonly now?: () => number;
}

/**
 * What `reconfigure` takes: the whole of the terms, so what is left out falls back to its default; but
 * the price book stays where no other is given. The rest a guard has for its life: it may be named, with
 * the value that it has.
 */
export type SpendGuardTerms = Omit<SpendGuardOptions, 'sink' | 'onEvent' | 'now'>;

function wholeNumber(min: number, max: number, unit: string): z.ZodOptional<z.ZodNumber> {
  const error = `write a whole number ${unit}from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error }).optional();
}
const milliseconds = wholeNumber(100, 86_400_000, 'of milliseconds ');

const path = z.custom((value) => typeof value === 'string' && value !== '', {
  error: 'write the path of a file',
});
const callable = z.custom((value) => typeof value === 'function', { error: 'write a function' });
const withMethod = (method: string, error: string) =>
  z.custom((value) => typeof (value as Record<string, unknown> | null)?.[method] === 'function', {
    error,
  });

const DIMENSIONS = 'write strings by dimension: { org: "acme" }';

export const optionFields: Readonly<Record<keyof SpendGuardOptions, z.ZodType>> = {
  // Checked where it is read.
  budgets: z.unknown().optional(),
  sink: withMethod('reserve', 'write a UsageSink, such as new MemoryUsageSink()').optional(),
  prices: withMethod('quote', "write createPriceBook() of '@hardcap/prices'").optional(),
  identity: z.record(z.string(), z.string({ error: DIMENSIONS }), { error: DIMENSIONS }).optional(),
  unbudgeted: z.enum(['deny', 'allow'], { error: 'write deny or allow' }).optional(),
  estimate: z.custom(isEstimate, { error: ESTIMATES }).optional(),
  // Checked where it is read.
  limits: z.unknown().optional(),
  secrets: z.array(z.string(), { error: 'write a list of dimensions' }).optional(),
  reservationTtlMs: milliseconds,
  maxCallMs: milliseconds,
  timeoutMs: milliseconds,
  waitForHeadroomMs: wholeNumber(0, 86_400_000, 'of milliseconds '),
  unsentLimit: wholeNumber(0, 1_000_000, ''),
  journal: path.optional(),
  onEvent: callable.optional(),
  now: callable.optional(),
};
const optionsSchema = strictObject(optionFields);

/** @throws ConfigError that names every option that is wrong. */
export function checkGuardOptions(options: SpendGuardOptions): void {
  const result = optionsSchema.safeParse(options);
  if (result.success) return;
  const problems = result.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  throw new ConfigError(`Options of createSpendGuard are not valid. ${problems.join('; ')}.`);
}
