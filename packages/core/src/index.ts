export type { AccountStatus, AccountTier } from './account-status.ts';
export type {
  AccountSelector,
  AdjustmentNote,
  LimitChange,
  UnitAmount,
} from './adjustment-order.ts';
export type { Alert, AlertFilter, AlertKind } from './alerts.ts';
export type { Awaitable } from './awaitable.ts';
export { type Budget, defineBudgets } from './budget.ts';
export type { BudgetLimit, TokenCount } from './budget-limit.ts';
export type { Reservation } from './call-admission.ts';
export type { CallDetails } from './call-details.ts';
export type { CallRequest, Estimate } from './call-request.ts';
export type { Correction } from './correction-order.ts';
export { costOf, type InputTraits } from './cost.ts';
export type { Denial, Refusal, RefusalKind, Unit } from './denial.ts';
export {
  BudgetExceededError,
  ConfigError,
  HardcapError,
  type HardcapErrorCode,
  InvalidArgumentError,
  MissingIdentityError,
  ReservationMismatchError,
  SinkUnavailableError,
  UnpricedModelError,
} from './errors.ts';
export type { GuardEvent, LostSettlement } from './event.ts';
export type { Grant, GrantReport } from './grant.ts';
export type { GrantRequest } from './grants.ts';
export { createSpendGuard, type SpendGuard } from './guard.ts';
export type { SpendGuardOptions, SpendGuardTerms } from './guard-options.ts';
export { type HttpResponseOptions, type Problem, toHttpResponse, toSseEvent } from './http.ts';
export type { Identity } from './identity.ts';
export type { LedgerEntry, LedgerQuery } from './ledger-entry.ts';
export { MemoryUsageSink, type MemoryUsageSinkOptions } from './memory-usage-sink.ts';
export { formatUsd, usd } from './money.ts';
export {
  type PolicyDecision,
  type PolicyQuestion,
  refusalOf,
  rolledOver,
  type Standing,
  WindowedSpendBudgetPolicy,
} from './policy.ts';
export type {
  PriceBook,
  PriceQuote,
  PriceRequest,
  PriceSnapshot,
  PriceTier,
  RateCard,
  TokenRates,
} from './price-book.ts';
export type { Settlement, SettleResult } from './settlement.ts';
export type { EntryDetails, EntryQuery, Json, SinkEntry } from './sink-entry.ts';
export type { CallDelta, SpendCall } from './spend-call.ts';
export type { FlushOptions, FlushReport } from './unsent-settlements.ts';
export type { TokenUsage } from './usage.ts';
export type * from './usage-sink.ts';
export type { Window, WindowSpan, WindowSpec } from './window.ts';
export { compileWindow } from './window.ts';
