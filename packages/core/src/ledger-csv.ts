import { isoInstant } from './instant.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { TOKEN_CLASSES } from './token-classes.ts';
import type { TokenUsage } from './usage.ts';

type TokenColumn = keyof TokenUsage;

/** A field of an entry, a class of its tokens, or what its price is of. */
export type CsvColumn =
  | Exclude<keyof LedgerEntry, 'usage' | 'price' | 'usageChange'>
  | TokenColumn
  | 'priceSource'
  | 'priceVersion';

/** In their order; new ones are only ever added at the end. */
const COLUMNS: readonly CsvColumn[] = [
  ...(['at', 'id', 'kind', 'outcome', 'reservation', 'operationId', 'attempt'] as const),
  ...(['provider', 'model', 'servedModel', 'identity'] as const),
  ...(['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'] as const),
  ...(['audioInput', 'audioOutput', 'fees'] as const),
  ...(['costNanoUsd', 'costChangeNanoUsd', 'heldNanoUsd', 'chargedAtHold', 'charges'] as const),
  ...(['account', 'budget', 'change', 'reason', 'by', 'correctionId'] as const),
  ...(['priceSource', 'priceVersion', 'tags', 'apartNanoUsd'] as const),
];

const TOKENS: ReadonlySet<string> = new Set<TokenColumn>([...TOKEN_CLASSES, 'fees']);

/** What a spreadsheet may take for a formula, in half and in full width. */
const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const QUOTED = /[",\r\n]|^\s|\s$/;

/**
 * CSV (RFC 4180) of entries: a header, then a line for each, each string with its line break. Objects
 * are JSON; what is not known is empty. Text that a spreadsheet would take for a formula begins with an
 * apostrophe.
 *
 * @param columns in which order. @default all
 */
export async function* toCsv(
  entries: AsyncIterable<LedgerEntry> | Iterable<LedgerEntry>,
  columns: readonly CsvColumn[] = COLUMNS,
): AsyncGenerator<string> {
  yield lineOf(columns);
  for await (const entry of entries) yield lineOf(columns.map((column) => cellOf(entry, column)));
}

function cellOf(entry: LedgerEntry, column: CsvColumn): unknown {
  if (column === 'at') return isoInstant(entry.at);
  if (column === 'priceSource') return entry.price?.source;
  if (column === 'priceVersion') return entry.price?.version;
  if (TOKENS.has(column)) return entry.usage?.[column as TokenColumn];
  return entry[column as keyof LedgerEntry];
}

function lineOf(cells: readonly unknown[]): string {
  return `${cells.map(textOf).join(',')}\r\n`;
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
