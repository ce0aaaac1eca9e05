import type { SpendGuard } from '@hardcap/core';
import type { AttemptOpener } from './attempt-opener.ts';
import { type ChatModel, delegatesOf } from './chat-model.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

/** How a model came to be guarded. */
export interface ModelGuard {
  /** The given model: without this guard, but perhaps with another one. */
  readonly model: ChatModel;
  readonly guard: SpendGuard;
  readonly options: SpendBudgetOptions;
  readonly attempts: AttemptOpener;
}

// Registered, so that another copy of this package sees it too.
export const GUARDED: unique symbol = Symbol.for('hardcap.langchain.guarded') as never;

/** Undefined for a model that is not guarded. */
export function modelGuardOf(model: object): ModelGuard | undefined {
  return (model as { readonly [GUARDED]?: () => ModelGuard })[GUARDED]?.();
}

/** All guards of a model, the outermost first. */
export function modelGuardsOf(model: object): ModelGuard[] {
  const guards: ModelGuard[] = [];
  for (let held = modelGuardOf(model); held !== undefined; held = modelGuardOf(held.model)) {
    guards.push(held);
  }
  return guards;
}

/** The models that a model leaves its work to, without their guards: that of the model itself counts. */
export function bareDelegatesOf(model: object): (readonly [string, ChatModel])[] {
  return delegatesOf(model).map(([name, delegate]) => {
    const [innermost] = modelGuardsOf(delegate).slice(-1);
    return [name, innermost?.model ?? delegate];
  });
}
