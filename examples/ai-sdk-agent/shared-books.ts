import { setTimeout as pause } from 'node:timers/promises';
import { type SpendGuard, usd } from '@hardcap/core';
import type { Exchange } from '@hardcap/test/wire/exchange.ts';
import { exactly } from './call-table.ts';

const POLL_MS = 100;

/** What the ledger says: the calls that settled, and what the killed one was charged. In nano-USD. */
interface Spent {
  readonly settled: number;
  readonly killed: number;
}

/** Waits until no hold is left: the one of the killed process runs out, and is charged. */
export async function holdsExpired(guard: SpendGuard): Promise<void> {
  for (;;) {
    const statuses = await guard.status();
    if (statuses.every(({ held }) => held === 0)) return;
    await pause(POLL_MS);
  }
}

/** Holds the store against its cap, its ledger and the provider's books; false when anything is off. */
export async function compareSharedBooks(
  guard: SpendGuard,
  cap: string,
  exchanges: readonly Exchange[] | null,
): Promise<boolean> {
  const { settled, killed } = await spentBy(guard);
  const { differences } = await guard.verify();
  const capped = settled + killed <= usd(cap);
  const proved = differences.length === 0;
  const total = exactly(settled + killed);
  console.log(`team    ${total} ${capped ? 'of' : 'ABOVE'} $${cap} by the ledger`);
  console.log(`        counters ${proved ? '=' : '!='} ledger, by verify()`);
  if (exchanges === null) return capped && proved;

  const billed = await billedBy(exchanges);
  const same = settled === billed.settled;
  const enough = killed >= billed.killed;
  console.log(
    `        settled ${exactly(settled)} ${same ? '=' : '!='} ${exactly(billed.settled)} billed by the provider`,
  );
  console.log(
    `        killed  ${exactly(killed)} ${enough ? '>=' : '<'} ${exactly(billed.killed)} billed by the provider`,
  );
  return capped && proved && same && enough;
}

async function spentBy(guard: SpendGuard): Promise<Spent> {
  const spent = { settled: 0, killed: 0 };
  for await (const entry of guard.ledger()) {
    spent[entry.kind === 'expiry' ? 'killed' : 'settled'] += entry.costNanoUsd ?? 0;
  }
  return spent;
}

async function billedBy(exchanges: readonly Exchange[]): Promise<Spent> {
  const billed = { settled: 0, killed: 0 };
  for (const exchange of exchanges) {
    const end = await exchange.closed;
    billed[end === 'finished' ? 'settled' : 'killed'] += exchange.billedNanoUsd;
  }
  return billed;
}
