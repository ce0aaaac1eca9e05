import { InvalidArgumentError, type SpendGuard } from '@hardcap/core';
import { type GuardableChatModel, isChatModel } from './chat-model.ts';
import { type GuardableEmbeddings, guardedEmbeddings, isEmbeddings } from './guarded-embeddings.ts';
import { guardedModel } from './guarded-model.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

/**
 * The model or the embeddings, guarded: every call it makes holds its worst case before it is sent, is
 * metered while it streams, cut where a budget is crossed, and settled at what it cost. The result is an
 * instance of the same class; the given model stays as it is.
 *
 * @throws InvalidArgumentError for what is neither a chat model nor embeddings.
 */
export function withSpendBudget<Model extends GuardableChatModel | GuardableEmbeddings>(
  model: Model,
  guard: SpendGuard,
  options: SpendBudgetOptions = {},
): Model {
  const candidate: unknown = model;
  if (isChatModel(candidate)) return guardedModel(candidate, guard, options) as unknown as Model;
  if (isEmbeddings(candidate))
    return guardedEmbeddings(candidate, guard, options) as unknown as Model;
  throw new InvalidArgumentError(
    'withSpendBudget takes a chat model or embeddings. Give it the model itself, before .pipe() or ' +
      'the like; text models are not covered.',
  );
}
