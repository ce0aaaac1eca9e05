import type { InputTraits } from './cost.ts';
import { InvalidArgumentError } from './errors.ts';
import type { Identity } from './identity.ts';
import { isAmount, usd } from './money.ts';
import type { Json } from './sink-entry.ts';

/**
 * How much a call holds before it is sent.
 *
 * - `ceiling`: its input bound and the largest output it may produce, at the dearest rate it can reach.
 * - `none`: nothing; only an exhausted account refuses, and a stream holds what it uses as it goes.
 * - `{ fixed }`: an amount of money, whatever the call.
 */
export type Estimate = 'ceiling' | 'none' | { readonly fixed: { readonly usd: string } };

/** One attempt to call a model, before it is sent. */
export interface CallRequest extends InputTraits {
  /** Dimensions given with the call override those of the context and of the guard. */
  readonly identity?: Identity;
  /** Dimensions where neither the call nor its context says anything: an adapter's static option. */
  readonly defaultIdentity?: Identity;
  readonly provider: string;
  readonly model: string;
  /** Other models that the provider may answer with by itself: what is held is for the dearest. */
  readonly fallbackModels?: readonly string[];
  /** The tier of service that is asked for, where that has a price of its own: `priority`, `flex`. */
  readonly serviceTier?: string;
  /** An upper bound of the input tokens, everything sent included. */
  readonly inputTokens: number;
  /**
   * There is input that can be neither seen nor bounded: a file, something the provider keeps.
   * `inputTokens` counts the rest, and a ceiling takes the model's context window for the bound.
   *
   * @default false
   */
  readonly unseenInput?: boolean;
  /** The output limit the provider is asked to enforce, hidden reasoning and all choices included. */
  readonly maxOutputTokens?: number;
  /**
   * The most that the model can produce, as its framework has it. Counts for a call without
   * `maxOutputTokens`, where the price book does not know more.
   */
  readonly modelOutputTokens?: number | undefined;
  /**
   * The model may reason out of sight, so that more is billed than streams: see `hidesReasoning` of
   * `@hardcap/core/input-bound`. Unless its output was reported, such a call is charged as if it had
   * used up its output limit.
   *
   * @default false
   */
  readonly hiddenReasoning?: boolean;
  /**
   * The caller can lower the provider's output limit: when the ceiling does not fit, the call is
   * admitted with what does, if that is at least so many tokens. Absent: all or nothing.
   */
  readonly minOutputTokens?: number;
  /** @default the guard's */
  readonly estimate?: Estimate;
  /** Waits so long where only open calls stand in its way, in ms; 0 does not. @default the guard's */
  readonly waitForHeadroomMs?: number;
  /** Of calls that wait, that with the highest number is asked for first. @default 0 */
  readonly priority?: number;
  /** Groups the attempts of one logical operation in the ledger. */
  readonly operationId?: string;
  /** 1 for the first attempt of an operation. */
  readonly attempt?: number;
  readonly tags?: Readonly<Record<string, Json>>;
}

/** @throws InvalidArgumentError for a field out of range. */
export function checkCallRequest(call: CallRequest): void {
  for (const field of ['provider', 'model'] as const) {
    if (typeof call[field] !== 'string' || call[field].length === 0) {
      throw new InvalidArgumentError(`\`${field}\` of a call is a non-empty string.`);
    }
  }
  if (call.fallbackModels !== undefined) checkNames(call.fallbackModels);
  if (call.serviceTier !== undefined) checkNames([call.serviceTier]);
  checkTokens('inputTokens', call.inputTokens);
  if (call.maxOutputTokens !== undefined) checkTokens('maxOutputTokens', call.maxOutputTokens);
  if (call.minOutputTokens !== undefined) checkTokens('minOutputTokens', call.minOutputTokens);
  if (call.estimate !== undefined && !isEstimate(call.estimate)) {
    throw new InvalidArgumentError(`\`estimate\` of a call: ${ESTIMATES}.`);
  }
}

function checkNames(names: unknown): void {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return;
  throw new InvalidArgumentError(
    '`serviceTier` of a call is a string, and `fallbackModels` is a list of strings.',
  );
}

function checkTokens(field: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new InvalidArgumentError(`\`${field}\` is a whole number of tokens; this one is ${value}.`);
}

/** What to write for an estimate. */
export const ESTIMATES = 'write "ceiling", "none" or { fixed: { usd: "0.02" } }';

export function isEstimate(value: unknown): value is Estimate {
  if (value === 'ceiling' || value === 'none') return true;
  try {
    return isAmount(usd((value as Exclude<Estimate, string>).fixed.usd));
  } catch {
    return false;
  }
}
