import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Difference, SinkUnavailableError, type VerifyReport } from '@hardcap/core';
import type { Books, Do } from './books.ts';
import { LedgerSums } from './ledger-sums.ts';
import type { CountedWindow } from './proof-table.ts';

export interface Verifying {
  readonly read: Do;
  /** Restores counters; absent where they are only compared. */
  readonly write?: Do;
}

/** Pieces of work, each about 10 ms long: entries that are added up, windows that are compared. */
const ENTRIES_AT_A_TIME = 5_000;
const WINDOWS_AT_A_TIME = 500;
/** How often pruning may get in between. */
const MOST_ATTEMPTS = 10;

/**
 * Recomputes counters from the ledger and the open reservations; with `write`, restores them. The
 * ledger only grows, so most of it is added up in pieces between which traffic goes on; counters are
 * compared a few at a time, each at an instant at which the sums are complete.
 */
export async function verifyLedger(verifying: Verifying): Promise<VerifyReport> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const sums = await verifying.read((books) => new LedgerSums(books));
    const lost = await compareLost(verifying, sums);
    const committed = lost && (await compareCommitted(verifying, sums));
    if (lost === null || committed === null) continue;
    const { read, write = read } = verifying;
    return write((books) => {
      books.flush();
      const repair = verifying.write !== undefined;
      const lostHeld = compareLostHeld(books, repair);
      const held = [...lostHeld, ...compareHeld(books, repair)];
      const { proof, reader } = books.tables;
      const differences = [...lost, ...committed, ...held];
      return { at: books.at, entries: reader.last(), ...proof.counts(), differences };
    });
  }
  throw new SinkUnavailableError('The ledger was pruned again and again while it was verified.');
}

/**
 * Finds windows that were charged and have no row, and makes them; null when the ledger was pruned in
 * between. A window of which the ledger has entries is never forgotten.
 */
async function compareLost(
  { read, write }: Verifying,
  sums: LedgerSums,
): Promise<Difference[] | null> {
  const differences: Difference[] = [];
  while (!(await read((books) => sums.advance(books, ENTRIES_AT_A_TIME)))) await nextTurn();
  const charged = sums.windows();
  for (let from = 0; from < charged.length; from += WINDOWS_AT_A_TIME) {
    const isStale = await (write ?? read)((books) => {
      books.flush();
      if (sums.isStale(books)) return true;
      sums.advance(books, Number.POSITIVE_INFINITY);
      const { lost } = books.tables;
      for (const each of charged.slice(from, from + WINDOWS_AT_A_TIME)) {
        const window = lost.charged(each);
        if (window === undefined) continue;
        const expected = [...sums.of(each).values()].reduce((sum, amount) => sum + amount, 0);
        const base = { account: window.key, window: lost.nameOf(window), counter: 0 } as const;
        if (expected === 0) differences.push({ ...base, field: 'record', expected: 1 });
        // Once there is a row, what it should have is found as in any.
        if (write !== undefined) sums.move(each, lost.restore(window, books.at));
        else if (expected !== 0) differences.push({ ...base, field: 'committed', expected });
      }
      return false;
    });
    if (isStale) return null;
    await nextTurn();
  }
  return differences;
}

/** Of the same kind, with nothing but holds. */
function compareLostHeld({ at, tables }: Books, repair: boolean): Difference[] {
  const { lost } = tables;
  return lost.held(at).flatMap((hold): Difference[] => {
    const window = lost.nameOf(hold);
    if (repair) lost.restore(hold, at);
    const { key: account, amount: expected } = hold;
    return repair ? [] : [{ account, window, field: 'held', counter: 0, expected }];
  });
}

/** Null when the ledger was pruned in between. */
async function compareCommitted(
  { read, write }: Verifying,
  sums: LedgerSums,
): Promise<Difference[] | null> {
  const differences: Difference[] = [];
  for (let after = 0; ; await nextTurn()) {
    const next = await (write ?? read)((books) => {
      books.flush();
      if (sums.isStale(books)) return 'stale';
      sums.advance(books, Number.POSITIVE_INFINITY);
      const { proof } = books.tables;
      const windows = proof.windows(after, books.at, WINDOWS_AT_A_TIME);
      for (const window of windows) {
        const found = compareWindow(books, window, sums, write !== undefined);
        if (found !== undefined) differences.push(found);
      }
      return windows.at(-1)?.id ?? 'end';
    });
    if (next === 'stale') return null;
    if (next === 'end') return differences;
    after = next;
  }
}

function compareWindow(
  { at, tables }: Books,
  { id, account, owner, name, rule, committed, folded }: CountedWindow,
  sums: LedgerSums,
  repair: boolean,
): Difference | undefined {
  const { proof } = tables;
  const { window } = tables.rules.get(rule);
  // Spend of slots that have left a rolling window does not count, whether that was written or not.
  const startsAt = window.kind === 'rolling' ? (window.at(at).startsAt ?? 0) : null;
  const counts = (slot: number | null) => slot === null || startsAt === null || slot >= startsAt;
  const slots = startsAt === null ? [] : proof.slots(id);
  const kept = slots.filter(({ slot }) => counts(slot));
  const left = slots.filter(({ slot }) => !counts(slot));
  const counter = left.reduce((sum, slot) => sum - slot.committed, committed);
  const counted = [...sums.of({ id, account: owner })].filter(([slot]) => counts(slot));
  const expected = counted.reduce((sum, [, amount]) => sum + amount, folded);
  if (repair && (counter !== expected || startsAt !== null)) {
    proof.setCommitted(id, expected);
    const counting = counted.flatMap(([slot, amount]) =>
      slot === null ? [] : [[slot, amount] as const],
    );
    if (startsAt !== null) proof.setSlots(id, new Map(counting));
  }
  const wrong =
    counter === expected ? wrongSlot(new Map(counted), kept) : ([counter, expected] as const);
  if (wrong === undefined) return undefined;
  return { account, window: name, field: 'committed', counter: wrong[0], expected: wrong[1] };
}

/** The first slot of a rolling window that is not what it should be: what it has, and should have. */
function wrongSlot(
  expected: ReadonlyMap<number | null, number>,
  kept: readonly { readonly slot: number; readonly committed: number }[],
): readonly [has: number, should: number] | undefined {
  const found = new Map(kept.map(({ slot, committed }) => [slot, committed]));
  for (const slot of new Set([...expected.keys(), ...found.keys()])) {
    if (slot === null) continue;
    const [has, should] = [found.get(slot) ?? 0, expected.get(slot) ?? 0];
    if (has !== should) return [has, should];
  }
  return undefined;
}

function compareHeld({ at, tables }: Books, repair: boolean): Difference[] {
  const { proof, rules } = tables;
  return proof.wrongHeld().map((wrong): Difference => {
    const { account, name, rule, counter, expected } = wrong;
    if (repair) proof.setHeld(wrong);
    const window = name ?? rules.get(rule).window.at(at).id;
    return { account, window, field: 'held', counter, expected };
  });
}
