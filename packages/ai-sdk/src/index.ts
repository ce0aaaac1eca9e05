export type { HardcapCallOptions } from './call-channel.ts';
export type { ModelId, SpendBudgetMiddleware, WrappedModel } from './middleware.ts';
export type { ModelCall } from './model-call.ts';
export { respondOrDeny, type StreamedText } from './respond-or-deny.ts';
export { spendBudget } from './spend-budget.ts';
export type { PerModel, SpendBudgetOptions } from './spend-budget-options.ts';
