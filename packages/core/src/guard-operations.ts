/** What a guard does beside the path of calls, in one file, since it is loaded when first asked for. */
export { statusOf } from './account-status.ts';
export { adjustAccount } from './adjust-account.ts';
export { alertsOf } from './alerts.ts';
export { correctEntry } from './correct-entry.ts';
export { readLedger } from './read-ledger.ts';
