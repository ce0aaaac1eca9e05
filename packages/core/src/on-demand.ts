/**
 * What guards, sinks and calls need now and then, in one file that is loaded when the first of them
 * does: each file of its own would make `import '@hardcap/core'` larger by what it shares with it.
 */
export { statusOf } from './account-status.ts';
export { adjustAccount } from './adjust-account.ts';
export { alertsOf } from './alerts.ts';
export { blockOn } from './block-on.ts';
export { BudgetExceptions } from './budget-exceptions.ts';
export { correctEntry } from './correct-entry.ts';
export { Grants } from './grants.ts';
export { growHold } from './grow-hold.ts';
export { openJournal } from './journal.ts';
export { adjustMemory } from './memory-adjust.ts';
export { readLedger } from './read-ledger.ts';
export { reconfigured } from './reconfigure.ts';
export { RefusedCalls } from './refused-calls.ts';
export { matchesQuery } from './sink-entry.ts';
export { sinkFailure } from './sink-failure.ts';
export { unboundError } from './unbound-error.ts';
export { UnsentSettlements } from './unsent-settlements.ts';
export { verifyMemory } from './verify-memory.ts';
