import type { RateCard } from '@hardcap/core';
import type { ConditionalPrice } from '@pydantic/genai-prices';
import { dearestOf } from './dearest-card.ts';
import type { CardAnswer } from './genai-rates.ts';

const DAY_MS = 86_400_000;

/** A call may still run, and be billed, this long after it was priced. */
const HORIZON_MS = DAY_MS;

/** When a row applies. `startsAt` in ms since the epoch, `from` and `until` in ms since midnight UTC. */
export type RowTime =
  | undefined
  | { readonly startsAt: number }
  | { readonly from: number; readonly until: number };

export interface PriceRow {
  readonly time: RowTime;
  readonly answer: CardAnswer;
}

/** What holds from `from` (ms since the epoch) until before `until`. */
export type PriceSpan = {
  readonly from: number;
  readonly until: number;
} & (
  | { readonly current: RateCard; readonly dearest: RateCard; readonly refusal?: never }
  | { readonly refusal: string }
);

/**
 * The card in force at `at`, in ms since the epoch, the dearest that a call starting then can reach,
 * and how long that answer holds. Of the rows that apply, the last one counts.
 */
export function priceAt(rows: readonly PriceRow[], at: number): PriceSpan {
  const changes = rows.flatMap((row) => changesNear(row.time, at)).sort((a, b) => a - b);
  const reached = changes.filter((change) => change > at && change <= at + HORIZON_MS);
  const answers = [at, ...reached].map((time) => rowAt(rows, time)?.answer);
  // A row that starts tomorrow raises the dearest from today on.
  const turns = changes.flatMap((change) => [change, change - HORIZON_MS]);
  const from = Math.max(Number.NEGATIVE_INFINITY, ...turns.filter((turn) => turn <= at));
  const until = Math.min(Number.POSITIVE_INFINITY, ...turns.filter((turn) => turn > at));
  const cards: RateCard[] = [];
  for (const answer of new Set(answers)) {
    if (answer?.card === undefined) {
      return { from, until, refusal: answer?.refusal ?? 'it is listed without a rate' };
    }
    cards.push(answer.card);
  }
  return { from, until, current: cards[0] as RateCard, dearest: dearestOf(cards) };
}

function rowAt(rows: readonly PriceRow[], at: number): PriceRow | undefined {
  return rows.findLast(({ time }) => applies(time, at)) ?? rows[0];
}

function applies(time: RowTime, at: number): boolean {
  if (time === undefined) return true;
  if ('startsAt' in time) return at >= time.startsAt;
  const sinceMidnight = at - midnightBefore(at);
  const { from, until } = time;
  return until < from
    ? sinceMidnight >= from || sinceMidnight < until
    : sinceMidnight >= from && sinceMidnight < until;
}

function midnightBefore(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

function changesNear(time: RowTime, at: number): number[] {
  if (time === undefined) return [];
  if ('startsAt' in time) return [time.startsAt];
  const midnight = midnightBefore(at);
  return [-1, 0, 1].flatMap((days) => [
    midnight + days * DAY_MS + time.from,
    midnight + days * DAY_MS + time.until,
  ]);
}

/** When a row of genai's table applies. */
export function rowTimeOf(constraint: ConditionalPrice['constraint']): RowTime {
  if (constraint === undefined) return undefined;
  if (constraint.type === 'start_date') return { startsAt: Date.parse(constraint.start_date) };
  return { from: timeOfDay(constraint.start_time), until: timeOfDay(constraint.end_time) };
}

/** Ms since midnight UTC of a time such as `00:30:00Z` or `09:00:00+08:00`. */
function timeOfDay(text: string): number {
  const ms = Date.parse(`1970-01-01T${text}`);
  return ((ms % DAY_MS) + DAY_MS) % DAY_MS;
}
