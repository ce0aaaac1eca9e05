import type { MemoryAccounts } from './memory-accounts.ts';
import type { MemoryLedger } from './memory-ledger.ts';
import type { ReservationTable } from './memory-reservations.ts';
import type { RecentMap } from './recent-map.ts';

/** Everything that a memory sink keeps. */
export interface MemoryBooks {
  readonly accounts: MemoryAccounts;
  readonly reservations: ReservationTable;
  readonly ledger: MemoryLedger;
  /** Ids of adjustments. */
  readonly adjusted: RecentMap<true>;
}
