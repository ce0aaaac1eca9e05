import type { Account, SinkEntry } from '@hardcap/core';
import { expectEqual } from './check.ts';
import type { ContractBench } from './contract-bench.ts';

/** @throws ContractViolation unless every counter is what the ledger adds up to, and verify() agrees. */
export async function expectBooks(
  bench: ContractBench,
  accounts: readonly Account[],
  when: string,
): Promise<void> {
  const entries = await bench.entries();
  for (const account of accounts) {
    const { committed, window } = await bench.read(account);
    const charged = chargedTo(entries, account.key, window.id, window.startsAt);
    expectEqual(committed, charged, `${when}: settled spend of ${account.key}`);
  }
  const report = await bench.sink.verify();
  expectEqual(report.differences, [], `${when}: differences`);
  expectEqual(report.entries, entries.length, `${when}: entries that were verified`);
}

function chargedTo(
  entries: readonly SinkEntry[],
  account: string,
  window: string,
  startsAt: number | null,
): number {
  const charges = entries.flatMap((entry) => entry.charges);
  return charges
    .filter((charge) => charge.account === account && charge.window === window)
    .filter(({ slot }) => slot === null || slot >= (startsAt ?? 0))
    .reduce((sum, { amount }) => sum + amount, 0);
}
