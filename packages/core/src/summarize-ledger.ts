import { InvalidArgumentError } from './errors.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { TOKEN_CLASSES } from './token-classes.ts';
import type { TokenUsage } from './usage.ts';
import { compileWindow } from './window.ts';

/** What entries are grouped by; `identity.user` is a dimension of the identity. */
export type SummaryKey = 'day' | 'model' | 'provider' | 'budget' | `identity.${string}`;

export interface SummaryOptions {
  /**
   * A row for each combination. A call counts in every budget that it was charged to, so with `budget`
   * the rows add up to more than was spent.
   */
  readonly by: readonly SummaryKey[];
  /** Of days: an IANA zone. @default 'UTC' */
  readonly timeZone?: string;
  /** More rows than that are an error. @default 100_000 */
  readonly maxRows?: number;
}

/** What a row is of: a day is `2026-11-30`; null where an entry has none. */
export type SummaryGroup = Readonly<Partial<Record<SummaryKey, string | null>>>;

/** Tokens by class. */
export type TokenSums = Readonly<Record<(typeof TOKEN_CLASSES)[number], number>>;

/** What calls came to, corrections included. */
export interface SummaryRow {
  readonly group: SummaryGroup;
  /** Attempts that may have reached the provider. */
  readonly calls: number;
  /** The sum of `costChangeNanoUsd` of the entries, to the nano. */
  readonly costNanoUsd: number;
  readonly tokens: TokenSums;
  /** Calls of which neither usage nor cost is known to this day. */
  readonly chargedAtHold: number;
  /** Entries that changed what an earlier one said: late settlements, and corrections by hand. */
  readonly corrections: number;
}

type Draft = {
  -readonly [Key in keyof SummaryRow]: Key extends 'tokens'
    ? Record<keyof TokenSums, number>
    : SummaryRow[Key];
};

/**
 * Adds up entries by day, model, provider, budget or identity. Keeps a row for each group, and no entry.
 * An entry counts on the day it was written, a correction too.
 *
 * @throws InvalidArgumentError for a key that there is not, for more rows than allowed, and for a sum
 * that can no longer be exact ($9,007,199); ConfigError for a zone that there is not.
 */
export async function summarize(
  entries: AsyncIterable<LedgerEntry> | Iterable<LedgerEntry>,
  { by, timeZone = 'UTC', maxRows = 100_000 }: SummaryOptions,
): Promise<SummaryRow[]> {
  const valuesOf = by.map((key) => valuesBy(key, timeZone));
  const rows = new Map<string, Draft>();
  for await (const entry of entries) {
    const change = entry.change?.type;
    if ((change !== undefined && change !== 'correction') || entry.grant !== undefined) continue;
    // The call is counted by another entry, but not in these budgets.
    if (entry.apartNanoUsd !== undefined && !by.includes('budget')) continue;
    for (const values of combinations(valuesOf.map((of) => of(entry)))) {
      const key = JSON.stringify(values);
      const row = rows.get(key) ?? emptyRow(by, values);
      rows.set(key, row);
      add(row, entry);
    }
    if (rows.size > maxRows) {
      throw new InvalidArgumentError(
        `A summary by ${by.join(', ')} has more than ${maxRows} rows. Group by less, ask for less of ` +
          'the ledger, or raise `maxRows`.',
      );
    }
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

type ValuesOf = (entry: LedgerEntry) => readonly (string | null)[];

function valuesBy(key: SummaryKey, timeZone: string): ValuesOf {
  if (key === 'day') {
    const dayOf = dayIn(timeZone);
    return ({ at }) => [dayOf(at)];
  }
  if (key === 'model') return ({ model }) => [model ?? null];
  if (key === 'provider') return ({ provider }) => [provider ?? null];
  if (key === 'budget') {
    return ({ charges, budget = null }) =>
      charges.length === 0 ? [budget] : [...new Set(charges.map((charge) => charge.budget))];
  }
  if (!key.startsWith('identity.')) {
    throw new InvalidArgumentError(
      `A summary is by day, model, provider, budget or, say, identity.user; "${key}" is none.`,
    );
  }
  const dimension = key.slice('identity.'.length);
  return ({ identity }) => [identity?.[dimension] ?? null];
}

/** The date of a time in a zone. A ledger goes day by day, so the last one is most often the next. */
function dayIn(timeZone: string): (at: number) => string {
  const window = compileWindow({ calendar: 'day', timeZone }, 'summarize');
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  let start: number | null = null;
  let day = '';
  return (at) => {
    const { startsAt } = window.at(at);
    if (startsAt === start) return day;
    start = startsAt;
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    day = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
    return day;
  };
}

function combinations(values: readonly (readonly (string | null)[])[]): (string | null)[][] {
  return values.reduce<(string | null)[][]>(
    (made, each) => made.flatMap((some) => each.map((value) => [...some, value])),
    [[]],
  );
}

function emptyRow(by: readonly SummaryKey[], values: readonly (string | null)[]): Draft {
  const group = Object.fromEntries(by.map((key, place) => [key, values[place] ?? null]));
  const tokens = Object.fromEntries(TOKEN_CLASSES.map((each) => [each, 0])) as Draft['tokens'];
  return { group, calls: 0, costNanoUsd: 0, tokens, chargedAtHold: 0, corrections: 0 };
}

function add(row: Draft, entry: LedgerEntry): void {
  const isCall = entry.kind === 'settlement' || entry.kind === 'expiry';
  const isSent = entry.outcome !== 'not-sent';
  if (!isCall) row.corrections += 1;
  else if (isSent) row.calls += 1;
  // The expiry counted it, since nobody knew then.
  if (entry.kind === 'correction' && !isSent) row.calls -= 1;
  if (entry.chargedAtHold !== undefined) row.chargedAtHold += entry.chargedAtHold ? 1 : -1;
  const { apartNanoUsd = entry.costChangeNanoUsd } = entry;
  row.costNanoUsd = exact(row.costNanoUsd + (apartNanoUsd ?? 0));
  const usage = entry.kind === 'adjustment' ? entry.usageChange : entry.usage;
  if (usage !== null && usage !== undefined) addTokens(row, usage);
}

function addTokens({ tokens }: Draft, usage: TokenUsage): void {
  for (const each of TOKEN_CLASSES) tokens[each] = exact(tokens[each] + (usage[each] ?? 0));
}

function exact(sum: number): number {
  if (Number.isSafeInteger(sum)) return sum;
  throw new InvalidArgumentError(
    'A summary came to more than can be exact. Group by day, or by more.',
  );
}
