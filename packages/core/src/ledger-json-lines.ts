import type { LedgerEntry } from './ledger-entry.ts';

/** A line of JSON for each entry, with its line break, one after the other. */
export async function* toJsonLines(
  entries: AsyncIterable<LedgerEntry> | Iterable<LedgerEntry>,
): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}
