import type { EntryDetails, EntryQuery, SinkEntry } from '@hardcap/core';
import { matchesQuery } from '@hardcap/core/sink';
import { readPartId } from './call-part.ts';
import { EntryJoin, type PartEntry, type Sorted } from './entry-join.ts';
import type { OpenStore } from './open-store.ts';

/** How far apart the parts of an entry may have been written, in ms, to be put together. */
const PARTS_WITHIN_MS = 10_000;
/** So many entries are read ahead, or a few of each store where there are very many. */
const READ_AHEAD = 5_000;
const SMALLEST_PAGE = 10;
/** In so many stores the first page is read at once. */
const BEGUN_AT_ONCE = 16;

/**
 * The entries of all stores by the time at which they were written, those of one call as one. Parts
 * that were written further apart, or ended in other ways, are entries of their own: all but one say
 * that they are.
 */
export async function* mergeLedgers(
  stores: readonly OpenStore[],
  query: EntryQuery,
  sorted: Sorted,
): AsyncGenerator<SinkEntry> {
  const { from, to } = query;
  const around: EntryQuery = {
    ...(from === undefined ? {} : { from: from - PARTS_WITHIN_MS }),
    ...(to === undefined ? {} : { to: to + PARTS_WITHIN_MS }),
  };
  const join = new EntryJoin(PARTS_WITHIN_MS, sorted);
  const pageSize = Math.max(SMALLEST_PAGE, Math.floor(READ_AHEAD / stores.length));
  const ledgers = stores.map((store) => store.entries(around, pageSize));
  for await (const entry of byTime(ledgers)) {
    join.add(entry);
    for (const whole of join.taken(entry.at)) if (matchesQuery(whole, query)) yield whole;
  }
  for (const whole of join.taken(Number.POSITIVE_INFINITY)) {
    if (matchesQuery(whole, query)) yield whole;
  }
}

interface Head {
  readonly entry: PartEntry;
  readonly rest: AsyncGenerator<SinkEntry>;
}

async function* byTime(ledgers: AsyncGenerator<SinkEntry>[]): AsyncGenerator<PartEntry> {
  const heads: Head[] = [];
  const advance = async (rest: AsyncGenerator<SinkEntry>): Promise<void> => {
    const { value, done } = await rest.next();
    if (done === true) return;
    const head = { entry: partOf(value), rest };
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore((heads[middle] as Head).entry, head.entry)) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, head);
  };
  try {
    for (let from = 0; from < ledgers.length; from += BEGUN_AT_ONCE) {
      await Promise.all(ledgers.slice(from, from + BEGUN_AT_ONCE).map(advance));
    }
    for (let head = heads.shift(); head !== undefined; head = heads.shift()) {
      yield head.entry;
      await advance(head.rest);
    }
  } finally {
    await Promise.all(ledgers.map((ledger) => ledger.return(undefined)));
  }
}

/** Within a millisecond what a process wrote is in its order, after what it had found expired. */
function isBefore(one: PartEntry, other: PartEntry): boolean {
  return one.at === other.at ? one.order < other.order : one.at < other.at;
}

/** An entry as a store has it: ids and details have more in them than the caller gave. */
function partOf(entry: SinkEntry): PartEntry {
  const { n: order = 0, d: details = {}, parts } = entry.details as StoredDetails;
  const { place, count, tells, id } = readPartId(entry.id);
  const whole = { ...entry, id, details };
  const named =
    'reservation' in whole ? { ...whole, reservation: readPartId(whole.reservation).id } : whole;
  return { at: entry.at, order, place, count: parts ?? count, tells, entry: named };
}

interface StoredDetails {
  readonly n?: number;
  readonly d?: EntryDetails;
  readonly parts?: number;
}
