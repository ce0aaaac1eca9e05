import type { ContractGroup } from './contract-test.ts';
import { atomicity } from './groups/atomicity.ts';
import { books } from './groups/books.ts';
import { bounds } from './groups/bounds.ts';
import { clock } from './groups/clock.ts';
import { corrections } from './groups/corrections.ts';
import { decision } from './groups/decision.ts';
import { denial } from './groups/denial.ts';
import { expiry } from './groups/expiry.ts';
import { idempotence } from './groups/idempotence.ts';
import { ledger } from './groups/ledger.ts';
import { limits } from './groups/limits.ts';
import { lostStore } from './groups/lost-store.ts';
import { neverHeld } from './groups/never-held.ts';
import { resets } from './groups/resets.ts';
import { resolution } from './groups/resolution.ts';
import { restart } from './groups/restart.ts';
import { rolling } from './groups/rolling.ts';
import { rollover } from './groups/rollover.ts';
import { settlement } from './groups/settlement.ts';
import { shadow } from './groups/shadow.ts';
import { sharing } from './groups/sharing.ts';
import { thresholds } from './groups/thresholds.ts';
import { windows } from './groups/windows.ts';

/** The thirteen points of the contract, by number, and what they rest on. */
export const GROUPS: readonly ContractGroup[] = [
  decision,
  atomicity,
  clock,
  windows,
  rolling,
  denial,
  idempotence,
  resolution,
  settlement,
  expiry,
  neverHeld,
  thresholds,
  books,
  ledger,
  lostStore,
  limits,
  resets,
  corrections,
  bounds,
  shadow,
  rollover,
  restart,
  sharing,
];
