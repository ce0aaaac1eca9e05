export type { SpendBudgetContext } from './agent-context.ts';
export type { AgentModelRequest, SpendBudgetMiddleware } from './agent-middleware.ts';
export type { HardcapRunOptions } from './call-channel.ts';
export {
  type ContextModule,
  SpendBudgetCallbackHandler,
  type SpendBudgetHandlerOptions,
} from './callback-handler.ts';
export type { GuardableChatModel } from './chat-model.ts';
export type { GuardableEmbeddings } from './guarded-embeddings.ts';
export { isBudgetExceeded } from './is-budget-exceeded.ts';
export {
  type FanOut,
  type FanOutConfig,
  type FanOutOptions,
  reserveFanOut,
} from './reserve-fan-out.ts';
export { type Fetch, spendBudgetFetch } from './spend-budget-fetch.ts';
export {
  type BudgetInterrupt,
  type SpendBudgetMiddlewareOptions,
  spendBudgetMiddleware,
} from './spend-budget-middleware.ts';
export type { ModelName, PerModel, SpendBudgetOptions } from './spend-budget-options.ts';
export { withSpendBudget } from './with-spend-budget.ts';
