import type { MemoryAccount } from './memory-account.ts';
import type { MemoryBooks } from './memory-books.ts';
import type { MemoryLedger } from './memory-ledger.ts';
import type { ReservationTable } from './memory-reservations.ts';
import type { Difference, VerifyReport } from './usage-sink.ts';
import type { SlotAmounts, WindowCounters } from './window-counters.ts';

/** Recomputes every counter from the ledger and the open reservations; with `repair`, restores it. */
export function verifyMemory(
  books: Omit<MemoryBooks, 'adjusted'>,
  at: number,
  repair: boolean,
): VerifyReport {
  const differences: Difference[] = [];
  const kept = keptAmounts(books.ledger);
  const holds = holdsByCounters(books.reservations);
  for (const account of books.accounts.all()) {
    account.at(account.rule, at);
    const windows = [account.current, ...account.past.values()];
    for (const counters of windows) {
      const slots = amountsIn(counters, kept.get(windowKey(account.key, counters.span.id)));
      const committed = [...slots.values()].reduce((sum, amount) => sum + amount, 0);
      const held = holds.get(counters) ?? 0;
      compare(differences, account, counters, 'committed', counters.committed, committed);
      compare(differences, account, counters, 'held', counters.held, held);
      if (repair) counters.restore(slots, held);
    }
    const floating = holds.get(account) ?? 0;
    compare(differences, account, account.current, 'held', account.floating, floating);
    if (repair) account.floating = floating;
  }
  return {
    at,
    accounts: books.accounts.size,
    entries: books.ledger.size,
    reservations: books.reservations.size,
    differences,
  };
}

function windowKey(account: string, window: string): string {
  return JSON.stringify([account, window]);
}

/** What the entries of the ledger add up to, by window and slot. */
function keptAmounts(ledger: MemoryLedger): Map<string, SlotAmounts> {
  const windows = new Map<string, SlotAmounts>();
  for (const { charges } of ledger.kept()) {
    for (const { account, window, slot, amount } of charges) {
      const key = windowKey(account, window);
      const slots = windows.get(key) ?? new Map();
      windows.set(key, slots.set(slot, (slots.get(slot) ?? 0) + amount));
    }
  }
  return windows;
}

/** What was ever charged to a window; of a rolling one, in the slots that have not left it. */
function amountsIn(counters: WindowCounters, kept: SlotAmounts = new Map()): SlotAmounts {
  const amounts = counters.folded();
  for (const [slot, amount] of kept) amounts.set(slot, (amounts.get(slot) ?? 0) + amount);
  for (const slot of amounts.keys()) {
    if (slot !== null && slot < (counters.span.startsAt ?? 0)) amounts.delete(slot);
  }
  return amounts;
}

function holdsByCounters(table: ReservationTable): Map<WindowCounters | MemoryAccount, number> {
  const sums = new Map<WindowCounters | MemoryAccount, number>();
  for (const { holds } of table.open()) {
    for (const hold of holds) {
      const owner = hold.counters ?? hold.account;
      sums.set(owner, (sums.get(owner) ?? 0) + hold.amount);
    }
  }
  return sums;
}

function compare(
  differences: Difference[],
  account: MemoryAccount,
  counters: WindowCounters,
  field: Difference['field'],
  counter: number,
  expected: number,
): void {
  if (counter === expected) return;
  differences.push({ account: account.key, window: counters.span.id, field, counter, expected });
}
