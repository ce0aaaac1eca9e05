import { AccountTable } from './account-table.ts';
import type { SqliteDatabase } from './driver.ts';
import { ForgetTable } from './forget-table.ts';
import { LedgerReader } from './ledger-reader.ts';
import { LedgerTable } from './ledger-table.ts';
import { LostWindowTable } from './lost-window-table.ts';
import { ProofTable } from './proof-table.ts';
import { PruneTable } from './prune-table.ts';
import { ReservationTable } from './reservation-table.ts';
import { RuleTable } from './rule-table.ts';
import { StoreTable } from './store-table.ts';
import { WindowTable } from './window-table.ts';

/** All statements of a connection, each prepared once. */
export interface Tables {
  readonly store: StoreTable;
  readonly rules: RuleTable;
  readonly accounts: AccountTable;
  readonly windows: WindowTable;
  readonly reservations: ReservationTable;
  readonly ledger: LedgerTable;
  readonly reader: LedgerReader;
  readonly proof: ProofTable;
  readonly lost: LostWindowTable;
  readonly prune: PruneTable;
  readonly forgotten: ForgetTable;
  readonly rememberedMs: number;
}

export function prepareTables(database: SqliteDatabase, rememberedMs: number): Tables {
  const rules = new RuleTable(database);
  return {
    store: new StoreTable(database),
    rules,
    accounts: new AccountTable(database, rules),
    windows: new WindowTable(database, rules, rememberedMs),
    reservations: new ReservationTable(database, rememberedMs),
    ledger: new LedgerTable(database),
    reader: new LedgerReader(database, rules),
    proof: new ProofTable(database),
    lost: new LostWindowTable(database, rules, rememberedMs),
    prune: new PruneTable(database),
    forgotten: new ForgetTable(database, rememberedMs),
    rememberedMs,
  };
}
