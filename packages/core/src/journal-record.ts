import type { EndRequest } from './end-request.ts';

/** The first line of every journal. A journal of another version is left alone. */
export const JOURNAL_HEADER: string = '{"hardcap":"journal","version":1}\n';

/** One line of a journal: what is about to be sent, or the ids of what has been answered. */
export type JournalRecord =
  | { readonly send: EndRequest }
  | { readonly answered: readonly string[] };

export function journalLine(record: JournalRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** What a line says; undefined where it is damaged. */
export function parseJournalLine(line: string): JournalRecord | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(record)) return undefined;
  if (isEndRequest(record['send'])) return { send: record['send'] };
  const { answered } = record;
  return isListOf(answered, isText) ? { answered } : undefined;
}

/** `none`: nothing was written yet; `foreign`: no journal; or the version that a journal has. */
export function journalVersion(text: string): 'none' | 'foreign' | number {
  if (JOURNAL_HEADER.startsWith(text)) return 'none';
  try {
    const header: unknown = JSON.parse(text.slice(0, text.indexOf('\n')));
    if (!isObject(header) || header['hardcap'] !== 'journal') return 'foreign';
    return typeof header['version'] === 'number' ? header['version'] : 'foreign';
  } catch {
    return 'foreign';
  }
}

function isEndRequest(value: unknown): value is EndRequest {
  if (!isObject(value) || !isText(value['id']) || !isListOf(value['charges'], isCharge))
    return false;
  if (value['outcome'] === undefined) return true;
  return OUTCOMES.includes(value['outcome'] as string) && isObject(value['details']);
}

const OUTCOMES = ['known', 'metered', 'unknown', 'not-sent'];

function isCharge(value: unknown): boolean {
  if (!isObject(value) || !isText(value['account'])) return false;
  const { amount } = value;
  return amount === 'hold' || (Number.isSafeInteger(amount) && (amount as number) >= 0);
}

function isListOf<Item>(
  value: unknown,
  isItem: ((item: unknown) => item is Item) | ((item: unknown) => boolean),
): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
