import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntryQuery, SinkEntry } from '@hardcap/core';
import { matchesQuery } from '@hardcap/core/sink';
import type { Do } from './books.ts';

/** Entries in the order they were written: those that are there when reading begins. */
export async function* readEntries(read: Do, query: EntryQuery): AsyncGenerator<SinkEntry> {
  const { from, to } = query;
  let [next, last]: [number | null, number] = await read(({ tables: { reader } }) => [
    from === undefined ? 0 : reader.before(from),
    to === undefined ? reader.last() : reader.before(to),
  ]);
  while (next !== null) {
    const after: number = next;
    const page = await read(({ tables: { reader } }) => reader.page(after, last, query));
    for (const entry of page.entries) if (matchesQuery(entry, query)) yield entry;
    next = page.next;
    // A filter may find nothing for many pages, which must not hold up the event loop.
    await nextTurn();
  }
}
