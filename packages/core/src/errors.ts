import type { Denial, Refusal } from './denial.ts';
import { isoInstant } from './instant.ts';
import { formatAmount } from './money.ts';

/** Stable, machine-readable reason of a {@link HardcapError}. */
export type HardcapErrorCode =
  | 'BUDGET_EXCEEDED'
  | 'CONFIG_INVALID'
  | 'IDENTITY_MISSING'
  | 'INVALID_ARGUMENT'
  | 'MODEL_UNPRICED'
  | 'RESERVATION_MISMATCH'
  | 'SINK_UNAVAILABLE';

// Registered symbols are shared by every copy of this package in a process, so an error made by one
// copy is recognised by another, which `instanceof` would not do.
const MARKER: unique symbol = Symbol.for('hardcap.error') as never;

/** Base of every error hardcap throws. Test for it with {@link HardcapError.isInstance}. */
export class HardcapError extends Error {
  readonly code: HardcapErrorCode;

  constructor(code: HardcapErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** True for a hardcap error of any copy of the package in this process. */
  static isInstance(error: unknown): error is HardcapError {
    return typeof error === 'object' && error !== null && MARKER in error;
  }
}

function hasCode(error: unknown, code: HardcapErrorCode): boolean {
  return HardcapError.isInstance(error) && error.code === code;
}

/** A configuration that cannot mean what was intended. The message says what to write instead. */
export class ConfigError extends HardcapError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('CONFIG_INVALID', message, options);
  }

  static override isInstance(error: unknown): error is ConfigError {
    return hasCode(error, 'CONFIG_INVALID');
  }
}

/** A call, settlement or selector whose fields are out of range. Nothing was held or charged. */
export class InvalidArgumentError extends HardcapError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('INVALID_ARGUMENT', message, options);
  }

  static override isInstance(error: unknown): error is InvalidArgumentError {
    return hasCode(error, 'INVALID_ARGUMENT');
  }
}

/** No budget binds the call, because its identity lacks the dimensions that budgets are kept per. */
export class MissingIdentityError extends HardcapError {
  constructor(message: string) {
    super('IDENTITY_MISSING', message);
  }

  static override isInstance(error: unknown): error is MissingIdentityError {
    return hasCode(error, 'IDENTITY_MISSING');
  }
}

/** A USD budget binds the call, and nobody can say what the model costs. */
export class UnpricedModelError extends HardcapError {
  readonly provider: string;
  readonly model: string;

  constructor(provider: string, model: string, reason: string) {
    super(
      'MODEL_UNPRICED',
      `No price for model "${model}" of provider "${provider}": ${reason}. ` +
        'Add it to the price book (`overrides` or `aliases`), declare it in `free`, or set ' +
        '`unknownModel: { ceiling: … }`.',
    );
    this.provider = provider;
    this.model = model;
  }

  static override isInstance(error: unknown): error is UnpricedModelError {
    return hasCode(error, 'MODEL_UNPRICED');
  }
}

/** A reservation was asked for again with other accounts or amounts, or after it had ended. */
export class ReservationMismatchError extends HardcapError {
  /** @param resolution how the reservation ended; absent: it is open, and is for something else. */
  constructor(id: string, resolution?: string) {
    const state =
      resolution === undefined
        ? 'already exists with other accounts or amounts'
        : `has already ended (${resolution})`;
    super(
      'RESERVATION_MISMATCH',
      `Reservation "${id}" ${state}. ` +
        'Use a new id for each attempt; repeat an id only with the same request.',
    );
  }

  static override isInstance(error: unknown): error is ReservationMismatchError {
    return hasCode(error, 'RESERVATION_MISMATCH');
  }
}

/** The usage sink did not answer, so nobody knows whether the budget could carry the call. */
export class SinkUnavailableError extends HardcapError {
  /** HTTP status that suits this error. */
  readonly status = 503;

  constructor(message: string, options?: { cause?: unknown }) {
    super('SINK_UNAVAILABLE', message, options);
  }

  static override isInstance(error: unknown): error is SinkUnavailableError {
    return hasCode(error, 'SINK_UNAVAILABLE');
  }
}

/** At least one budget cannot carry the call. The provider was not contacted, or the stream was cut. */
export class BudgetExceededError extends HardcapError {
  readonly denial: Denial;
  /** HTTP status that suits the deciding refusal: 402 for money, 429 for everything else. */
  readonly status: 402 | 429;
  /** True when a later attempt may pass without a reset or a top-up: everything refusing is only held. */
  readonly retryable: boolean;
  /** Milliseconds until an attempt may pass; null when no time is known. */
  readonly retryAfterMs: number | null;

  constructor(denial: Denial, options?: { cause?: unknown }) {
    super('BUDGET_EXCEEDED', describeDenial(denial), options);
    this.denial = denial;
    this.status = decidingRefusal(denial).unit === 'usd' ? 402 : 429;
    this.retryable = denial.retryable;
    this.retryAfterMs = denial.retryAfterMs;
    // Non-enumerable, so that it is in no log line: LangChain's retry helpers read this mark.
    Object.defineProperty(this, Symbol.for('langchain.errors.retryable'), { value: false });
  }

  static override isInstance(error: unknown): error is BudgetExceededError {
    return hasCode(error, 'BUDGET_EXCEEDED');
  }

  /**
   * The budget error inside `error`, which frameworks wrap in retry, aggregate and middleware errors:
   * the error itself, or the one least deep in `lastError`, `cause` and `errors`.
   */
  static find(error: unknown): BudgetExceededError | undefined {
    // A set visits what is added to it on the way, and each error once, however they are tangled.
    const errors = new Set([error]);
    for (const candidate of errors) {
      if (BudgetExceededError.isInstance(candidate)) return candidate;
      if (typeof candidate !== 'object' || candidate === null) continue;
      const inner = candidate as { lastError?: unknown; cause?: unknown; errors?: unknown };
      errors.add(inner.lastError).add(inner.cause);
      if (Array.isArray(inner.errors)) for (const each of inner.errors) errors.add(each);
    }
    return undefined;
  }
}

/** The refusal that keeps the caller out longest: it decides status, reset time and advice. */
export function decidingRefusal(denial: Denial): Refusal {
  const wait = (refusal: Refusal): number => {
    if (refusal.retryAfterMs !== null) return refusal.retryAfterMs;
    return refusal.kind === 'held' ? 0 : Number.POSITIVE_INFINITY;
  };
  const [first, ...rest] = denial.refusals;
  if (first === undefined) throw new InvalidArgumentError('A denial names at least one refusal.');
  return rest.reduce((longest, next) => (wait(next) > wait(longest) ? next : longest), first);
}

function describeDenial(denial: Denial): string {
  return denial.refusals.map(describeRefusal).join(' ');
}

function describeRefusal(refusal: Refusal): string {
  const { unit, limitFrom, rollover } = refusal;
  const where = `Budget "${refusal.budget}" (account ${refusal.account})`;
  if (refusal.kind === 'blocked') return `${where} is blocked. Unblock it to go on.`;
  const figures =
    `${formatAmount(refusal.committed, unit)} spent and ${formatAmount(refusal.held, unit)} held ` +
    `of ${refusal.limit === null ? 'no limit' : formatAmount(refusal.limit, unit)}` +
    `${limitFrom === undefined ? '' : ` (${limitFrom})`}` +
    `${rollover ? ` (${formatAmount(rollover, unit)} rolled over)` : ''}, ` +
    `${formatAmount(refusal.requested, unit)} asked for`;
  return `${where} ${REASONS[refusal.kind]}: ${figures}. ${adviceOn(refusal)}`;
}

function adviceOn({ kind, resetsAt }: Refusal): string {
  if (kind === 'held') return 'Try again once an open call has settled.';
  const less = kind === 'too-large' ? 'Ask for less output, or top it up' : 'Top it up';
  return resetsAt === null
    ? `${less}.`
    : `${less}, or wait until it resets at ${isoInstant(resetsAt)}.`;
}

const REASONS: Record<Exclude<Refusal['kind'], 'blocked'>, string> = {
  spent: 'is spent',
  held: 'is held by open calls',
  'too-large': 'cannot carry this call',
};
