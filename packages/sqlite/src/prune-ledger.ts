import { setImmediate as nextTurn } from 'node:timers/promises';
import { InvalidArgumentError, type Window } from '@hardcap/core';
import type { Books } from './books.ts';
import type { PrunableCharge, PrunableEntry } from './prune-table.ts';
import type { WorkQueue } from './work-queue.ts';

export interface PruneReport {
  /** Entries that were dropped. */
  readonly dropped: number;
  /** Entries that are old enough, and stay since a window of theirs is open. */
  readonly kept: number;
}

interface Stride extends PruneReport {
  /** The place after which the next stride begins; null when there is none. */
  readonly next: number | null;
}

/** Entries looked at in one transaction: about 10 ms of work. */
const ENTRIES_AT_A_TIME = 300;

/** Drops entries that were written before a time and that no open window needs. */
export async function pruneLedger(queue: WorkQueue, olderThan: number): Promise<PruneReport> {
  if (!Number.isSafeInteger(olderThan)) {
    throw new InvalidArgumentError(
      `\`olderThan\` is a time in ms since the epoch; this one is ${olderThan}.`,
    );
  }
  let [dropped, kept] = [0, 0];
  let next: number | null = 0;
  while (next !== null) {
    const after: number = next;
    const keptBefore = kept;
    const stride = await queue.run((books) => pruneStride(books, { after, olderThan, keptBefore }));
    dropped += stride.dropped;
    kept += stride.kept;
    next = stride.next;
    await nextTurn();
  }
  return { dropped, kept };
}

interface StrideStart {
  /** The place after which it begins. */
  readonly after: number;
  readonly olderThan: number;
  /** Older entries that stay. */
  readonly keptBefore: number;
}

function pruneStride(books: Books, { after, olderThan, keptBefore }: StrideStart): Stride {
  books.flush();
  const { prune, reader } = books.tables;
  // The last entry stays: its place says how many were ever written.
  const end = Math.min(reader.before(olderThan), reader.last() - 1);
  const entries = prune.entries(after, end, ENTRIES_AT_A_TIME);
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return { dropped: 0, kept: 0, next: null };
  const charges = new Map<number, PrunableCharge[]>(entries.map(({ sequence }) => [sequence, []]));
  for (const charge of prune.charges(first.sequence, last.sequence)) {
    charges.get(charge.entry)?.push(charge);
  }
  let kept = keptBefore;
  const prunable = entries.filter((entry) => {
    // What was reset or corrected of an entry that stays must be known when it is corrected.
    const isOfKept = entry.rule !== null && kept > 0;
    const isKept = isOfKept || isNeeded(books, entry, charges.get(entry.sequence) ?? []);
    if (isKept) kept += 1;
    return !isKept;
  });
  for (const { sequence } of prunable) prune.drop(sequence, charges.get(sequence) ?? []);
  if (prunable.length > 0) prune.count();
  const next = entries.length < ENTRIES_AT_A_TIME ? null : last.sequence;
  return { dropped: prunable.length, kept: kept - keptBefore, next };
}

/** Whether the entry is of a window that is open, and will be over some day. */
function isNeeded(
  { at: now, tables: { rules } }: Books,
  { at, rule }: PrunableEntry,
  charges: readonly PrunableCharge[],
): boolean {
  // An adjustment is of the window in which it was made.
  if (rule !== null && !isOver(rules.get(rule).window, at, now)) return true;
  return charges.some(({ rule, slot, ends_at: endsAt }) => {
    if (slot !== null) return !isOver(rules.get(rule).window, slot, now);
    return endsAt !== null && endsAt > now;
  });
}

/** Whether what was done at a time counts no more; what never ends needs no single entries. */
function isOver(window: Window, time: number, now: number): boolean {
  if (window.kind === 'total') return true;
  if (window.kind === 'rolling') return window.slotLeavesAt(window.slotOf(time)) <= now;
  return (window.at(time).endsAt as number) <= now;
}
