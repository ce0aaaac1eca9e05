/**
 * For authors of sinks: the logic of the memory sink, which any sink can use that reads accounts,
 * decides in JavaScript, and writes them back.
 */
export { type BackgroundTimer, setBackgroundTimer } from './background-timer.ts';
export { changeAccount } from './change-account.ts';
export { checkAdjustment, checkTopUp } from './check-adjustment.ts';
export { correctionCharge } from './correction-charge.ts';
export { dayTally } from './denial-tally.ts';
export { ended } from './ended.ts';
export type { LimitChange } from './limit-change.ts';
export { MemoryAccount } from './memory-account.ts';
export type { MemoryCharge } from './memory-charge.ts';
export {
  amountAsked,
  ChargeReport,
  expireHold,
  type Hold,
  sameClaims,
  settleHold,
} from './memory-hold.ts';
export { resetCharges } from './reset-charges.ts';
export { lookedBackMs, spansBefore } from './rollover.ts';
export { isRefused, reporting } from './shadow-refusals.ts';
export { matchesQuery } from './sink-entry.ts';
export { checkCharges, checkClaims, checkId, checkTtl } from './sink-request.ts';
export { type SlotAmounts, WindowCounters } from './window-counters.ts';
