import type { Refusal } from './denial.ts';
import {
  BudgetExceededError,
  decidingRefusal,
  HardcapError,
  type HardcapErrorCode,
  InvalidArgumentError,
} from './errors.ts';
import { isoInstant } from './instant.ts';

/** The members of an `application/problem+json` body (RFC 9457) for a hardcap error. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: HardcapErrorCode;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
  readonly budget?: string;
  readonly account?: string;
  readonly unit?: string;
  readonly limit?: number | null;
  readonly committed?: number;
  readonly held?: number;
  readonly requested?: number;
  /** ISO 8601, or null when the window never ends. */
  readonly resetsAt?: string | null;
  /** Every account that refused. */
  readonly refusals?: readonly Refusal[];
}

/** Of errors that do not say that budgets cannot be checked. */
const STATUS: Partial<Record<HardcapErrorCode, number>> = {
  BUDGET_EXCEEDED: 402,
  IDENTITY_MISSING: 403,
  INVALID_ARGUMENT: 400,
  RESERVATION_MISMATCH: 409,
};
const UNCHECKED = 503;

const TITLES: Record<HardcapErrorCode, string> = {
  BUDGET_EXCEEDED: 'Spend budget exceeded',
  CONFIG_INVALID: 'Spend budgets are not configured correctly',
  IDENTITY_MISSING: 'No spend budget applies to this caller',
  INVALID_ARGUMENT: 'The call is not valid',
  LIMIT_UNAVAILABLE: 'Spend budgets cannot be checked right now',
  MODEL_UNPRICED: 'The model has no price',
  RESERVATION_MISMATCH: 'The reservation id is taken',
  SINK_UNAVAILABLE: 'Spend budgets cannot be checked right now',
};

/** How soon a caller may try again whose budget is only held by open calls. */
const HELD_RETRY_SECONDS = 1;

/** The hardcap error in what a framework threw: itself, or a budget error however deeply wrapped. */
function hardcapErrorIn(error: unknown): HardcapError {
  const found = BudgetExceededError.find(error) ?? error;
  if (HardcapError.isInstance(found)) return found;
  throw new InvalidArgumentError(
    'This is not an error of hardcap. Test with HardcapError.isInstance, and rethrow what is not.',
    { cause: error },
  );
}

function problemOf(thrown: unknown): Problem {
  const error = hardcapErrorIn(thrown);
  const { code, message: detail } = error;
  const base = {
    type: `urn:hardcap:${code.toLowerCase().replaceAll('_', '-')}`,
    title: TITLES[code],
  };
  if (!BudgetExceededError.isInstance(error))
    return { ...base, status: STATUS[code] ?? UNCHECKED, detail, code };
  const { denial, status, retryable } = error;
  const { refusals, retryAfterMs } = denial;
  const { kind: _, ...figures } = decidingRefusal(denial);
  const resetsAt = figures.resetsAt === null ? null : isoInstant(figures.resetsAt);
  return { ...base, status, detail, code, retryable, ...figures, retryAfterMs, resetsAt, refusals };
}

/** Options of {@link toHttpResponse}. */
export interface HttpResponseOptions {
  /** Chooses another HTTP status than the one that the problem comes with. */
  readonly status?: (problem: Problem) => number;
}

/**
 * The HTTP response for a hardcap error: 402 for a cap in USD, 429 for tokens, requests and
 * concurrency, 503 when budgets cannot be checked; `Retry-After` in seconds where a time is known;
 * a body of `application/problem+json`.
 *
 * @throws InvalidArgumentError for an error that is none of hardcap's: rethrow that one instead.
 */
export function toHttpResponse(error: unknown, options: HttpResponseOptions = {}): Response {
  const usual = problemOf(error);
  const problem = { ...usual, status: options.status?.(usual) ?? usual.status };
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  const seconds = retryAfterSeconds(problem);
  if (seconds !== undefined) headers.set('retry-after', String(seconds));
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

/**
 * One server-sent event named `error` with the same body, for a stream that has already begun.
 *
 * @throws InvalidArgumentError for an error that is none of hardcap's.
 */
export function toSseEvent(error: unknown): string {
  return `event: error\ndata: ${JSON.stringify(problemOf(error))}\n\n`;
}

function retryAfterSeconds({ retryable, retryAfterMs }: Problem): number | undefined {
  if (typeof retryAfterMs === 'number') return Math.ceil(retryAfterMs / 1_000);
  return retryable === true ? HELD_RETRY_SECONDS : undefined;
}
