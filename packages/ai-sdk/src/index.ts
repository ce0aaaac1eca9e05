export type { HardcapCallOptions } from './call-channel.ts';
export type {
  ModelId,
  SpendBudgetForEmbeddings,
  SpendBudgetForImages,
  SpendBudgetMiddleware,
  WrappedModel,
} from './middleware.ts';
export type { ModelCall } from './model-call.ts';
export { respondOrDeny, type StreamedText } from './respond-or-deny.ts';
export { spendBudget } from './spend-budget.ts';
export { spendBudgetForEmbeddings } from './spend-budget-for-embeddings.ts';
export { spendBudgetForImages } from './spend-budget-for-images.ts';
export type {
  EmbeddingBudgetOptions,
  ImageBudgetOptions,
  PerModel,
  SpendBudgetForAllOptions,
  SpendBudgetOptions,
} from './spend-budget-options.ts';
export { withSpendBudget } from './with-spend-budget.ts';
